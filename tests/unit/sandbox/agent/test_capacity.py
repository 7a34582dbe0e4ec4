"""Node capacity, compared with what real EKS nodes show and with Karpenter's own figures."""

from __future__ import annotations

import pytest

from sandbox.agent import capacity, quantity
from sandbox.agent.capacity import Shape

M5_LARGE = Shape(2, 8192, "amd64", 3, 10)
M5_XLARGE = Shape(4, 16384, "amd64", 4, 15)


@pytest.mark.parametrize(
    ("shape", "pods"),
    [(M5_LARGE, 29), (M5_XLARGE, 58), (Shape(16, 32768, "amd64", 8, 30), 234), (Shape(2, 512, "arm64", 2, 2), 4)],
)
def test_pods_follow_the_interfaces(shape: Shape, pods: int) -> None:
    assert capacity.eni_pods(shape) == pods


@pytest.mark.parametrize(("vcpus", "millicores"), [(1, 60), (2, 70), (4, 80), (8, 90), (16, 110), (96, 310)])
def test_reserved_cores_follow_the_steps(vcpus: int, millicores: int) -> None:
    assert capacity.reserved_millicores(vcpus) == millicores


def test_reserved_memory_is_that_of_karpenters_own_test() -> None:
    # suite_test.go of its instance type provider: m5.xlarge, 893Mi and 80m
    assert capacity.reserved_memory_mib(capacity.eni_pods(M5_XLARGE)) == 893


def test_an_m5_large_looks_as_on_eks() -> None:
    found = capacity.resources(M5_LARGE, 20, {})
    assert found.capacity["cpu"] == "2"
    assert found.capacity["ephemeral-storage"] == "20959212Ki"
    assert found.allocatable["cpu"] == "1930m"
    assert found.allocatable["ephemeral-storage"].startswith("182422679")
    taken = quantity.whole(found.capacity["memory"]) - quantity.whole(found.allocatable["memory"])
    assert taken == (574 + 100) * 1024 * 1024


@pytest.mark.parametrize(
    "shape", [M5_LARGE, M5_XLARGE, Shape(8, 16384, "arm64", 4, 15), Shape(192, 786432, "amd64", 15, 50)]
)
def test_memory_is_never_less_than_karpenter_expects(shape: Shape) -> None:
    """Karpenter takes off 7.5 % (VM_MEMORY_OVERHEAD_PERCENT) and, on Graviton, 64 MiB."""
    expected = (shape.memory_mib - (64 if shape.architecture == "arm64" else 0)) * (1 - 0.075)
    assert expected <= capacity.memory_bytes(shape) / capacity.MIB < shape.memory_mib


@pytest.mark.parametrize(
    ("kubelet", "changed"),
    [
        ({"maxPods": 110}, {"pods": "110"}),
        ({"podsPerCore": 5}, {"pods": "10"}),
        ({"maxPods": 110, "podsPerCore": 100}, {"pods": "110"}),
        ({"kubeReserved": {"cpu": "1"}}, {"cpu": "1"}),
        ({"systemReserved": {"cpu": "30m"}}, {"cpu": "1900m"}),
        ({"kubeReserved": {"cpu": "5"}}, {"cpu": "0"}),
    ],
)
def test_the_kubelets_configuration_counts(kubelet: dict[str, object], changed: dict[str, str]) -> None:
    found = capacity.resources(M5_LARGE, 20, kubelet)
    assert {key: found.allocatable[key] for key in changed} == changed


@pytest.mark.parametrize(("value", "bytes_kept"), [("1Gi", 1 << 30), ("5%", 0.05), ("100%", 0), ("0%", 0)])
def test_eviction_thresholds_are_amounts_or_shares(value: str, bytes_kept: float) -> None:
    found = capacity.resources(M5_LARGE, 20, {"evictionHard": {"memory.available": value}})
    total, left = quantity.whole(found.capacity["memory"]), quantity.whole(found.allocatable["memory"])
    kept = bytes_kept if bytes_kept >= 1 or not bytes_kept else total * bytes_kept
    assert total - left - 574 * capacity.MIB == pytest.approx(kept, abs=1024)


def test_instance_store_is_the_pods_storage_when_asked_for() -> None:
    shape = Shape(2, 8192, "amd64", 3, 10, instance_store_gb=75)
    assert (
        capacity.resources(shape, 20, {}, instance_store=True).capacity["ephemeral-storage"]
        == f"{75 * 10**9 // 1024}Ki"
    )
    assert capacity.resources(shape, 20, {}).capacity["ephemeral-storage"] == "20959212Ki"


def test_a_shape_counts_the_default_network_card_only() -> None:
    info = {
        "VCpuInfo": {"DefaultVCpus": 96},
        "MemoryInfo": {"SizeInMiB": 1024},
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
        "NetworkInfo": {
            "MaximumNetworkInterfaces": 60,
            "Ipv4AddressesPerInterface": 50,
            "DefaultNetworkCardIndex": 0,
            "NetworkCards": [{"MaximumNetworkInterfaces": 15}] * 4,
        },
    }
    assert Shape.of(info) == Shape(96, 1024, "amd64", 15, 50)


@pytest.mark.parametrize(
    ("text", "value"),
    [("100m", 1), ("1Gi", 1 << 30), ("2", 2), ("1.5", 2), ("2e3", 2000), ("1k", 1000), ("12E2", 1200), (5, 5)],
)
def test_quantities_are_read(text: str | int, value: int) -> None:
    assert quantity.whole(text) == value


@pytest.mark.parametrize("text", ["", "1Gib", "abc", "1 Gi", "--1", "1mm"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a Kubernetes quantity"):
        quantity.parse(text)


@pytest.mark.parametrize(
    ("value", "divisor", "count"),
    [("1Gi", "0", 1 << 30), ("1Gi", "1Mi", 1024), ("250m", "1", 1), ("250m", "1m", 250), ("1", "1m", 1000)],
)
def test_divisors_round_up(value: str, divisor: str, count: int) -> None:
    assert quantity.divided(value, divisor) == count
