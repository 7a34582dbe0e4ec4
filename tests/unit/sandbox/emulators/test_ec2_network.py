"""Networks keep what is in use; tags go with what they were on; dry runs and immutable answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto


@pytest.fixture
def ec2(aws: Any) -> Any:
    return aws.client("ec2")


def code(error: pytest.ExceptionInfo[ClientError]) -> str:
    return str(error.value.response["Error"]["Code"])


@pytest.fixture
def vpc(ec2: Any) -> str:
    name: str = ec2.create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
    return name


@pytest.fixture
def subnet(ec2: Any, vpc: str) -> str:
    name: str = ec2.create_subnet(VpcId=vpc, CidrBlock="10.7.0.0/24")["Subnet"]["SubnetId"]
    return name


def test_a_vpc_with_a_gateway_a_group_or_a_subnet_stays(ec2: Any, vpc: str) -> None:
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    with pytest.raises(ClientError) as error:
        ec2.delete_vpc(VpcId=vpc)
    assert code(error) == "DependencyViolation"
    ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
    with pytest.raises(ClientError) as error:
        ec2.delete_vpc(VpcId=vpc)
    assert code(error) == "DependencyViolation"
    ec2.delete_security_group(GroupId=group)
    ec2.delete_vpc(VpcId=vpc)
    with pytest.raises(ClientError) as error:
        ec2.describe_vpcs(VpcIds=[vpc])
    assert code(error) == "InvalidVpcID.NotFound"


def test_a_group_that_is_used_or_referred_to_stays(ec2: Any, vpc: str, subnet: str) -> None:
    one = ec2.create_security_group(GroupName="one", Description="g", VpcId=vpc)["GroupId"]
    two = ec2.create_security_group(GroupName="two", Description="g", VpcId=vpc)["GroupId"]
    rule = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": one}]}]
    ec2.authorize_security_group_ingress(GroupId=two, IpPermissions=rule)
    with pytest.raises(ClientError) as error:
        ec2.delete_security_group(GroupId=one)
    assert code(error) == "DependencyViolation"
    ec2.revoke_security_group_ingress(GroupId=two, IpPermissions=rule)
    eni = ec2.create_network_interface(SubnetId=subnet, Groups=[one])["NetworkInterface"]["NetworkInterfaceId"]
    with pytest.raises(ClientError) as error:
        ec2.delete_security_group(GroupId=one)
    assert code(error) == "DependencyViolation"
    with pytest.raises(ClientError) as error:
        ec2.delete_subnet(SubnetId=subnet)
    assert code(error) == "DependencyViolation"
    ec2.delete_network_interface(NetworkInterfaceId=eni)
    ec2.delete_security_group(GroupId=one)
    ec2.delete_subnet(SubnetId=subnet)


def test_the_default_group_cannot_be_deleted(ec2: Any, vpc: str) -> None:
    groups = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["SecurityGroups"]
    with pytest.raises(ClientError) as error:
        ec2.delete_security_group(GroupId=groups[0]["GroupId"])
    assert code(error) == "CannotDelete"


def test_an_address_in_use_stays_until_its_gateway_is_gone(ec2: Any, vpc: str, subnet: str) -> None:
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]["NatGatewayId"]
    with pytest.raises(ClientError) as error:
        ec2.release_address(AllocationId=address)
    assert code(error) == "InvalidIPAddress.InUse"
    with pytest.raises(ClientError) as error:
        ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    assert code(error) == "DependencyViolation"
    ec2.delete_nat_gateway(NatGatewayId=nat)
    ec2.release_address(AllocationId=address)
    ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    with pytest.raises(ClientError) as error:
        ec2.delete_nat_gateway(NatGatewayId="nat-0")
    assert code(error) == "NatGatewayNotFound"


def _launch(ec2: Any, subnet: str, number: int = 1) -> list[tuple[str, str]]:
    image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    launched = ec2.run_instances(
        ImageId=image, InstanceType="m5.large", MinCount=number, MaxCount=number, SubnetId=subnet
    )
    return [(one["InstanceId"], one["PrivateIpAddress"]) for one in launched["Instances"]]


def test_an_address_that_was_given_back_is_given_again_last(ec2: Any, vpc: str) -> None:
    small = ec2.create_subnet(VpcId=vpc, CidrBlock="10.7.9.0/28")["Subnet"]["SubnetId"]
    [(gone, freed)] = _launch(ec2, small)
    ec2.terminate_instances(InstanceIds=[gone])
    given = [address for _, address in _launch(ec2, small, 10)]
    assert freed not in given
    assert [address for _, address in _launch(ec2, small)] == [freed]
    with pytest.raises(ClientError) as error:
        _launch(ec2, small)
    assert code(error) == "InsufficientFreeAddressesInSubnet"


def test_tags_go_with_what_they_were_on(ec2: Any, vpc: str, subnet: str) -> None:
    ec2.create_tags(Resources=[vpc, subnet], Tags=[{"Key": "karpenter.sh/discovery", "Value": "demo"}])
    wanted = [{"Name": "key", "Values": ["karpenter.sh/discovery"]}]
    assert {one["ResourceId"] for one in ec2.describe_tags(Filters=wanted)["Tags"]} == {vpc, subnet}
    ec2.delete_subnet(SubnetId=subnet)
    assert {one["ResourceId"] for one in ec2.describe_tags(Filters=wanted)["Tags"]} == {vpc}
    found = ec2.describe_vpcs(Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": ["demo"]}])["Vpcs"]
    assert [one["VpcId"] for one in found] == [vpc]


def test_tags_name_resource_types_as_ec2_does(ec2: Any, subnet: str) -> None:
    made = ec2.create_nat_gateway(
        SubnetId=subnet,
        ConnectivityType="private",
        TagSpecifications=[{"ResourceType": "natgateway", "Tags": [{"Key": "a", "Value": "b"}]}],
    )["NatGateway"]["NatGatewayId"]
    for wanted in ({"Name": "resource-id", "Values": [made]}, {"Name": "resource-type", "Values": ["natgateway"]}):
        assert [tag["ResourceType"] for tag in ec2.describe_tags(Filters=[wanted])["Tags"]] == ["natgateway"]
    ec2.allocate_address(
        Domain="vpc", TagSpecifications=[{"ResourceType": "elastic-ip", "Tags": [{"Key": "a", "Value": "ip"}]}]
    )
    of_address = [{"Name": "resource-type", "Values": ["elastic-ip"]}]
    assert [tag["Value"] for tag in ec2.describe_tags(Filters=of_address)["Tags"]] == ["ip"]


def test_tags_of_aws_are_not_for_users(ec2: Any, vpc: str) -> None:
    with pytest.raises(ClientError) as error:
        ec2.create_tags(Resources=[vpc], Tags=[{"Key": "aws:eks:cluster-name", "Value": "x"}])
    assert code(error) == "InvalidParameterValue"


def test_a_dry_run_never_does_the_thing(ec2: Any, vpc: str, subnet: str) -> None:
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: ec2.delete_vpc(VpcId=vpc, DryRun=True),
        lambda: ec2.delete_subnet(SubnetId=subnet, DryRun=True),
        lambda: ec2.create_vpc(CidrBlock="10.8.0.0/16", DryRun=True),
        lambda: ec2.describe_vpcs(DryRun=True),
    )
    for attempt in attempts:
        with pytest.raises(ClientError) as error:
            attempt()
        assert code(error) == "DryRunOperation"
    assert {one["CidrBlock"] for one in ec2.describe_vpcs()["Vpcs"]} == {"172.31.0.0/16", "10.7.0.0/16"}
    assert ec2.describe_subnets(SubnetIds=[subnet])["Subnets"]


def test_large_answers_are_rendered_once(aws: Any, other_aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[str] = []
    dispatch = moto.dispatch

    def counting(responses: Any, call: Call) -> HttpResponse:
        if call.action == "DescribeInstanceTypes":  # services of other tests ask for other things meanwhile
            rendered.append(call.action)
        return dispatch(responses, call)

    monkeypatch.setattr(moto, "dispatch", counting)
    filters = [{"Name": "instance-type", "Values": ["c7g.large", "c7g.xlarge"]}]
    first = aws.client("ec2").describe_instance_types(Filters=filters)["InstanceTypes"]
    second = other_aws.client("ec2").describe_instance_types(Filters=filters)["InstanceTypes"]
    assert first == second
    assert len(first) == 2
    assert rendered == ["DescribeInstanceTypes"]
    with pytest.raises(ClientError) as error:
        aws.client("ec2").describe_instance_types(InstanceTypes=["unicorn.large"])
    assert code(error) == "InvalidInstanceType"


def test_a_region_that_aws_does_not_have_is_refused(aws: Any) -> None:
    with pytest.raises(ClientError) as error:
        aws.client("ec2", "mars-north-1").describe_vpcs()
    assert code(error) == "AuthFailure"
