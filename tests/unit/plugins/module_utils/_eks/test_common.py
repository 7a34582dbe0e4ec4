"""Rules that all EKS modules share."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks import common as subject


@pytest.mark.parametrize("value", [1.36, 1.3, 1, True])
def test_a_kubernetes_version_as_a_number_is_refused(value: Any) -> None:
    with pytest.raises(EksopsError, match=r"is a number.*1\.30 becomes 1\.3") as caught:
        subject.kubernetes_version(value, "eks_cluster_kubernetes_version")
    assert caught.value.where == "eks_cluster_kubernetes_version"
    assert "quotes" in str(caught.value.next_step)


@pytest.mark.parametrize("value", ["1.3", "v1.36", "1.36.1", "latest", "2.10"])
def test_what_is_no_minor_version_is_refused(value: str) -> None:
    with pytest.raises(EksopsError, match="no Kubernetes minor version"):
        subject.kubernetes_version(value)


@pytest.mark.parametrize(("value", "expected"), [("1.36", "1.36"), (None, None), ("", None)])
def test_a_text_or_nothing_is_a_version(value: str | None, expected: str | None) -> None:
    assert subject.kubernetes_version(value) == expected


@pytest.mark.parametrize(
    ("have", "want", "purge", "put", "drop"),
    [
        ({"a": "1"}, None, True, {}, []),
        ({"a": "1"}, {"a": "1"}, False, {}, []),
        ({"a": "1", "b": "2"}, {"a": "3"}, False, {"a": "3"}, []),
        ({"a": "1", "b": "2", "aws:x": "y"}, {"a": "1"}, True, {}, ["b"]),
        ({}, {"a": "1"}, True, {"a": "1"}, []),
    ],
)
def test_tag_changes(have: dict[str, str], want: Any, purge: bool, put: dict[str, str], drop: list[str]) -> None:
    assert subject.tag_changes(have, want, purge=purge) == (put, drop)


def test_tags_become_texts_as_yaml_means_them() -> None:
    assert subject.text_tags({"a": True, "b": 1.5, "c": "x"}) == {"a": "true", "b": "1.5", "c": "x"}
    assert subject.text_tags(None) is None


def test_health_is_told_with_code_message_and_resources() -> None:
    raw = {"health": {"issues": [{"code": "AccessDenied", "message": "No.", "resourceIds": ["r1", "r2"]}]}}
    assert subject.health_text(subject.health_issues(raw)) == "AccessDenied: No (r1, r2)"
    assert subject.health_text(raw["health"]["issues"]) == "AccessDenied: No (r1, r2)"


def test_a_token_is_the_same_for_the_same_write_alone() -> None:
    token = subject.request_token("CreateCluster", ["eu-west-1", {"name": "a", "b": 1}], "hour")
    assert token == subject.request_token("CreateCluster", ["eu-west-1", {"b": 1, "name": "a"}], "hour")
    assert token != subject.request_token("CreateCluster", ["eu-west-1", {"b": 2, "name": "a"}], "hour")
    assert token != subject.request_token("CreateCluster", ["eu-west-1", {"b": 1, "name": "a"}], "next hour")
    assert len(token) <= 64


def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    with pytest.raises(EksopsError, match="did you mean 'subnet_ids'"):
        subject.known_keys({"subnet_id": []}, ["subnet_ids", "name"], "wanted")


def test_a_list_that_names_a_thing_twice_is_refused() -> None:
    with pytest.raises(EksopsError, match="kube-system/karpenter is named twice"):
        subject.unique([("kube-system", "karpenter"), ("kube-system", "karpenter")], "associations")


def test_tags_are_one_step_that_leaves_others_alone() -> None:
    [step] = subject.tag_steps("Addon tags", "vpc-cni", {"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"})
    assert (step.action, step.name) == ("update", "vpc-cni")
    assert (step.before, step.after) == ({"b": "2"}, {"b": "9", "d": "4"})
    assert subject.tag_steps("Addon tags", "vpc-cni", {"a": "1", "b": "2"}, {"a": "1"}) == []
    assert subject.tag_steps("Addon tags", "vpc-cni", {"a": "1"}, None) == []
