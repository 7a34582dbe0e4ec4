"""Never a yes to what is not implemented; every call in the log; the sandbox's own routes."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.contracts import Call, Credentials, HttpResponse
from sandbox.front.accounts import sandbox_token
from sandbox.front.calllog import CallLog, Entry
from sandbox.front.catalog import is_mutating


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
