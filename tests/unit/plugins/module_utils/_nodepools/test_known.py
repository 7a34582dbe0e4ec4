"""The labels that are known come from the schema itself."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.known import known_keys


@pytest.mark.parametrize("version", ["1.13.0", "1.14.0", "1.14.1", "9.9.9"])
def test_the_schemas_rules_name_karpenters_labels(version: str) -> None:
    assert {"karpenter.k8s.aws/instance-cpu", "karpenter.sh/capacity-type", "kubernetes.io/arch"} <= known_keys(version)
    assert "kubernetes.io/hostname" not in known_keys(version)
