"""Tags that a service refuses are told before the first of them is sent."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._limits.tags import COUNT_MAXIMUM, tag_errors


@pytest.mark.parametrize(
    "tags",
    [
        {},
        {"environment": "dev", "cost-center": 12, "on": True},
        {"Größe": "süß 日本"},
        {"k" * 128: "v" * 256},
        {f"key{number}": "v" for number in range(COUNT_MAXIMUM)},
        {"mail": "a.b+c@d-e_f:/=g"},
    ],
)
def test_good_tags(tags: dict[Any, Any]) -> None:
    assert tag_errors(tags) == []


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        ({f"key{number}": "v" for number in range(60)}, ["60 tags", "47"]),
        ({"team": "v" * 257}, ["value of tag 'team'", "257", "256"]),
        ({"k" * 129: "v"}, ["129 characters", "128"]),
        ({"": "v"}, ["key of tag ''", "1 to 128"]),
        ({"team": ""}, ["'team'", "0 characters", "1 to 256"]),
        ({"team": None}, ["'team'", "empty", "quotes"]),
        ({"team": {"a": 1}}, ["'team'", "dict", "text"]),
        ({"team": ["a"]}, ["'team'", "list"]),
        ({"AWS:team": "v"}, ["'AWS:team'", "aws:"]),
        ({"karpenter.sh/discovery": "other"}, ["karpenter.sh/"]),
        ({"kubernetes.io/cluster/other": "shared"}, ["kubernetes.io/"]),
        ({"team": "a\nb<c"}, ["'team'", "'\\n' '<'"]),
        ({"te#am": "v"}, ["key of tag 'te#am'", "'#'"]),
    ],
)
def test_bad_tags(tags: dict[Any, Any], words: list[str]) -> None:
    (error,) = tag_errors(tags)
    assert [word for word in words if word not in str(error)] == []
    assert error.next_step


def test_every_bad_tag_is_told() -> None:
    assert len(tag_errors({"a": None, "b": "", "aws:c": "v"})) == 3
