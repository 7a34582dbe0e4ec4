"""Operations that AWS does not have, and those that the sandbox has not: never a success."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Keys
from botocore.exceptions import ClientError

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
    ("pricing", "list_price_lists", {"ServiceCode": "AmazonEC2", "EffectiveDate": 0, "CurrencyCode": "USD"}),
    ("elbv2", "describe_trust_stores", {}),
    ("elb", "describe_account_limits", {}),
    ("logs", "start_query", {"startTime": 1, "endTime": 2, "queryString": "fields @message"}),
    ("eks", "list_fargate_profiles", {"clusterName": "c"}),
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
