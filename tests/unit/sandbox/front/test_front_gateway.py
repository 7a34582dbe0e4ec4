"""Never a yes to what is not implemented; every call in the log; the sandbox's own routes."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Keys
from botocore.exceptions import ClientError

from sandbox.contracts import Call, Credentials, HttpResponse
from sandbox.front.accounts import sandbox_token
from sandbox.front.calllog import CallLog, Entry
from sandbox.front.catalog import is_mutating

QUERY = "application/x-www-form-urlencoded; charset=utf-8"


def signed(aws: Any, service: str, headers: dict[str, str], body: str, path: str = "/", method: str = "POST") -> Any:
    """The status and body of a call that boto3 would not make."""
    request = AWSRequest(method=method, url=aws.front.url + path, data=body.encode(), headers=headers)
    keys = aws.account.credentials
    SigV4Auth(Keys(keys.access_key_id, keys.secret_access_key), service, "us-west-2").add_auth(request)
    made = urllib.request.Request(
        aws.front.url + path, data=body.encode() or None, headers=dict(request.headers), method=method
    )
    try:
        with urllib.request.urlopen(made) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


UNKNOWN_QUERY = {
    "ec2": ["DescribeUnicorns", "RunInstance", "DescribeInstancesX"],
    "iam": ["ListUnicorns", "CreateRoles", "GetRoleX"],
    "sts": ["AssumeUnicorn", "GetCallerIdentities"],
    "cloudformation": ["DescribeUnicorns", "DeleteStacks"],
    "sqs": ["DescribeQueue", "SendMessages"],
    "elasticloadbalancing": ["DescribeUnicorns", "CreateLoadBalancers"],
    "monitoring": ["PutMetricData"],
    "autoscaling": ["DescribeAutoScalingGroups"],
}
UNKNOWN_JSON = {
    "ssm": ["AmazonSSM.GetUnicorn", "AmazonSSM.Getparameter"],
    "logs": ["Logs_20140328.GetUnicorn"],
    "events": ["AWSEvents.DescribeUnicorn", "AWSEvents.PutRules"],
    "sqs": ["AmazonSQS.PeekMessage"],
    "pricing": ["AWSPriceListService.GetUnicorns"],
    "dynamodb": ["DynamoDB_20120810.ListTables"],
}
UNKNOWN_REST = {"eks": ["/unicorns", "/clusters/a/unicorns"], "eks-auth": ["/clusters/a/unicorns"], "s3": ["/bucket"]}


@pytest.mark.parametrize(("service", "action"), [(s, a) for s, actions in UNKNOWN_QUERY.items() for a in actions])
def test_unknown_query_actions_never_succeed(aws: Any, service: str, action: str) -> None:
    status, body = signed(aws, service, {"content-type": QUERY}, f"Action={action}&Version=2010-05-08")
    assert status == 400
    assert "<Code>InvalidAction</Code>" in body


@pytest.mark.parametrize(("service", "target"), [(s, t) for s, targets in UNKNOWN_JSON.items() for t in targets])
def test_unknown_json_actions_never_succeed(aws: Any, service: str, target: str) -> None:
    headers = {"content-type": "application/x-amz-json-1.1", "x-amz-target": target}
    status, body = signed(aws, service, headers, "{}")
    assert status == 400
    assert json.loads(body)["__type"] in ("UnknownOperationException", "InvalidAction")


@pytest.mark.parametrize(("service", "path"), [(s, p) for s, paths in UNKNOWN_REST.items() for p in paths])
def test_unknown_paths_never_succeed(aws: Any, service: str, path: str) -> None:
    status, _ = signed(aws, service, {}, "", path, "GET")
    assert status == 400


NOT_HERE: list[tuple[str, str, dict[str, Any]]] = [
    ("ec2", "create_capacity_reservation", {"InstanceType": "m5.large", "InstancePlatform": "L", "InstanceCount": 1}),
    ("ec2", "create_placement_group", {"GroupName": "g", "Strategy": "cluster"}),
    ("ec2", "create_instance_connect_endpoint", {"SubnetId": "subnet-1"}),
    ("ec2", "get_spot_placement_scores", {"TargetCapacity": 1}),
    ("ec2", "describe_verified_access_groups", {}),
    ("iam", "get_context_keys_for_custom_policy", {"PolicyInputList": ["{}"]}),
    ("iam", "list_server_certificates", {}),
    ("iam", "list_ssh_public_keys", {}),
    ("sts", "get_web_identity_token", {"Audience": ["a"], "SigningAlgorithm": "RS256"}),
    ("sts", "get_federation_token", {"Name": "me"}),
    ("cloudformation", "create_stack_set", {"StackSetName": "s"}),
    ("cloudformation", "list_types", {}),
    ("cloudformation", "estimate_template_cost", {"TemplateBody": "{}"}),
    ("sqs", "list_dead_letter_source_queues", {"QueueUrl": "http://127.0.0.1/1/q"}),
    ("sqs", "start_message_move_task", {"SourceArn": "arn:aws:sqs:us-west-2:111111111111:q"}),
    ("events", "deauthorize_connection", {"Name": "nothing"}),
    ("events", "list_partner_event_source_accounts", {"EventSourceName": "x"}),
    ("ssm", "send_command", {"DocumentName": "AWS-RunShellScript"}),
    ("ssm", "describe_instance_information", {}),
    ("pricing", "describe_services", {}),
    ("elbv2", "describe_trust_stores", {}),
    ("elb", "describe_account_limits", {}),
    ("logs", "start_query", {"startTime": 1, "endTime": 2, "queryString": "fields @message"}),
    ("eks", "list_insights", {"clusterName": "c"}),
    ("eks", "list_eks_anywhere_subscriptions", {}),
]


@pytest.mark.parametrize(("service", "operation", "parameters"), NOT_HERE)
def test_what_aws_has_and_the_sandbox_has_not_never_succeeds(
    aws: Any, service: str, operation: str, parameters: dict[str, Any]
) -> None:
    with pytest.raises(ClientError) as error:
        getattr(aws.client(service), operation)(**parameters)
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501, "its code would be some other error's"
    assert error.value.response["Error"]["Code"] in ("NotImplemented", "NotImplementedException")


@pytest.mark.parametrize(("service", "operation", "parameters"), NOT_HERE)
def test_who_may_not_do_it_is_not_told_that_it_is_missing(
    aws: Any, service: str, operation: str, parameters: dict[str, Any]
) -> None:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic_policy-eval-basics.html"""
    trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    role = aws.client("iam").create_role(RoleName="nobody", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    client = aws.client(service, credentials=aws.front.mint_session(role, "s"))
    with pytest.raises(ClientError) as error:
        getattr(client, operation)(**parameters)
    denied = ("UnauthorizedOperation", "AccessDenied", "AccessDeniedException")
    assert error.value.response["Error"]["Code"] in denied
    assert not any(entry.unimplemented for entry in aws.front.log.select(lambda one: one.account == aws.id))


def test_what_is_missing_is_counted(aws: Any) -> None:
    for _ in range(2):
        with pytest.raises(ClientError) as error:
            aws.client("ec2").create_placement_group(GroupName="g", Strategy="cluster")
    assert error.value.response["Error"]["Code"] == "NotImplemented"
    missing = fetch(aws, "/_sandbox/unimplemented")
    assert any((one["service"], one["action"]) == ("ec2", "CreatePlacementGroup") for one in missing)
    [*_, entry] = aws.front.log.select(lambda one: one.account == aws.id)
    assert entry.unimplemented
    assert not entry.wrote


def fetch(aws: Any, path: str, **headers: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(aws.front.url + path, headers=headers)) as answer:
        return json.load(answer)


def test_calls_are_logged_with_who_what_and_outcome(aws: Any) -> None:
    start = time.time()
    ec2 = aws.client("ec2")
    ec2.describe_vpcs()
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    with pytest.raises(ClientError):
        ec2.delete_subnet(SubnetId="subnet-00000000")
    with pytest.raises(ClientError):
        ec2.delete_vpc(VpcId=vpc, DryRun=True)
    calls = fetch(aws, f"/_sandbox/calls?account={aws.id}&since={start}&service=ec2")
    shown = [(one["action"], one["mutating"], one["outcome"], one["wrote"]) for one in calls]
    assert shown[:3] == [
        ("DescribeVpcs", False, "success", False),
        ("CreateVpc", True, "success", True),
        ("DeleteSubnet", True, "InvalidSubnetID.NotFound", False),
    ]
    assert {one["principal_arn"] for one in calls} == {aws.account.principal_arn}
    assert {one["region"] for one in calls} == {"us-west-2"}
    assert not any(one["is_aws_service"] for one in calls)
    written = fetch(aws, f"/_sandbox/calls?account={aws.id}&mutating=true&since={start}")
    assert "DescribeVpcs" not in {one["action"] for one in written}
    assert fetch(aws, f"/_sandbox/calls?account={aws.id}&since={time.time() + 5}") == []
    lines = [json.loads(line) for line in aws.front.log.path.read_text().splitlines()]
    assert [one["request_id"] for one in lines if one["account"] == aws.id] == [one["request_id"] for one in calls]


@pytest.mark.parametrize("query", ["unicorn=1", "since=yesterday", "mutating=maybe"])
def test_a_filter_that_means_nothing_is_refused(aws: Any, query: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as error:
        fetch(aws, f"/_sandbox/calls?{query}")
    with error.value as answer:
        assert answer.code == 400


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("DescribeInstances", False),
        ("ListRoles", False),
        ("GetParametersByPath", False),
        ("BatchGetThing", False),
        ("ValidateTemplate", False),
        ("ReceiveMessage", False),
        ("AssumeRole", False),
        ("CreateChangeSet", True),
        ("DetectStackDrift", True),
        ("GetawayDrive", True),
        ("Listen", True),
    ],
)
def test_reads_are_told_from_writes_by_name(action: str, expected: bool) -> None:
    assert is_mutating(action) is expected


