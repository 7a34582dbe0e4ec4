"""The client: what it sends, what it repeats, and how it tells what went wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import JSON_PATCH, Client
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.errors import KubernetesError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import NODE_POOLS, NODES, PODS

from .server import Answer, serving, status

POOL = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}, "spec": {"weight": 1}}
CUT = Answer(cut=True)


def page(names: list[str], token: str | None = None) -> Answer:
    items = [{"metadata": {"name": name}} for name in names]
    return Answer(body={"metadata": {"continue": token, "resourceVersion": "7"}, "items": items})


def test_an_object_that_is_not_there_is_none_and_a_kind_that_is_not_there_is_an_error() -> None:
    with serving(status(404, "not found", "NotFound", name="x")) as server:
        assert server.client().get(NODE_POOLS, "x") is None
    with serving(Answer(404, "404 page not found")) as server, pytest.raises(KubernetesError) as error:
        server.client().get(NODE_POOLS, "x")
    assert error.value.kind == "no_kind"
    assert "karpenter-crd" in str(error.value)


def test_a_listing_is_read_page_by_page() -> None:
    with serving(page(["a", "b"], "more"), page(["c"])) as server:
        items, version = server.client().all_with_version(PODS, "shop", labels="app=x")
    assert [item["metadata"]["name"] for item in items] == ["a", "b", "c"]
    assert version == "7"
    assert [asked.path for asked in server.asked] == ["/api/v1/namespaces/shop/pods"] * 2
    assert server.asked[0].query == {"limit": "500", "labelSelector": "app=x"}
    assert server.asked[1].query["continue"] == "more"


def test_a_listing_whose_token_has_expired_starts_again() -> None:
    with serving(page(["a"], "old"), status(410, "too old", "Expired"), page(["a", "b"])) as server:
        names = [item["metadata"]["name"] for item in server.client().all(NODES)]
    assert names == ["a", "b"]


def test_apply_names_its_manager_and_is_strict() -> None:
    with serving(Answer(body=POOL)) as server:
        server.client().apply(NODE_POOLS, POOL, manager="eksops-nodepool")
        server.client().apply(NODE_POOLS, POOL, manager="eksops-nodepool", force=True, dry_run=True)
    first, second = server.asked
    assert (first.method, first.path) == ("PATCH", "/apis/karpenter.sh/v1/nodepools/default")
    assert first.headers["Content-Type"] == "application/apply-patch+yaml"
    assert first.query == {"fieldManager": "eksops-nodepool", "fieldValidation": "Strict"}
    assert second.query == {**first.query, "force": "true", "dryRun": "All"}
    assert first.body == POOL


def test_a_conflict_carries_its_causes() -> None:
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "kubectl"', "field": ".spec.weight"}
    with (
        serving(status(409, "conflict", "Conflict", causes=[cause])) as server,
        pytest.raises(KubernetesError) as error,
    ):
        server.client().apply(NODE_POOLS, POOL, manager="eksops-nodepool")
    assert error.value.kind == "conflict"
    assert error.value.causes == [cause]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (status(401, "Unauthorized", "Unauthorized"), "unauthorized", "access entry"),
        (status(403, "nodes is forbidden", "Forbidden"), "forbidden", "nodes is forbidden"),
        (status(409, "exists", "AlreadyExists", name="x"), "exists", "exists"),
        (status(422, "spec.weight: Invalid value", "Invalid"), "invalid", "spec.weight"),
        (status(500, "failed to create typed patch object: .spec.foo"), "invalid", ".spec.foo"),
        (status(500, "etcdserver: leader changed"), "server", "leader changed"),
        (Answer(502, "<html>bad gateway</html>"), "server", "bad gateway"),
    ],
)
def test_every_refusal_has_its_kind_and_is_not_repeated(answer: Answer, kind: str, words: str) -> None:
    with serving(answer) as server, pytest.raises(KubernetesError) as error:
        server.client(token="t").create(PODS, {"metadata": {"name": "x"}}, manager="m", namespace="shop")
    assert error.value.kind == kind
    assert words in str(error.value)
    assert len(server.asked) == 1


def test_what_the_server_asks_to_try_again_is_tried_after_the_pause_it_asks_for() -> None:
    busy = status(429, "too many requests", retryAfterSeconds=7)
    with serving(busy, status(503, "not yet"), Answer(body=POOL)) as server:
        server.client().create(NODE_POOLS, POOL, manager="m")
    assert server.sleeps == [7.0, 2.0]


def test_it_gives_up_when_the_server_stays_busy() -> None:
    with serving(status(429, "too many requests")) as server, pytest.raises(KubernetesError) as error:
        server.client().all(NODES)
    assert error.value.kind == "throttled"
    assert len(server.asked) == 4


def test_a_lost_answer_to_a_read_or_an_apply_is_asked_again() -> None:
    with serving(CUT, page(["a"]), CUT, Answer(body=POOL)) as server:
        assert len(server.client().all(NODES)) == 1
        server.client().apply(NODE_POOLS, POOL, manager="m")


@pytest.mark.parametrize(
    "write",
    [
        lambda client: client.create(NODE_POOLS, POOL, manager="m"),
        lambda client: client.patch(NODE_POOLS, "default", [], manager="m", kind=JSON_PATCH),
    ],
    ids=["create", "json patch"],
)
def test_a_lost_answer_to_a_write_that_is_no_apply_is_not_repeated(write: Callable[[Client], object]) -> None:
    with serving(CUT, Answer(body=POOL)) as server, pytest.raises(KubernetesError) as error:
        write(server.client())
    assert error.value.kind == "unreachable"
    assert len(server.asked) == 1


def test_an_endpoint_that_nobody_serves_is_told_with_server_and_file() -> None:
    with serving(Answer()) as server:
        client = server.client()
    with pytest.raises(KubernetesError) as error:
        client.all(NODES)
    assert error.value.kind == "unreachable"
    assert server.url in str(error.value)
    assert "in kubeconfig" in str(error.value)
    assert server.sleeps == [1.0, 1.0]


def test_delete_tells_whether_there_was_something() -> None:
    with serving(Answer(body={}), status(404, "not found", "NotFound", name="x")) as server:
        assert server.client().delete(PODS, "x", "shop", uid="u", grace_seconds=0) is True
        assert server.client().delete(PODS, "x", "shop") is False
    assert server.asked[0].body["preconditions"] == {"uid": "u"}
    assert server.asked[0].body["gracePeriodSeconds"] == 0


def test_delete_of_another_object_of_that_name_is_no_deletion() -> None:
    with serving(status(409, "uid differs", "Conflict", name="x")) as server:
        assert server.client().delete(PODS, "x", "shop", uid="u") is False


def test_logs_are_text() -> None:
    with serving(Answer(body="one\ntwo\n")) as server:
        assert server.client().logs("k-1", "kube-system", container="controller", tail=2) == "one\ntwo\n"
    assert server.asked[0].path == "/api/v1/namespaces/kube-system/pods/k-1/log"
    assert server.asked[0].query == {"container": "controller", "tailLines": "2"}


def test_a_name_that_is_asked_for_several_times_is_sent_so() -> None:
    with serving(Answer(body="a 1\n"), Answer(body="a 1\n")) as server:
        server.client().text("/metrics", {"name[]": ["a", "b"]})
        server.client().text("/metrics", {"name[]": []})
    assert [asked.target for asked in server.asked] == ["/metrics?name%5B%5D=a&name%5B%5D=b", "/metrics?"]


def test_a_stream_that_breaks_is_told_after_its_lines() -> None:
    lines: list[bytes] = []
    with serving(Answer(lines=({"a": 1}, {"b": 2}), cut=True)) as server, pytest.raises(KubernetesError) as error:
        lines.extend(server.client().lines("/x", {}, read_seconds=5))
    assert lines == [b'{"a": 1}', b'{"b": 2}']
    assert error.value.kind == "unreachable"


def test_the_token_goes_into_the_header() -> None:
    with serving(page([])) as server:
        server.client(token="secret").all(NODES)
        server.client(username="a", password="b").all(NODES)
        server.client().all(NODES)
    headers = [asked.headers.get("Authorization") for asked in server.asked]
    assert headers == ["Bearer secret", "Basic YTpi", None]
