"""eks_ami_info against public parameters and images."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._ami import run as subject
from ansible_collections.eksops.karpenter.plugins.module_utils._ami.run import Request, run
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError

from .conftest import Twin

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def look(twin: Twin, **options: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "family": "al2023",
        "kubernetes_version": "1.36",
        "architectures": ("x86_64", "arm64"),
        "variants": ("standard",),
        "release": "latest",
        "allow_missing": False,
        **options,
    }
    return run(twin.client("ssm"), twin.client("ec2"), Request(**given), NOW)


def test_the_newest_release_for_both_architectures(twin: Twin) -> None:
    found = look(twin)
    assert [image["architecture"] for image in found["images"]] == ["x86_64", "arm64"]
    assert len({image["image_id"] for image in found["images"]}) == 2
    assert found["alias"] == f"al2023@{found['release']}"
    assert found["missing"] == []
    assert found["notices"] == []
    for image in found["images"]:
        assert image["ssm_name"].endswith("/standard/recommended/image_id")
        assert image["name"].endswith(f"-{image['architecture']}-standard-1.36-{found['release']}")
        assert image["owner"] == "amazon"
        assert image["age_days"] >= 0
        assert all(check["ok"] for check in image["checks"])


def test_a_dated_release_is_the_image_of_its_name(twin: Twin) -> None:
    releases = subject.newest_releases(twin.client("ssm"), subject.wanted_images(request())[0])
    assert len(releases) >= 3
    assert releases == sorted(releases, reverse=True)
    newest = {image["image_id"] for image in look(twin)["images"]}
    for release in releases:
        found = look(twin, release=release)
        assert found["release"] == release
        assert ({image["image_id"] for image in found["images"]} == newest) is (release == releases[0])


def request(**changes: Any) -> Request:
    values: dict[str, Any] = {
        "family": "al2023",
        "kubernetes_version": "1.36",
        "architectures": ("x86_64",),
        "variants": ("standard",),
        "release": "latest",
        "allow_missing": False,
    }
    return Request(**{**values, **changes})


def test_an_unpublished_release_names_the_newest_published_ones(twin: Twin) -> None:
    releases = subject.newest_releases(twin.client("ssm"), subject.wanted_images(request())[0])
    with pytest.raises(EksopsError, match="has not published al2023 release v20200101") as caught:
        look(twin, release="v20200101")
    allowed = str(caught.value.allowed)
    assert f"x86_64 standard: {', '.join(releases[:5])}" in allowed
    assert "arm64 standard:" in allowed


def test_an_unpublished_kubernetes_version_has_none(twin: Twin) -> None:
    with pytest.raises(EksopsError, match=r"Kubernetes 1\.99") as caught:
        look(twin, kubernetes_version="1.99")
    assert "none for this Kubernetes version" in str(caught.value.allowed)


def test_more_than_ten_parameters_are_asked_in_several_calls(twin: Twin) -> None:
    keys = [f"/aws/service/nothing/{number}" for number in range(23)]
    values, missing = subject.parameter_values(twin.client("ssm"), keys)
    assert (values, sorted(missing)) == ({}, sorted(keys))
    calls = twin.front.log.select(
        lambda entry: entry.account == twin.account.account_id and entry.action == "GetParameters"
    )
    assert len(calls) == 3


def test_what_is_missing_is_an_error_or_a_list(twin: Twin) -> None:
    wanted = {"variants": ("standard", "neuron"), "architectures": ("x86_64", "arm64")}
    with pytest.raises(EksopsError, match="arm64/neuron"):
        look(twin, **wanted)
    found = look(twin, **wanted, allow_missing=True)
    assert [(item["architecture"], item["variant"]) for item in found["missing"]] == [("arm64", "neuron")]
    assert len(found["images"]) == 3


def test_an_id_that_ec2_does_not_know_must_not_be_used(twin: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(client: Any, names: Any) -> tuple[dict[str, str], list[str]]:
        return dict.fromkeys(names, "ami-00000000000000000"), []

    monkeypatch.setattr(subject, "parameter_values", swapped)
    with pytest.raises(EksopsError, match="EC2 does not show it"):
        look(twin)


def test_an_id_of_the_other_architecture_must_not_be_used(twin: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    arm = look(twin, architectures=("arm64",))["images"][0]["image_id"]
    monkeypatch.setattr(subject, "parameter_values", lambda client, names: (dict.fromkeys(names, arm), []))
    with pytest.raises(EksopsError, match="built for arm64, wanted x86_64"):
        look(twin, architectures=("x86_64",))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"kubernetes_version": 1.36}, "is a number"),
        ({"family": "al2", "kubernetes_version": "1.33"}, "no images for Kubernetes 1.33"),
        ({"family": "al2024"}, "no AMI family"),
        ({"release": "20261106"}, "no release of AL2023"),
        ({"variants": ("gpu",)}, "no variant 'gpu'"),
        ({"architectures": ("amd64",)}, "no architecture 'amd64'"),
    ],
)
def test_bad_input_calls_nobody(twin: Twin, options: dict[str, Any], what: str) -> None:
    with pytest.raises(EksopsError, match=what):
        look(twin, **options)
    assert twin.front.log.select(lambda entry: entry.account == twin.account.account_id) == []
