"""Whether a controller is at work."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.controller import absence

NOW = 1_000_000_000.0  # 2001-09-09T01:46:40Z
FRESH = {"spec": {"holderIdentity": "karpenter-a_1", "renewTime": "2001-09-09T01:46:35.000000Z"}}
STALE = {"spec": {"holderIdentity": "karpenter-a_1", "renewTime": "2001-09-09T01:40:00.000000Z"}}
RELEASED = {"spec": {"holderIdentity": "", "renewTime": "2001-09-09T01:46:35.000000Z"}}


def _pod(ready: str = "True", **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "karpenter-a", **metadata},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


@pytest.mark.parametrize(
    ("lease", "pods", "said"),
    [
        (FRESH, [], None),
        (STALE, [_pod()], None),
        (None, [_pod()], None),
        (STALE, [], "400 seconds ago"),
        (STALE, [_pod("False")], "400 seconds ago"),
        (STALE, [_pod(deletionTimestamp="2001-09-09T01:46:00Z")], "400 seconds ago"),
        (None, [], "no leader and no pod"),
        (RELEASED, [], "no leader and no pod"),
    ],
)
def test_a_controller_is_absent_without_leader_and_ready_pod(lease: Any, pods: Any, said: str | None) -> None:
    found = absence(NOW, lease, pods)
    assert found is None if said is None else said in str(found)
