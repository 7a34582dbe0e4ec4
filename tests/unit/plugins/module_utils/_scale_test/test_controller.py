"""The leader's log: each line once, also when the stream was opened anew."""

from __future__ import annotations

import json
from typing import cast

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.controller import LogFollower

from .kube import Kube


def line(moment: str, claim: str) -> str:
    return json.dumps({"time": moment, "message": "initialized nodeclaim", "NodeClaim": {"name": claim}})


def test_lines_of_one_moment_are_all_told_and_repeated_ones_are_not() -> None:
    told: list[str | None] = []
    follower = LogFollower(cast(Client, Kube()), "kube-system", told.append)
    first = [line("2999-01-01T00:00:00.100Z", "a"), line("2999-01-01T00:00:00.100Z", "b")]
    later = [line("2999-01-01T00:00:00.900Z", "c")]
    for text in (*first, *later, *first, *later):
        follower._take(text)
    assert told == ["a is ready for pods", "b is ready for pods", "c is ready for pods"]


def test_what_was_written_before_the_test_is_not_told() -> None:
    told: list[str | None] = []
    LogFollower(cast(Client, Kube()), "kube-system", told.append)._take(line("2020-01-01T00:00:00.000Z", "old"))
    assert told == []
