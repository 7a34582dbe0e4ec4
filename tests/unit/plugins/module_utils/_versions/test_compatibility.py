"""Which versions go together, and what is said when they do not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._versions import data
from ansible_collections.eksops.karpenter.plugins.module_utils._versions.compatibility import (
    first_karpenter,
    karpenter_warnings,
    supports,
    version_errors,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._versions.parse import (
    karpenter_release,
    kubernetes_minor,
)


@pytest.mark.parametrize(
    ("kubernetes", "first"),
    [
        ((1, 31), "1.0.5"),
        ((1, 32), "1.2.0"),
        ((1, 33), "1.5.0"),
        ((1, 34), "1.6.0"),
        ((1, 35), "1.9.0"),
        ((1, 36), "1.13.0"),
        ((1, 37), None),
    ],
)
def test_the_first_karpenter_of_a_kubernetes_minor(kubernetes: tuple[int, int], first: str | None) -> None:
    assert first_karpenter(kubernetes) == first
    if first is not None:
        assert supports(karpenter_release(first), kubernetes)


def test_a_patch_release_can_be_too_old() -> None:
    assert not supports((1, 0, 4), (1, 31))
    assert supports((1, 0, 5), (1, 31))
    assert not supports((1, 14, 0), (1, 25))


def test_the_defaults_go_together_and_are_tried() -> None:
    assert version_errors(data.DEFAULT_KUBERNETES, data.DEFAULT_KARPENTER) == []
    assert data.DEFAULT_KARPENTER in data.TRIED_KARPENTER


@pytest.mark.parametrize(
    ("kubernetes", "karpenter", "words"),
    [
        (1.36, "1.14.0", ["1.36 is a number", "quotes"]),
        (1.3, "1.14.0", ["1.3 is a number"]),
        ("1.36", 1.14, ["1.14 is a number"]),
        ("1.36.1", "1.14.0", ["not a minor version"]),
        ("1.36", "v1.14.0", ["not a release", 'without "v"']),
        ("1.36", "1.12.0", ["does not support Kubernetes 1.36", "1.13.0"]),
        ("1.34", "1.8.4", ["1.8.4", "must not be installed", "kubernetes-sigs/karpenter/issues/2785"]),
        ("1.33", "1.9.0", ["older than the permissions"]),
        ("1.29", "0.36.0", ["older than the permissions"]),
        ("1.36", "1.15.0", ["not known"]),
        ("1.37", "1.14.0", ["does not support Kubernetes 1.37"]),
        (None, "1.14.0", ["is no version"]),
        ("1.36", True, ["is no version"]),
    ],
)
def test_each_bad_version_is_one_error_with_its_remedy(kubernetes: Any, karpenter: Any, words: list[str]) -> None:
    errors = version_errors(kubernetes, karpenter)
    assert len(errors) == 1
    for word in words:
        assert word in str(errors[0])


def test_a_karpenter_minor_is_told_about_the_matrix_too() -> None:
    assert "Karpenter version '1.14' is not a release" in str(version_errors("1.36", "1.14")[0])
    assert any("does not support" in str(error) for error in version_errors("1.36", "1.12"))


def test_an_untried_release_is_a_warning() -> None:
    assert karpenter_warnings((1, 13, 0))
    assert karpenter_warnings((1, 14, 1)) == []
    assert karpenter_warnings((1, 8, 4)) == []  # that is an error already


@pytest.mark.parametrize("text", ["1.30", " 1.36 "])
def test_texts_are_read(text: str) -> None:
    assert kubernetes_minor(text)[0] == 1
