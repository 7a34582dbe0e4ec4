"""Networks refuse to lose what is in use. Mixed into moto's class of EC2 answers.

moto deletes subnets with interfaces in them, groups that are referred to, and addresses in use.
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html (DependencyViolation)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from sandbox.emulators.ec2.errors import client_error


def _violation(text: str) -> Exception:
    return client_error("DependencyViolation", text)


class Networks:
    """Operations that take parts of a VPC away."""

    params: Any
    ec2_backend: Any

    def delete_vpc(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteVpc.html"""
        vpc_id = self.params.get("VpcId", "")
        if next(_contents(self.ec2_backend, vpc_id), None):
            raise _violation(f"The vpc '{vpc_id}' has dependencies and cannot be deleted.")
        answer = cast(Any, super()).delete_vpc()
        acls = self.ec2_backend.network_acls  # the default one goes with the VPC; moto leaves it
        for name in [name for name, acl in acls.items() if acl.vpc_id == vpc_id]:
            del acls[name]
        return answer

    def delete_subnet(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSubnet.html"""
        subnet_id = self.params.get("SubnetId", "")
        self.ec2_backend.get_subnet(subnet_id)
        if any(interface.subnet.id == subnet_id for interface in self.ec2_backend.enis.values()):
            raise _violation(f"The subnet '{subnet_id}' has dependencies and cannot be deleted.")
        return cast(Any, super()).delete_subnet()

    def delete_security_group(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSecurityGroup.html"""
        group = self.ec2_backend.get_security_group_from_id(self.params.get("GroupId", ""))
        if group is not None:
            if group.name == "default":
                text = f'the specified group: "{group.id}" name: "default" cannot be deleted by a user'
                raise client_error("CannotDelete", text)
            if _in_use(self.ec2_backend, group):
                raise _violation(f"resource {group.id} has a dependent object")
        return cast(Any, super()).delete_security_group()

    def detach_internet_gateway(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DetachInternetGateway.html"""
        vpc_id = self.params.get("VpcId", "")
        if any(one.vpc_id == vpc_id and one.public_ip for one in self.ec2_backend.enis.values()):
            text = f"Network {vpc_id} has some mapped public address(es). Please unmap those public address(es) before "
            raise _violation(f"{text}detaching the gateway.")
        return cast(Any, super()).detach_internet_gateway()

    def release_address(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ReleaseAddress.html"""
        allocation_id = self.params.get("AllocationId")
        found = [one for one in self.ec2_backend.addresses if one.allocation_id == allocation_id]
        if allocation_id and found and found[0].association_id:
            raise client_error("InvalidIPAddress.InUse", f"Address {found[0].public_ip} is in use.")
        return cast(Any, super()).release_address()

    def delete_nat_gateway(self) -> Any:
        """moto forgets the interface and the address of a deleted NAT gateway.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteNatGateway.html
        """
        gateway_id = self.params.get("NatGatewayId", "")
        gateway = self.ec2_backend.nat_gateways.get(gateway_id)
        if gateway is None:
            raise client_error("NatGatewayNotFound", f"The Nat Gateway {gateway_id} was not found")
        answer = cast(Any, super()).delete_nat_gateway()
        for address in self.ec2_backend.addresses:
            if address.eni is gateway._eni:
                self.ec2_backend.disassociate_address(association_id=address.association_id)
        self.ec2_backend.enis.pop(gateway._eni.id, None)
        return answer

    def create_tags(self) -> Any:
        """moto tags instances that do not exist."""
        for resource in self.params.get("Resources") or []:
            if resource.startswith("i-") and self.ec2_backend.get_instance_by_id(resource) is None:
                raise client_error("InvalidInstanceID.NotFound", f"The instance ID '{resource}' does not exist")
            if resource.startswith("eni-") and resource not in self.ec2_backend.enis:
                text = f"The networkInterface ID '{resource}' does not exist"
                raise client_error("InvalidNetworkInterfaceID.NotFound", text)
        return cast(Any, super()).create_tags()


def _contents(backend: Any, vpc_id: str) -> Iterator[str]:
    """Ids of what keeps a VPC from being deleted."""
    yield from (subnet.id for zone in backend.subnets.values() for subnet in zone.values() if subnet.vpc_id == vpc_id)
    yield from (one.id for one in backend.internet_gateways.values() if one.vpc and one.vpc.id == vpc_id)
    yield from (one.id for one in backend.groups.get(vpc_id, {}).values() if one.name != "default")
    yield from (one.id for one in backend.enis.values() if one.vpc_id == vpc_id)
    endpoints = backend.vpc_end_points.values()
    yield from (one.id for one in endpoints if one.vpc_id == vpc_id and one.state != "deleted")
    gateways = backend.nat_gateways.values()
    yield from (one.id for one in gateways if one.vpc_id == vpc_id and one.state != "deleted")


def _in_use(backend: Any, group: Any) -> bool:
    if any(group.id in {one.id for one in interface.group_set} for interface in backend.enis.values()):
        return True
    others = [one for one in backend.groups.get(group.vpc_id, {}).values() if one.id != group.id]
    rules = [rule for other in others for rule in (*other.ingress_rules, *other.egress_rules)]
    return any(rule.source_group.get("GroupId") == group.id for rule in rules)
