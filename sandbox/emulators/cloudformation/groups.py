"""AWS::EC2:: SecurityGroup, SecurityGroupIngress, SecurityGroupEgress.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
"""

from __future__ import annotations

import secrets
from typing import Any, Literal

from sandbox.emulators.cloudformation.calls import Properties, Result, call, remove, tag_specification, update_tags
from sandbox.emulators.cloudformation.types import ResourceType

Direction = Literal["ingress", "egress"]
_EVERYTHING_OUT = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}


def _permission(rule: Properties) -> dict[str, Any]:
    """A template's rule as the EC2 API takes it."""
    permission: dict[str, Any] = {"IpProtocol": str(rule.get("IpProtocol", "-1"))}
    permission |= {name: int(rule[name]) for name in ("FromPort", "ToPort") if name in rule}
    text = {"Description": rule["Description"]} if rule.get("Description") else {}
    group = rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")
    prefixes = rule.get("SourcePrefixListId") or rule.get("DestinationPrefixListId")
    if rule.get("CidrIp"):
        permission["IpRanges"] = [{"CidrIp": rule["CidrIp"]} | text]
    if rule.get("CidrIpv6"):
        permission["Ipv6Ranges"] = [{"CidrIpv6": rule["CidrIpv6"]} | text]
    if group:
        permission["UserIdGroupPairs"] = [{"GroupId": group} | text]
    if prefixes:
        permission["PrefixListIds"] = [{"PrefixListId": prefixes} | text]
    return permission


def _permissions(properties: Properties, direction: Direction) -> list[dict[str, Any]]:
    return [_permission(rule) for rule in properties.get(f"SecurityGroup{direction.title()}") or []]


def _authorize(group: str, direction: Direction, permissions: list[dict[str, Any]]) -> Any:
    return call(f"authorize_security_group_{direction}", GroupId=group, IpPermissions=permissions)


def _revoke(group: str, direction: Direction, permissions: list[dict[str, Any]]) -> None:
    remove(f"revoke_security_group_{direction}", GroupId=group, IpPermissions=permissions)


def _create_group(logical_id: str, properties: Properties, stack: str) -> Result:
    name = properties.get("GroupName") or f"{stack}-{logical_id}-{secrets.token_hex(6).upper()}"
    group = call(
        "create_security_group",
        GroupName=name,
        Description=properties.get("GroupDescription"),
        VpcId=properties.get("VpcId"),
        TagSpecifications=tag_specification("security-group", properties),
    )["GroupId"]
    if ingress := _permissions(properties, "ingress"):
        _authorize(group, "ingress", ingress)
    if egress := _permissions(properties, "egress"):
        _revoke(group, "egress", [_EVERYTHING_OUT])
        _authorize(group, "egress", egress)
    return group, _group_attributes(group)


def _group_attributes(group: str) -> dict[str, Any]:
    shown = call("describe_security_groups", GroupIds=[group])["SecurityGroups"][0]
    return {"GroupId": group, "Id": group, "VpcId": shown.get("VpcId", "")}


def _update_group(group: str, old: Properties, new: Properties, _: str) -> Result:
    directions: tuple[Direction, ...] = ("ingress", "egress")
    for direction in directions:
        before, after = _permissions(old, direction), _permissions(new, direction)
        if direction == "egress" and before != after and not before:
            before = [_EVERYTHING_OUT]
        if gone := [rule for rule in before if rule not in after]:
            _revoke(group, direction, gone)
        if added := [rule for rule in after if rule not in before]:
            _authorize(group, direction, added)
    update_tags(group, old, new)
    return group, _group_attributes(group)


def _rule_type(direction: Direction) -> ResourceType:
    def create(_: str, properties: Properties, __: str) -> Result:
        answer = _authorize(properties["GroupId"], direction, [_permission(properties)])
        rule = answer["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return rule, {"Id": rule}

    def delete(_: str, properties: Properties) -> None:
        _revoke(properties["GroupId"], direction, [_permission(properties)])

    shared = ("GroupId", "IpProtocol", "FromPort", "ToPort", "CidrIp", "CidrIpv6", "Description")
    side = ("SourceSecurityGroupId", "SourcePrefixListId", "DestinationSecurityGroupId", "DestinationPrefixListId")
    return ResourceType(create, delete, replacing=shared + side)


TYPES = {
    "AWS::EC2::SecurityGroup": ResourceType(
        _create_group,
        lambda group, _: remove("delete_security_group", GroupId=group),
        _update_group,
        ("GroupName", "GroupDescription", "VpcId"),
        tagged=True,
    ),
    "AWS::EC2::SecurityGroupIngress": _rule_type("ingress"),
    "AWS::EC2::SecurityGroupEgress": _rule_type("egress"),
}
