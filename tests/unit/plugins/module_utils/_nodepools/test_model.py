"""Requests from parameters, facts from objects."""

from __future__ import annotations

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.model import (
    Live,
    Request,
    held,
    image_architectures,
    image_ids,
    instance_ids,
    pool_of,
    release,
)

from .samples import CLASS_OPTIONS, claim, live, params


def test_a_request_speaks_of_architectures_as_kubernetes_does() -> None:
    request = Request.from_params(params())
    assert request.architectures == {"default": frozenset({"amd64"})}
    assert request.class_names == request.pool_names == ("default",)
    assert not request.rescue
    assert Request.from_params(params(controller_absent_action="rescue", unpinned_action="report")).report_unpinned


def test_images_are_those_named_or_else_those_resolved() -> None:
    item = live(node_class(CLASS_OPTIONS))
    assert image_ids(item) == ["ami-0123456789abcdef0"]
    item["spec"]["amiSelectorTerms"] = [{"alias": "al2023@latest"}]
    item["status"]["amis"] = [
        {"id": "ami-b", "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]}
    ]
    assert image_ids(item) == ["ami-b"]
    assert image_architectures(item) == {"arm64"}
    assert release(item) == "v20261106"


def test_instances_are_named_by_the_claims_provider_id() -> None:
    assert instance_ids([claim("a", instance="i-1"), claim("b")]) == {"i-1": "a"}
    assert pool_of(claim("a", "batch")) == "batch"


def test_only_karpenters_finalizers_hold() -> None:
    items = [claim("a", finalizers=["karpenter.sh/termination"]), claim("b", finalizers=["x/y"]), claim("c")]
    assert held(items) == ["a"]
    assert Live().empty
    assert not Live(claims={"a": items[0]}).empty
