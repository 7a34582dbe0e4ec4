"""Manifests from options."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import (
    field_name,
    node_class,
    node_pool,
    option_name,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.options import (
    NODE_CLASS_SPEC,
    NODE_POOL_SPEC,
    TEMPLATE_SPEC,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.schemas import spec_schema

from .samples import CLASS_OPTIONS, POOL_OPTIONS


@pytest.mark.parametrize(
    ("option", "field"),
    [
        ("expire_after", "expireAfter"),
        ("kms_key_id", "kmsKeyID"),
        ("cluster_dns", "clusterDNS"),
        ("associate_public_ip_address", "associatePublicIPAddress"),
        ("http_protocol_ipv6", "httpProtocolIPv6"),
        ("role", "role"),
    ],
)
def test_options_are_named_as_fields_and_back(option: str, field: str) -> None:
    assert field_name(option) == field
    assert option_name(field) == option


def _missing(spec: dict[str, Any], schema: dict[str, Any], path: str = "") -> list[str]:
    found = []
    for option, form in spec.items():
        field = field_name(option)
        child = (schema.get("properties") or {}).get(field)
        if child is None:
            found.append(path + field)
        elif "options" in form:
            found += _missing(form["options"], child.get("items") or child, f"{path}{field}.")
    return found


def test_every_option_is_a_field_of_the_schema() -> None:
    assert _missing(NODE_CLASS_SPEC, spec_schema("EC2NodeClass")) == []
    pool = spec_schema("NodePool")
    assert _missing(NODE_POOL_SPEC, pool) == []
    assert _missing(TEMPLATE_SPEC, pool["properties"]["template"]["properties"]["spec"]) == []


def _unknown(schema: dict[str, Any], spec: dict[str, Any], path: str = "") -> list[str]:
    named = {field_name(option): form for option, form in spec.items()}
    found = []
    for field, child in (schema.get("properties") or {}).items():
        if field not in named:
            found.append(path + field)
        elif "options" in named[field]:
            found += _unknown(child.get("items") or child, named[field]["options"], f"{path}{field}.")
    return found


def test_every_field_of_the_schema_is_an_option() -> None:
    assert _unknown(spec_schema("EC2NodeClass"), NODE_CLASS_SPEC) == []
    pool = spec_schema("NodePool")
    template = pool["properties"]["template"]["properties"]["spec"]
    assert _unknown(pool, {**NODE_POOL_SPEC, "template": {}}) == []
    # When a taint was added is nothing to wish for; the class is an option of its own.
    left = {"taints.timeAdded", "startupTaints.timeAdded"}
    assert set(_unknown(template, {**TEMPLATE_SPEC, "node_class_ref": {}})) == left


def test_a_class_carries_its_release_and_only_what_was_given() -> None:
    manifest = node_class(CLASS_OPTIONS | {"labels": {"team": "a"}, "tags": None})
    assert manifest["metadata"] == {
        "name": "default",
        "labels": {"team": "a"},
        "annotations": {"eksops.io/ami-release": "v20261106"},
    }
    assert manifest["spec"] == {
        "amiFamily": "AL2023",
        "role": "KarpenterNodeRole-demo",
        "amiSelectorTerms": [{"id": "ami-0123456789abcdef0"}],
        "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
        "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "demo"}}],
    }


def test_a_pool_refers_to_its_class_and_labels_its_nodes() -> None:
    manifest = node_pool(POOL_OPTIONS | {"node_labels": {"team": "a"}})
    template = manifest["spec"]["template"]
    assert template["metadata"] == {"labels": {"team": "a"}}
    assert template["spec"]["nodeClassRef"] == {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    assert template["spec"]["expireAfter"] == "720h"
    assert manifest["spec"]["disruption"] == {
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "1m",
    }


def test_a_name_is_enough_for_a_removal() -> None:
    assert node_pool({"name": "old"})["metadata"] == {"name": "old"}
    assert node_class({"name": "old"})["spec"] == {}
