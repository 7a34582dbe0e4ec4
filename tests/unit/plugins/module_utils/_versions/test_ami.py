"""Image families: names, paths, releases."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._versions.ami import (
    ImageKey,
    ami_family,
    check_release,
    family_errors,
    image_keys,
    image_name_pattern,
    parameter_name,
    variant_of,
)

EKS = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023"
NODE = "amazon-eks-node-al2023"


@pytest.mark.parametrize(
    ("key", "path"),
    [
        (ImageKey("al2023", "standard", "x86_64", "1.36", "latest"), f"{EKS}/x86_64/standard/recommended/image_id"),
        (
            ImageKey("al2023", "nvidia", "arm64", "1.36", "v20261106"),
            f"{EKS}/arm64/nvidia/{NODE}-arm64-nvidia-1.36-v20261106/image_id",
        ),
        (
            ImageKey("bottlerocket", "nvidia", "arm64", "1.36", "v1.50.0"),
            "/aws/service/bottlerocket/aws-k8s-1.36-nvidia/arm64/1.50.0/image_id",
        ),
        (
            ImageKey("bottlerocket", "standard", "x86_64", "1.36", "latest"),
            "/aws/service/bottlerocket/aws-k8s-1.36/x86_64/latest/image_id",
        ),
        (
            ImageKey("windows2022", "standard", "x86_64", "1.36", "latest"),
            "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.36/image_id",
        ),
        (
            ImageKey("al2", "standard", "arm64", "1.32", "latest"),
            "/aws/service/eks/optimized-ami/1.32/amazon-linux-2-arm64/recommended/image_id",
        ),
    ],
)
def test_paths(key: ImageKey, path: str) -> None:
    assert parameter_name(key) == path


@pytest.mark.parametrize("name", ["al2023", "AL2023", "Al2023", "Windows2022", "Bottlerocket"])
def test_families_are_found_by_alias_and_by_ami_family(name: str) -> None:
    assert ami_family(name).alias == name.lower()


@pytest.mark.parametrize(("name", "near"), [("al2024", "al2023"), ("botlerocket", "bottlerocket"), ("xyz", "al2023")])
def test_an_unknown_family_is_refused_with_a_hint(name: str, near: str) -> None:
    with pytest.raises(EksopsError, match=f"no AMI family '{name}'") as caught:
        ami_family(name)
    assert near in str(caught.value.next_step)
    assert "windows2022" in str(caught.value.allowed)


def test_amazon_linux_2_ends_with_1_32() -> None:
    family = ami_family("AL2")
    assert family_errors(family, (1, 32)) == []
    (error,) = family_errors(family, (1, 33))
    assert "1.33" in error.what
    assert error.next_step == "take al2023"
    assert family_errors(ami_family("al2023"), (1, 36)) == []


@pytest.mark.parametrize(
    ("family", "release", "good"),
    [
        ("al2023", "latest", True),
        ("al2023", "v20261106", True),
        ("al2023", "20261106", False),
        ("al2023", "v2026", False),
        ("bottlerocket", "1.50.0", True),
        ("bottlerocket", "v20261106", False),
        ("windows2022", "latest", True),
        ("windows2022", "v20261106", False),
    ],
)
def test_releases(family: str, release: str, good: bool) -> None:
    if good:
        check_release(ami_family(family), release)
        return
    with pytest.raises(EksopsError, match="no release of"):
        check_release(ami_family(family), release)


def test_what_is_never_published_is_left_out() -> None:
    family = ami_family("al2")
    keys = image_keys(family, "1.32", ["x86_64", "arm64"], ["standard", "gpu"], "latest")
    assert [(key.variant, key.architecture) for key in keys] == [
        ("standard", "x86_64"),
        ("standard", "arm64"),
        ("gpu", "x86_64"),
    ]
    assert variant_of(family, "gpu", "arm64") is None


def test_unknown_variants_and_architectures_are_refused() -> None:
    with pytest.raises(EksopsError, match="no variant 'gpu'"):
        variant_of(ami_family("al2023"), "gpu", "x86_64")
    with pytest.raises(EksopsError, match="no architecture 'amd64'") as caught:
        variant_of(ami_family("al2023"), "standard", "amd64")
    assert "x86_64" in str(caught.value.next_step)


@pytest.mark.parametrize(
    ("release", "name", "good"),
    [
        ("latest", f"{NODE}-x86_64-standard-1.36-v20261106", True),
        ("v20261106", f"{NODE}-x86_64-standard-1.36-v20261106", True),
        ("v20261009", f"{NODE}-x86_64-standard-1.36-v20261106", False),
        ("latest", f"{NODE}-x86_64-standard-1x36-v20261106", False),
        ("latest", f"{NODE}-x86_64-nvidia-1.36-v20261106", False),
        ("latest", f"{NODE}-arm64-standard-1.36-v20261106", False),
    ],
)
def test_image_names(release: str, name: str, good: bool) -> None:
    pattern = image_name_pattern(ImageKey("al2023", "standard", "x86_64", "1.36", release))
    assert pattern is not None
    assert bool(pattern.fullmatch(name)) is good
