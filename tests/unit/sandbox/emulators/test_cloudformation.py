"""Stacks: EC2 types land in the one EC2 store, failures roll back, what is in use cannot be deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.unit.waiting import until

from .stacks import NETWORK, Stacks, counts, outputs


def test_a_network_is_made_in_ec2_and_taken_away_again(stacks: Stacks) -> None:
    before = counts(stacks.ec2)
    stack = stacks.create("net", NETWORK, Tags=[{"Key": "team", "Value": "x"}])
    assert stack["StackStatus"] == "CREATE_COMPLETE", stacks.reasons("net", "CREATE_FAILED")
    made = outputs(stack)
    vpc = stacks.ec2.describe_vpcs(VpcIds=[made["VpcId"]])["Vpcs"][0]
    tags = {one["Key"]: one["Value"] for one in vpc["Tags"]}
    assert tags == {
        "Name": "demo",
        "team": "x",
        "aws:cloudformation:stack-name": "net",
        "aws:cloudformation:stack-id": stack["StackId"],
        "aws:cloudformation:logical-id": "Vpc",
    }
    attribute = stacks.ec2.describe_vpc_attribute(VpcId=made["VpcId"], Attribute="enableDnsHostnames")
    assert attribute["EnableDnsHostnames"]["Value"] is True
    subnet = stacks.ec2.describe_subnets(SubnetIds=[made["Subnet"]])["Subnets"][0]
    assert (subnet["CidrBlock"], subnet["AvailabilityZone"]) == ("10.42.0.0/20", made["Zone"])
    assert subnet["MapPublicIpOnLaunch"] is True
    found = stacks.ec2.describe_route_tables(Filters=[{"Name": "association.subnet-id", "Values": [made["Subnet"]]}])
    routes = {one.get("DestinationCidrBlock"): one.get("GatewayId") for one in found["RouteTables"][0]["Routes"]}
    assert routes["0.0.0.0/0"].startswith("igw-")
    [nat] = stacks.ec2.describe_nat_gateways()["NatGateways"]
    assert {one["Key"] for one in nat["Tags"]} >= {"aws:cloudformation:stack-name", "team"}
    group = next(
        one for one in stacks.ec2.describe_security_groups()["SecurityGroups"] if one["Description"] == "nodes"
    )
    assert {one["IpProtocol"] for one in group["IpPermissions"]} == {"tcp", "-1"}
    assert stacks.delete(stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    assert counts(stacks.ec2) == before


def test_stacks_of_two_regions_and_accounts_do_not_meet(aws: Any, other_aws: Any) -> None:
    ireland, other = Stacks(aws, "eu-west-1"), Stacks(other_aws)
    assert ireland.create("net", NETWORK)["StackStatus"] == "CREATE_COMPLETE"
    assert len(ireland.ec2.describe_vpcs()["Vpcs"]) == 2
    assert len(aws.client("ec2").describe_vpcs()["Vpcs"]) == 1
    assert len(other.ec2.describe_vpcs()["Vpcs"]) == 1
    with pytest.raises(ClientError, match="does not exist"):
        other.client.describe_stacks(StackName="net")


def test_a_resource_that_cannot_be_rolls_the_stack_back(stacks: Stacks) -> None:
    before = counts(stacks.ec2)
    template = json.loads(json.dumps(NETWORK))
    template["Resources"]["Nat"]["Properties"]["SubnetId"] = "subnet-00000000"
    stack = stacks.create("broken", template)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert any("subnet-00000000" in reason for reason in stacks.reasons("broken", "CREATE_FAILED"))
    assert counts(stacks.ec2) == before


def test_a_network_in_use_is_not_deleted(stacks: Stacks) -> None:
    stack = stacks.create("net", NETWORK)
    made = outputs(stack)
    stray = stacks.ec2.create_security_group(GroupName="stray", Description="s", VpcId=made["VpcId"])["GroupId"]
    eni = stacks.ec2.create_network_interface(SubnetId=made["Subnet"])["NetworkInterface"]["NetworkInterfaceId"]
    ended = stacks.delete(stack["StackId"])
    assert ended["StackStatus"] == "DELETE_FAILED"
    reasons = " ".join(stacks.reasons(stack["StackId"], "DELETE_FAILED"))
    assert f"The vpc '{made['VpcId']}' has dependencies and cannot be deleted." in reasons
    assert f"The subnet '{made['Subnet']}' has dependencies" in reasons
    stacks.ec2.delete_network_interface(NetworkInterfaceId=eni)
    stacks.ec2.delete_security_group(GroupId=stray)
    assert stacks.delete(stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"


def test_updates_change_in_place_or_replace(stacks: Stacks) -> None:
    made = outputs(stacks.create("net", NETWORK))
    template = json.loads(json.dumps(NETWORK))
    template["Resources"]["PublicA"]["Properties"]["Tags"][0]["Value"] = "other"
    template["Resources"]["PublicA"]["Properties"]["MapPublicIpOnLaunch"] = False
    template["Resources"]["Group"]["Properties"]["SecurityGroupIngress"][0]["FromPort"] = 80
    stack = stacks.update("net", template)
    assert stack["StackStatus"] == "UPDATE_COMPLETE", stacks.reasons("net", "UPDATE_FAILED")
    assert outputs(stack) == made
    subnet = stacks.ec2.describe_subnets(SubnetIds=[made["Subnet"]])["Subnets"][0]
    assert {"Key": "karpenter.sh/discovery", "Value": "other"} in subnet["Tags"]
    assert subnet["MapPublicIpOnLaunch"] is False
    group = next(
        one for one in stacks.ec2.describe_security_groups()["SecurityGroups"] if one["Description"] == "nodes"
    )
    assert sorted(one.get("FromPort", 0) for one in group["IpPermissions"]) == [0, 80]
    template["Resources"]["Group"]["Properties"]["GroupDescription"] = "new nodes"
    stack = stacks.update("net", template)
    assert stack["StackStatus"] == "UPDATE_COMPLETE", stacks.reasons("net", "UPDATE_FAILED")
    assert "nodes" not in {one["Description"] for one in stacks.ec2.describe_security_groups()["SecurityGroups"]}


def test_an_update_without_a_change_is_refused(stacks: Stacks) -> None:
    stacks.create("net", NETWORK)
    with pytest.raises(ClientError) as error:
        stacks.update("net", NETWORK)
    assert error.value.response["Error"] == {
        "Type": "Sender",
        "Code": "ValidationError",
        "Message": "No updates are to be performed.",
    }


def test_types_of_services_that_are_not_here_fail(stacks: Stacks) -> None:
    for kind in ("AWS::S3::Bucket", "AWS::EKS::Cluster", "AWS::EC2::LaunchTemplate", "AWS::SSM::Parameter"):
        with pytest.raises(ClientError, match="Unrecognized resource types"):
            stacks.create("other", {"Resources": {"B": {"Type": kind}}})


def change_set(stacks: Stacks, name: str, template: dict[str, Any], kind: str) -> dict[str, Any]:
    stacks.client.create_change_set(
        StackName=name, ChangeSetName="c", TemplateBody=json.dumps(template), ChangeSetType=kind
    )

    def look() -> dict[str, Any] | None:
        shown: dict[str, Any] = stacks.client.describe_change_set(StackName=name, ChangeSetName="c")
        return shown if shown["Status"] in ("CREATE_COMPLETE", "FAILED") else None

    settled: dict[str, Any] = until(look, "the change set")
    return settled


def test_change_sets_preview_and_leave_nothing(stacks: Stacks) -> None:
    shown = change_set(stacks, "new", NETWORK, "CREATE")
    assert {one["ResourceChange"]["Action"] for one in shown["Changes"]} == {"Add"}
    assert stacks.client.describe_stacks(StackName="new")["Stacks"][0]["StackStatus"] == "REVIEW_IN_PROGRESS"
    stacks.client.delete_change_set(StackName="new", ChangeSetName="c")
    stacks.client.delete_stack(StackName="new")
    assert len(stacks.ec2.describe_vpcs()["Vpcs"]) == 1

    stacks.create("net", NETWORK)
    template = json.loads(json.dumps(NETWORK))
    template["Resources"]["Group"]["Properties"]["GroupDescription"] = "new nodes"
    shown = change_set(stacks, "net", template, "UPDATE")
    changes = {one["ResourceChange"]["LogicalResourceId"]: one["ResourceChange"] for one in shown["Changes"]}
    assert (changes["Group"]["Action"], changes["Group"]["Replacement"]) == ("Modify", "True")
    stacks.client.delete_change_set(StackName="net", ChangeSetName="c")
    shown = change_set(stacks, "net", NETWORK, "UPDATE")
    assert shown["Status"] == "FAILED"
    assert "didn't contain changes" in shown["StatusReason"]


def test_termination_protection_holds(stacks: Stacks) -> None:
    stack = stacks.create("net", {"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}}, EnableTerminationProtection=True)
    with pytest.raises(ClientError, match="TerminationProtection is enabled"):
        stacks.client.delete_stack(StackName="net")
    stacks.client.update_termination_protection(StackName="net", EnableTerminationProtection=False)
    assert stacks.delete(stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"


def test_template_and_resources_can_be_read(stacks: Stacks) -> None:
    stacks.create("net", NETWORK, Tags=[{"Key": "team", "Value": "x"}])
    assert stacks.client.get_template(StackName="net")["TemplateBody"] == NETWORK
    resources = stacks.client.describe_stack_resources(StackName="net")["StackResources"]
    assert {one["LogicalResourceId"] for one in resources} == set(NETWORK["Resources"])
    assert {one["ResourceStatus"] for one in resources} == {"CREATE_COMPLETE"}
    assert stacks.client.describe_stacks(StackName="net")["Stacks"][0]["Tags"] == [{"Key": "team", "Value": "x"}]


JOINED: dict[str, Any] = {
    "Parameters": {"Names": {"Type": "CommaDelimitedList", "Default": ""}},
    "Conditions": {"Given": {"Fn::Not": [{"Fn::Equals": [{"Fn::Join": ["", {"Ref": "Names"}]}, ""]}]}},
    "Resources": {
        "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": {"Fn::If": ["Given", "given", "empty"]}}}
    },
}


@pytest.mark.parametrize(("names", "queue"), [("", "empty"), ("a,b", "given")])
def test_a_condition_may_join_a_list(stacks: Stacks, names: str, queue: str) -> None:
    parameters = [{"ParameterKey": "Names", "ParameterValue": names}]
    stack = stacks.create("joined", JOINED, Parameters=parameters)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    listed = stacks.client.describe_stack_resources(StackName="joined")["StackResources"]
    assert [one["PhysicalResourceId"].rpartition("/")[2] for one in listed] == [queue]
