# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What of a role was changed by hand, and the call that puts it right. Pure: standard library only. Private.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-role.html
A role that is gone is not made anew here: another one of the same name is another principal, which access entries and
policies of others do not take for the old one: https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .model import Call, Drift, Expected, Live, gone


def compare_role(resource: Expected, live: Live) -> Iterator[Drift]:
    """Trust, attached policies and tags. Policies that others have attached stay."""
    have = live["role"].get(resource.physical_id)
    if have is None:
        yield gone(resource)
        return
    name = resource.physical_id
    trust = resource.properties.get("AssumeRolePolicyDocument")
    if trust is not None and normal(trust) != normal(have["AssumeRolePolicyDocument"]):
        call = Call("iam", "update_assume_role_policy", {"RoleName": name, "PolicyDocument": json.dumps(trust)})
        yield Drift(resource, "AssumeRolePolicyDocument", have["AssumeRolePolicyDocument"], trust, call)
    for arn in resource.properties.get("ManagedPolicyArns") or []:
        if arn not in have["AttachedPolicyArns"]:
            call = Call("iam", "attach_role_policy", {"RoleName": name, "PolicyArn": arn})
            yield Drift(resource, "ManagedPolicyArns", None, arn, call)
    tags = {item["Key"]: item["Value"] for item in have.get("Tags") or []}
    put = {key: value for key, value in resource.tags.items() if tags.get(key) != value}
    if put:
        listed = [{"Key": key, "Value": value} for key, value in put.items()]
        before = {key: tags[key] for key in put if key in tags}
        yield Drift(resource, "Tags", before, put, Call("iam", "tag_role", {"RoleName": name, "Tags": listed}))


def normal(document: Any) -> Any:
    """A policy so that two of the same meaning are equal: IAM takes one value and a list of one alike, in any order.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
    """
    if isinstance(document, Mapping):
        return {key: normal(value) for key, value in document.items()}
    if isinstance(document, list):
        items = sorted((normal(item) for item in document), key=lambda item: json.dumps(item, sort_keys=True))
        return items[0] if len(items) == 1 else items
    return str(document).lower() if isinstance(document, bool) else str(document)
