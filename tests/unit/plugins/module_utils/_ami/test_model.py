"""Which questions an image has to answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._ami.model import (
    Image,
    checks,
    moment,
    present_image,
    release_of,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._versions.ami import ImageKey

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAME = "amazon-eks-node-al2023-x86_64-standard-1.36-v20261106"
KEY = ImageKey("al2023", "standard", "x86_64", "1.36", "latest")


def image(**changes: Any) -> Image:
    data = {
        "ImageId": "ami-1",
        "Name": NAME,
        "Architecture": "x86_64",
        "State": "available",
        "ImageOwnerAlias": "amazon",
        "OwnerId": "602401143452",
        "CreationDate": "2026-11-06T06:00:00.000Z",
        "DeprecationTime": "2028-11-06T06:00:00.000Z",
    }
    return Image.from_api({**data, **changes})


def failed(key: ImageKey, found: Image | None) -> list[tuple[str, bool]]:
    return [(check.name, check.fatal) for check in checks(key, "ami-1", found, NOW) if not check.ok]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"Architecture": "arm64"}, [("architecture", True)]),
        ({"State": "pending"}, [("state", True)]),
        ({"Name": NAME.replace("standard", "nvidia")}, [("name", True)]),
        ({"Name": NAME.replace("1.36", "1.35")}, [("name", True)]),
        ({"ImageOwnerAlias": "self"}, [("owner", True)]),
        ({"ImageOwnerAlias": None}, []),  # some partitions name no alias
        ({"DeprecationTime": "2026-11-29T00:00:00.000Z"}, [("deprecation", False)]),
        ({"DeprecationTime": None}, []),
    ],
)
def test_checks(changes: dict[str, Any], expected: list[tuple[str, bool]]) -> None:
    assert failed(KEY, image(**changes)) == expected


def test_an_image_that_ec2_does_not_show_must_not_be_used() -> None:
    assert failed(KEY, None) == [("exists", True)]


@pytest.mark.parametrize(
    ("release", "found", "expected"),
    [("latest", image(), "v20261106"), ("v20261106", None, "v20261106"), ("latest", None, None)],
)
def test_the_release_is_the_one_in_the_name(release: str, found: Image | None, expected: str | None) -> None:
    key = ImageKey("al2023", "standard", "x86_64", "1.36", release)
    assert release_of(key, found) == expected


def test_an_image_as_modules_return_it() -> None:
    shown = present_image(KEY, "/aws/x", "ami-1", image(), NOW)
    assert shown["alias"] == "al2023@v20261106"
    assert shown["age_days"] == 24
    assert shown["creation_date"] == "2026-11-06T06:00:00Z"
    assert present_image(KEY, "/aws/x", "ami-1", None, NOW).keys() == shown.keys()


def test_times_are_utc() -> None:
    assert moment("2026-11-06T06:00:00.000Z").utcoffset() == timedelta(0)
    assert moment("2026-11-06T06:00:00").utcoffset() == timedelta(0)
