# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""How large the managed policies of a template become. Pure: standard library only. Private to the collection.

IAM counts the characters of a managed policy without white space and takes 6,144 of them:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .._core.errors import EksopsError

POLICY_MAXIMUM = 6_144
_PLACEHOLDER = re.compile(r"\$\{([^!][^}]*)\}")


def substitutions(*, cluster: str, partition: str, region: str, account: str) -> dict[str, str]:
    """What CloudFormation puts in for the references of our templates."""
    return {
        "ClusterName": cluster,
        "AWS::Partition": partition,
        "AWS::Region": region,
        "AWS::AccountId": account,
        "AWS::URLSuffix": "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com",
    }


def policy_sizes(template: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, int]:
    """Characters of each managed policy of a canonical template, by logical id.

    References to other resources count as their ARN, made of the resource's own name.
    """
    sizes = {}
    for logical_id, resource in template["Resources"].items():
        if resource.get("Type") == "AWS::IAM::ManagedPolicy":
            document = _resolve(resource["Properties"]["PolicyDocument"], template, values)
            text = json.dumps(document, separators=(",", ":"))
            sizes[logical_id] = len(re.sub(r"\s", "", text))
    return sizes


def policy_errors(template: Mapping[str, Any], values: Mapping[str, str], where: str) -> list[EksopsError]:
    """The managed policies that IAM would refuse for their size."""
    return [
        EksopsError(
            f"Policy {logical_id} has {size} characters for cluster {values.get('ClusterName')!r}",
            where=where,
            allowed=f"{POLICY_MAXIMUM} characters, white space not counted",
            next_step="choose a shorter cluster name, or split the policy",
        )
        for logical_id, size in policy_sizes(template, values).items()
        if size > POLICY_MAXIMUM
    ]


def _resolve(value: Any, template: Mapping[str, Any], values: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_resolve(item, template, values) for item in value]
    if isinstance(value, str):
        return value
    if len(value) == 1:
        function, argument = next(iter(value.items()))
        if function == "Fn::Sub":
            return _substitute(argument, template, values)
        if function == "Ref":
            return _reference(argument, template, values)
        if function == "Fn::GetAtt":
            return _reference(".".join(argument), template, values)
    return {_substitute(key, template, values): _resolve(item, template, values) for key, item in value.items()}


def _substitute(value: Any, template: Mapping[str, Any], values: Mapping[str, str]) -> Any:
    # Below Fn::Sub there may be data: JSON text in its canonical form.
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda found: _reference(found[1], template, values), value)
    if isinstance(value, list):
        return [_substitute(item, template, values) for item in value]
    return {_substitute(key, template, values): _substitute(item, template, values) for key, item in value.items()}


def _reference(name: str, template: Mapping[str, Any], values: Mapping[str, str]) -> str:
    if name in values:
        return values[name]
    properties = template["Resources"].get(name.partition(".")[0], {}).get("Properties", {})
    own = next((item for key, item in properties.items() if key.endswith("Name")), name)
    service = "iam::{AWS::AccountId}:role/" if "RoleName" in properties else "sqs:{AWS::Region}:{AWS::AccountId}:"
    for key, item in values.items():
        service = service.replace(f"{{{key}}}", item)
    return f"arn:{values['AWS::Partition']}:{service}{_resolve(own, template, values)}"