def entry(number: int) -> Entry:
    return Entry(number, str(number), "1", "arn", False, "ec2", "RunInstances", "r", True, 200, None, False, 0.1)


def test_the_log_is_bounded_in_memory_and_on_disk(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "logs" / "calls.jsonl", keep=10, max_bytes=2000)
    for number in range(50):
        log.add(entry(number))
    assert [one.time for one in log.select(lambda _: True)] == list(range(40, 50))
    assert log.path.stat().st_size < 2500
    assert log.path.with_suffix(".1.jsonl").exists()
    log.close()
    log.add(entry(50))
    assert log.select(lambda _: True)[-1].time == 50


def post(aws: Any, name: str, token: str | None, **more: str) -> Any:
    headers = {"content-type": "application/json"} | ({"X-Sandbox-Token": token} if token else {})
    body = json.dumps({"name": name, **more}).encode()
    request = urllib.request.Request(aws.front.url + "/_sandbox/accounts", data=body, headers=headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def test_accounts_are_made_once_and_only_with_the_token(aws: Any) -> None:
    made = post(aws, "molecule-x", aws.front.token)
    assert post(aws, "molecule-x", aws.front.token) == made
    assert len(made["account_id"]) == 12
    assert made["access_key_id"].startswith("AKIA")
    assert made["principal_arn"] == f"arn:aws:iam::{made['account_id']}:user/admin"
    assert post(aws, "molecule-y", aws.front.token)["account_id"] != made["account_id"]
    for token in (None, "wrong"):
        with pytest.raises(urllib.error.HTTPError) as error:
            post(aws, "molecule-z", token)
        with error.value as answer:
            assert answer.code == 403
    with pytest.raises(urllib.error.HTTPError) as error:
        post(aws, "no/slashes", aws.front.token)
    with error.value as answer:
        assert answer.code == 400


def test_an_account_has_the_id_that_is_asked_for(aws: Any) -> None:
    made = post(aws, "numbered", aws.front.token, account_id="012345678901")
    assert made["account_id"] == "012345678901"
    assert made["principal_arn"] == "arn:aws:iam::012345678901:user/admin"
    keys = Credentials(made["access_key_id"], made["secret_access_key"])
    assert aws.client("sts", credentials=keys).get_caller_identity()["Account"] == "012345678901"
    assert post(aws, "numbered", aws.front.token) == made


@pytest.mark.parametrize(
    ("name", "more", "status", "says"),
    [
        ("of-id", {"account_id": "111122223334"}, 409, "account of-id is there already with the id 111122223333"),
        ("other", {"account_id": "111122223333"}, 409, "the id 111122223333 is that of the account of-id"),
        ("other", {"account_id": "1111"}, 400, "account id '1111': an AWS account id has 12 digits"),
        ("other", {"account_id": "\u0661" * 12}, 400, "an AWS account id has 12 digits"),
        ("other", {"id": "111122223333"}, 400, "unknown: id"),
    ],
)
def test_an_id_that_cannot_be_given_is_refused(
    aws: Any, name: str, more: dict[str, str], status: int, says: str
) -> None:
    post(aws, "of-id", aws.front.token, account_id="111122223333")
    before = len(aws.front.accounts.all())
    with pytest.raises(urllib.error.HTTPError) as error:
        post(aws, name, aws.front.token, **more)
    with error.value as answer:
        assert (answer.code, says in answer.read().decode()) == (status, True)
    assert len(aws.front.accounts.all()) == before


def test_the_token_is_private_and_stays(state_dir: Path) -> None:
    token = sandbox_token(state_dir)
    assert sandbox_token(state_dir) == token
    assert (state_dir / "token").stat().st_mode & 0o777 == 0o600


def test_a_service_of_our_own_is_asked(aws: Any) -> None:
    class Clusters:
        async def handle(self, call: Call) -> HttpResponse:
            if call.action != "DescribeCluster":
                raise RuntimeError("broken")
            return HttpResponse(200, {}, json.dumps({"cluster": {"name": call.request.path}}).encode())

    before = aws.front.gateway.services.get("eks")
    aws.front.register("eks", Clusters())
    try:
        eks = aws.client("eks")
        assert eks.describe_cluster(name="a b")["cluster"]["name"] == "/clusters/a%20b"
        with pytest.raises(ClientError) as error:
            eks.list_clusters()
        assert error.value.response["Error"]["Code"] == "InternalFailure"
    finally:
        aws.front.gateway.services.pop("eks")
        if before is not None:
            aws.front.register("eks", before)


def test_health_names_the_services(aws: Any) -> None:
    health = fetch(aws, "/_sandbox/health")
    assert health["status"] == "ok"
    assert {"ec2", "ssm", "pricing", "iam", "sts", "cloudformation", "sqs", "events"} <= set(health["services"])
