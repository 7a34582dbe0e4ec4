"""What keeps Karpenter from working, and what keeps its stack from being deleted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_iam.model import (
    Names,
    Observed,
    Policy,
    Profile,
    Role,
    obstacles,
    problems,
    trusted_services,
)

NAMES = Names("demo", "KarpenterNodeRole-demo", "demo-karpenter", "demo")
ARNS = tuple(f"arn:aws:iam::1:policy/{name}" for name in NAMES.policies)
NODE = Role(NAMES.node_role, "arn", ("ec2.amazonaws.com",), ("arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy",))
CONTROLLER = Role(NAMES.controller_role, "arn", ("pods.eks.amazonaws.com",), ARNS)
GOOD = Observed(
    node_role=NODE,
    controller_role=CONTROLLER,
    policies=tuple(Policy(name, arn, ("role demo-karpenter",)) for name, arn in zip(NAMES.policies, ARNS, strict=True)),
    profiles=(),
    queue_url="https://queue",
    rules=("a", "b", "c", "d", "e"),
)


def test_all_there_is_no_problem_and_no_obstacle() -> None:
    assert problems(NAMES, GOOD, managed=True) == []
    assert obstacles(NAMES, GOOD) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"node_role": None}, "node role KarpenterNodeRole-demo does not exist"),
        ({"controller_role": None}, "controller role demo-karpenter does not exist"),
        ({"node_role": replace(NODE, trusted_services=("eks.amazonaws.com",))}, "trusts eks.amazonaws.com"),
        ({"controller_role": replace(CONTROLLER, trusted_services=())}, "trusts no service"),
        ({"queue_url": None}, "queue demo does not exist"),
        ({"rules": ("a", "b")}, "2 of 5 rules"),
        ({"policies": GOOD.policies[1:]}, "does not exist"),
        (
            {"controller_role": replace(CONTROLLER, attached_policies=ARNS[1:])},
            "is not attached to role demo-karpenter",
        ),
    ],
)
def test_each_lack_is_a_problem(change: dict[str, Any], problem: str) -> None:
    (found,) = problems(NAMES, replace(GOOD, **change), managed=True)
    assert problem in found


def test_given_parts_may_have_other_policies() -> None:
    given = replace(
        GOOD, policies=(), controller_role=replace(CONTROLLER, attached_policies=("arn:aws:iam::1:policy/own",))
    )
    assert problems(NAMES, given, managed=False) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"policies": (replace(GOOD.policies[0], holders=("role demo-karpenter", "role eksctl")),)},
            ["is attached to role eksctl too"],
        ),
        (
            {"profiles": (Profile("shop_77", "arn", "/", ("KarpenterNodeRole-demo",), own=False),)},
            ["instance profile shop_77", "take the role out"],
        ),
        (
            {"controller_role": replace(CONTROLLER, attached_policies=(*ARNS, "arn:aws:iam::1:policy/extra"))},
            ["policy/extra", "detach it"],
        ),
        (
            {"node_role": replace(NODE, attached_policies=("arn:aws:iam::1:policy/logs",))},
            ["KarpenterNodeRole-demo has policy arn:aws:iam::1:policy/logs"],
        ),
    ],
)
def test_each_hold_of_others_is_an_obstacle(change: dict[str, Any], words: list[str]) -> None:
    found = obstacles(NAMES, replace(GOOD, **change))
    for word in words:
        assert any(word in text for text in found)


def test_karpenters_own_profiles_are_no_obstacle() -> None:
    own = Profile("demo_1", "arn", "/karpenter/us-west-2/demo/uid/", ("KarpenterNodeRole-demo",), own=True)
    assert obstacles(NAMES, replace(GOOD, profiles=(own,))) == []


@pytest.mark.parametrize(
    ("document", "services"),
    [
        ({"Statement": {"Effect": "Allow", "Principal": {"Service": "a"}}}, ("a",)),
        ({"Statement": [{"Effect": "Allow", "Principal": {"Service": ["a", "b"]}}]}, ("a", "b")),
        ({"Statement": [{"Effect": "Deny", "Principal": {"Service": "a"}}]}, ()),
        ({"Statement": [{"Effect": "Allow", "Principal": "*"}]}, ()),
        ({}, ()),
    ],
)
def test_trust(document: dict[str, Any], services: tuple[str, ...]) -> None:
    assert trusted_services(document) == services
