"""What the agent reads of an account, from the sandbox's own EC2 and IAM."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from sandbox.agent.bootconfig import BootError
from sandbox.agent.ec2 import Account
from sandbox.agent.hub import Hub
from sandbox.agent.settings import SettingsFile
from tests.unit.waiting import HANGS_SECONDS

if TYPE_CHECKING:
    from tests.unit.sandbox.conftest import Aws

REGION = "us-west-2"
USER_DATA = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster: {name: demo}\n"


@pytest.fixture
def account(aws: Aws) -> Account:
    return Account(aws.front, aws.id, REGION)


def launch(aws: Aws, **more: Any) -> dict[str, Any]:
    ec2 = aws.client("ec2")
    image = ec2.describe_images(
        Owners=["amazon"], Filters=[{"Name": "name", "Values": ["amazon-eks-node-al2023-x86_64-standard-1.36-*"]}]
    )["Images"][0]
    started = ec2.run_instances(ImageId=image["ImageId"], InstanceType="m5.large", MinCount=1, MaxCount=1, **more)
    instance: dict[str, Any] = started["Instances"][0]
    return instance


def test_instances_are_seen_until_they_are_terminated(aws: Aws, account: Account) -> None:
    assert not account.instances()
    assert not account.states()
    started = launch(aws)
    found = account.instances()[started["InstanceId"]]
    assert account.states().keys() == {found.id}
    assert (found.type, found.zone) == ("m5.large", started["Placement"]["AvailabilityZone"])
    assert found.private_dns == started["PrivateDnsName"]
    assert found.region == REGION
    aws.client("ec2").terminate_instances(InstanceIds=[found.id])
    assert found.id not in account.states() or account.states()[found.id] == "shutting-down"


def test_user_data_comes_as_it_was_given(aws: Aws, account: Account) -> None:
    given = launch(aws, UserData=USER_DATA)
    assert account.user_data(given["InstanceId"]) == USER_DATA.encode()
    assert account.user_data(launch(aws)["InstanceId"]) == b""


def test_facts_of_an_instance_are_found(aws: Aws, account: Account) -> None:
    started = launch(aws)
    found = account.instances()[started["InstanceId"]]
    assert account.image(found.image_id).family.name == "AL2023"
    assert (account.shape("m5.large").vcpus, account.shape("m5.large").interfaces) == (2, 3)
    assert account.shape("m7g.large").architecture == "arm64"
    assert str(account.zone_id(found.zone)).startswith("usw2-az")
    assert account.zone_id("mars-1a") is None
    assert "/" in account.subnet_cidr(found.subnet_id)
    assert account.disk_gib(found.root_volume) == 20
    assert account.disk_gib(None) == 20


def test_the_role_is_the_one_in_the_profile(aws: Aws, account: Account) -> None:
    iam = aws.client("iam")
    trust = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},'
    role = iam.create_role(RoleName="node", AssumeRolePolicyDocument=trust + '"Action":"sts:AssumeRole"}]}')["Role"]
    profile = iam.create_instance_profile(InstanceProfileName="node", Path="/karpenter/x/")["InstanceProfile"]["Arn"]
    with pytest.raises(LookupError, match="instance profile node has no role"):
        account.role_arn(profile)
    iam.add_role_to_instance_profile(InstanceProfileName="node", RoleName="node")
    assert account.role_arn(profile) == role["Arn"]
    with pytest.raises(LookupError, match="instance profile none does not exist"):
        account.role_arn("arn:aws:iam::1:instance-profile/none")


async def test_an_instance_without_boot_data_is_logged_and_left_alone(aws: Aws, tmp_path: Any) -> None:
    (tmp_path / "agent.json").write_text('{"poll_seconds": 0.05}', encoding="utf-8")
    hub = Hub(aws.front, aws.id, REGION, SettingsFile(tmp_path / "agent.json"), tmp_path / "logs")
    bad, good = launch(aws, UserData="#!/bin/sh\n"), launch(aws, UserData=USER_DATA + "    \n")
    seen: list[tuple[set[str], set[str]]] = []

    class Cluster:
        async def update(self, instances: Any, machines: Any) -> None:
            seen.append((set(instances), set(machines)))
            if len(seen) > 1:
                twice.set()

    cluster, twice = Cluster(), asyncio.Event()
    hub.subscribe(cluster)
    await asyncio.wait_for(twice.wait(), HANGS_SECONDS)
    await hub.unsubscribe(cluster)
    assert hub.last_error is None
    assert seen[-1] == ({bad["InstanceId"], good["InstanceId"]}, set())
    log = (tmp_path / "logs" / f"{bad['InstanceId']}.log").read_text(encoding="utf-8")
    assert "nodeadm: fatal: no config in chain" in log
    log = (tmp_path / "logs" / f"{good['InstanceId']}.log").read_text(encoding="utf-8")
    assert log.count("fatal: Apiserver endpoint is missing in cluster configuration") == 1


async def test_calls_do_not_need_the_threads_that_the_front_answers_with(account: Account) -> None:
    loop, held = asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    blocked = loop.run_in_executor(None, held.wait)
    try:
        assert await asyncio.wait_for(account.run(account.states), HANGS_SECONDS) == {}
    finally:
        held.set()
        await blocked
        account.close()


def test_boot_errors_are_value_errors() -> None:
    assert issubclass(BootError, ValueError)
