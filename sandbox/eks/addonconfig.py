"""Configuration values of add-ons: the schema that the API shows, checks against it, and their effect. Pure.

https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-field-management.html
https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonConfiguration.html
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import yaml

from sandbox.eks.errors import invalid_parameter

_OBJECT = {"type": "object"}
_COMMON: dict[str, Any] = {
    "affinity": _OBJECT,
    "nodeSelector": {"type": "object", "additionalProperties": {"type": "string"}},
    "podAnnotations": {"type": "object", "additionalProperties": {"type": "string"}},
    "podLabels": {"type": "object", "additionalProperties": {"type": "string"}},
    "resources": {
        "type": "object",
        "additionalProperties": False,
        "properties": {"limits": _OBJECT, "requests": _OBJECT},
    },
    "tolerations": {"type": "array", "items": _OBJECT},
}
_OWN: dict[str, dict[str, Any]] = {
    "vpc-cni": {"env": {"type": "object", "additionalProperties": {"type": "string"}}},
    "kube-proxy": {},
    "coredns": {
        "replicaCount": {"type": "integer", "minimum": 0},
        "topologySpreadConstraints": {"type": "array", "items": _OBJECT},
    },
    "eks-pod-identity-agent": {},
}


def schema(addon: str) -> dict[str, Any]:
    """The JSON schema of an add-on's configuration values; AWS knows more values than these."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "additionalProperties": False,
        "properties": _COMMON | _OWN.get(addon, {}),
    }


def parse(addon: str, text: str | None) -> dict[str, Any]:
    """The configuration values in ``text`` (JSON or YAML). Raises InvalidParameterException."""
    if not text:
        return {}
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise invalid_parameter(f"ConfigurationValue is neither JSON nor YAML: {error}", addonName=addon) from error
    problems = list(_violations(values or {}, schema(addon), "$"))
    if problems:
        raise invalid_parameter(
            f"ConfigurationValue provided in request is not supported: Json schema validation failed with error: "
            f"{sorted(problems)}",
            addonName=addon,
        )
    return values or {}


def _violations(value: Any, rule: dict[str, Any], path: str) -> Iterator[str]:
    """What is wrong with ``value`` by the part of JSON schema that ``schema`` uses."""
    kind = rule.get("type")
    expected = {"object": dict, "array": list, "string": str, "integer": int}.get(str(kind))
    if expected is not None and (not isinstance(value, expected) or isinstance(value, bool)):
        yield f"{path}: {type(value).__name__} found, {kind} expected"
    elif kind == "object":
        known, others = rule.get("properties", {}), rule.get("additionalProperties", True)
        for name, child in value.items():
            child_rule = known.get(name, others)
            if child_rule is False:
                yield f"{path}.{name}: is not defined in the schema and the schema does not allow additional properties"
            elif isinstance(child_rule, dict):
                yield from _violations(child, child_rule, f"{path}.{name}")
    elif kind == "array":
        for index, child in enumerate(value):
            yield from _violations(child, rule.get("items", {}), f"{path}[{index}]")
    elif "minimum" in rule and value < rule["minimum"]:
        yield f"{path}: must have a minimum value of {rule['minimum']}"


def configure(workload: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """A DaemonSet or Deployment with the configuration values in it."""
    result = copy.deepcopy(workload)
    spec, template = result["spec"], result["spec"]["template"]
    pod, container = template["spec"], template["spec"]["containers"][0]
    if "replicaCount" in values:
        spec["replicas"] = values["replicaCount"]
    for key in ("affinity", "nodeSelector", "tolerations", "topologySpreadConstraints"):
        if key in values:
            pod[key] = values[key]
    if "resources" in values:
        container["resources"] = values["resources"]
    template["metadata"].setdefault("annotations", {}).update(values.get("podAnnotations", {}))
    template["metadata"]["labels"].update(values.get("podLabels", {}))
    env = {variable["name"]: variable["value"] for variable in container.get("env", [])} | values.get("env", {})
    if env:
        container["env"] = [{"name": name, "value": value} for name, value in env.items()]
    return result
