"""Many callers at once: nothing is lost, doubled or answered with a failure."""

from __future__ import annotations

import asyncio
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sandbox.emulators import ministack


def test_launches_and_listings_at_the_same_time(aws: Any) -> None:
    ec2 = aws.client("ec2")
    path = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    image = aws.client("ssm").get_parameter(Name=path)["Parameter"]["Value"]
    ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData={"ImageId": image})

    def launch(number: int) -> str:
        answer = ec2.create_fleet(
            Type="instant",
            LaunchTemplateConfigs=[
                {
                    "LaunchTemplateSpecification": {"LaunchTemplateName": "nodes"},
                    "Overrides": [{"InstanceType": "c6a.large"}],
                }
            ],
            TargetCapacitySpecification={"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "on-demand"},
            TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "n", "Value": str(number)}]}],
        )
        identifier: str = answer["Instances"][0]["InstanceIds"][0]
        return identifier

    def look(_: int) -> int:
        return len(ec2.describe_instances(Filters=[{"Name": "tag-key", "Values": ["n"]}])["Reservations"])

    with ThreadPoolExecutor(12) as pool:
        looks = pool.map(look, range(40))
        launched = list(pool.map(launch, range(40)))
        assert max(looks) <= 40
    assert len(set(launched)) == 40
    found = [one for group in ec2.describe_instances()["Reservations"] for one in group["Instances"]]
    assert len(found) == 40
    assert len({one["PrivateIpAddress"] for one in found}) == 40
    failed = aws.front.log.select(lambda one: one.account == aws.id and one.error is not None)
    assert failed == []


def test_accounts_that_wait_for_a_stack_do_not_keep_ec2_from_it(aws: Any) -> None:
    """A stack holds ministack's loop until EC2 has answered; new accounts need that loop, and may not need EC2's."""
    ec2, prefix, asked, seen = aws.client("ec2"), uuid.uuid4().hex, threading.Event(), []

    async def stack() -> None:
        asked.wait(10)  # ministack's loop is held, as by a resource of a stack
        seen.extend(ec2.describe_vpcs()["Vpcs"])

    async def account(number: int) -> str:
        made = await aws.front.create_account(f"{prefix}-{number}")
        return str(made.account_id)

    async def accounts() -> list[str]:
        tasks = [asyncio.ensure_future(account(number)) for number in range(40)]
        await asyncio.sleep(0.3)
        asked.set()
        return await asyncio.gather(*tasks)

    holding = asyncio.run_coroutine_threadsafe(stack(), ministack.loop().loop)
    made = asyncio.run_coroutine_threadsafe(accounts(), aws.loop).result(30)
    holding.result(1)
    assert len(seen) == 1
    assert len(set(made)) == 40
