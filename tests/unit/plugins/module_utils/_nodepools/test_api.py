"""What is asked of the API server."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.errors import KubernetesError
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.api import Api
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class
from tests.unit.plugins.module_utils._kubernetes.server import Answer, serving, status

from .samples import CLASS_OPTIONS, claim, live


def _list(*items: Any) -> Answer:
    return Answer(body={"items": list(items), "metadata": {}})


CLASS = live(node_class(CLASS_OPTIONS))


def test_a_cluster_without_the_definitions_has_nothing() -> None:
    with serving(status(404, "the server could not find the requested resource", "NotFound")) as server:
        seen = Api(server.client(), "kube-system").read()
    assert seen.empty
    assert not seen.installed


def test_another_refusal_is_an_error() -> None:
    with serving(status(403, "nodepools is forbidden", "Forbidden")) as server, pytest.raises(KubernetesError):
        Api(server.client(), "kube-system").read()


def test_all_three_kinds_are_read() -> None:
    with serving(_list(CLASS), _list(), _list(claim("a"))) as server:
        seen = Api(server.client(), "kube-system").read()
    assert (list(seen.classes), list(seen.pools), list(seen.claims)) == (["default"], [], ["a"])
    assert [asked.path for asked in server.asked] == [
        "/apis/karpenter.k8s.aws/v1/ec2nodeclasses",
        "/apis/karpenter.sh/v1/nodepools",
        "/apis/karpenter.sh/v1/nodeclaims",
    ]


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_application_carries_our_manager_and_is_dry_when_asked(dry_run: bool) -> None:
    with serving(Answer(body=CLASS)) as server:
        Api(server.client(), "kube-system").apply(node_class(CLASS_OPTIONS), force=False, dry_run=dry_run)
    (asked,) = server.asked
    assert asked.query["fieldManager"] == "eksops-nodepool"
    assert "force" not in asked.query
    assert (asked.query.get("dryRun") == "All") is dry_run


def test_the_end_of_a_grace_period_is_an_annotation_of_the_claim() -> None:
    with serving(Answer(body={}), status(404, "gone", "NotFound", name="b")) as server:
        Api(server.client(), "kube-system").end_grace(["a", "b"])
    (moment,) = server.asked[0].body["metadata"]["annotations"].values()
    assert moment.endswith("Z")
    assert [asked.path.rsplit("/", 1)[-1] for asked in server.asked] == ["a", "b"]


def test_only_karpenters_finalizers_are_taken_off() -> None:
    items = [
        claim("a", finalizers=["karpenter.sh/termination", "example.com/mine"]),
        claim("b", finalizers=["example.com/mine"]),
        claim("c"),
    ]
    with serving(Answer(body={})) as server:
        freed = Api(server.client(), "kube-system").let_go("NodeClaim", items)
    assert freed == ["NodeClaim/a"]
    assert [asked.body for asked in server.asked] == [{"metadata": {"finalizers": ["example.com/mine"]}}]


def test_nodes_are_found_by_their_instances() -> None:
    nodes = [
        {"metadata": {"name": name}, "spec": {"providerID": f"aws:///us-west-2a/{instance}"} if instance else {}}
        for name, instance in (("one", "i-1"), ("two", "i-2"), ("bare", ""))
    ]
    with serving(_list(*nodes)) as server:
        found = Api(server.client(), "kube-system").nodes_of(["i-2"])
    assert [node["metadata"]["name"] for node in found] == ["two"]


def test_the_controller_is_looked_for_in_its_namespace() -> None:
    with serving(status(404, "no lease", "NotFound", name="karpenter-leader-election"), _list()) as server:
        absence = Api(server.client(), "karpenter").controller_absence()
    assert "no leader" in str(absence)
    assert all("/namespaces/karpenter/" in asked.path for asked in server.asked)


def test_held_nodes_are_told() -> None:
    pod = {
        "metadata": {"name": "web", "namespace": "shop", "annotations": {"karpenter.sh/do-not-disrupt": "true"}},
        "spec": {"nodeName": "n"},
    }
    with serving(_list(pod), _list()) as server:
        assert list(Api(server.client(), "kube-system").blocked()) == ["n"]
