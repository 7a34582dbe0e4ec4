"""The vendored schemas."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.schemas import spec_schema
from ansible_collections.eksops.karpenter.plugins.module_utils._vendor.karpenter_crds.index import PACKAGES


@pytest.mark.parametrize("version", sorted(PACKAGES))
def test_every_vendored_version_has_both_kinds(version: str) -> None:
    assert {"amiSelectorTerms", "subnetSelectorTerms"} <= set(spec_schema("EC2NodeClass", version)["required"])
    assert "template" in spec_schema("NodePool", version)["required"]


def test_balanced_came_with_1_14() -> None:
    def policies(version: str) -> list[str]:
        disruption = spec_schema("NodePool", version)["properties"]["disruption"]
        return list(disruption["properties"]["consolidationPolicy"]["enum"])

    assert "Balanced" in policies("1.14.0")
    assert "Balanced" not in policies("1.13.0")


def test_an_unknown_version_is_checked_by_the_newest() -> None:
    assert spec_schema("NodePool", "9.9.9") == spec_schema("NodePool", "v1.14.0")


def test_another_kind_is_an_error() -> None:
    with pytest.raises(KeyError):
        spec_schema("NodeOverlay")
