"""Who holds which field."""

from __future__ import annotations

from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.ownership import (
    applied_by,
    conflict_lines,
    owners,
)


def _item(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"managedFields": list(entries)}}


OURS = {"manager": "eksops-nodepool", "operation": "Apply", "fieldsV1": {"f:spec": {"f:limits": {"f:cpu": {}}}}}
FREEZE = {
    "manager": "eksops-freeze",
    "operation": "Update",
    "fieldsV1": {"f:spec": {"f:disruption": {"f:budgets": {}}}},
}
STATUS = {"manager": "karpenter", "operation": "Update", "subresource": "status", "fieldsV1": {"f:spec": {}}}


def test_owners_are_those_whose_fields_hold_the_path() -> None:
    item = _item(OURS, FREEZE, STATUS)
    assert owners(item, "spec", "disruption", "budgets") == {"eksops-freeze"}
    assert owners(item, "spec", "limits") == {"eksops-nodepool"}
    assert owners(item, "spec") == {"eksops-nodepool", "eksops-freeze"}
    assert owners({"metadata": {}}, "spec") == set()


def test_only_server_side_apply_counts_as_applied() -> None:
    assert applied_by(_item(OURS), "eksops-nodepool")
    assert not applied_by(_item(OURS | {"operation": "Update"}), "eksops-nodepool")
    assert not applied_by(_item(FREEZE), "eksops-nodepool")


def test_a_conflict_names_field_and_manager() -> None:
    causes = [{"field": ".spec.limits.cpu", "message": 'conflict with "kubectl-edit" using karpenter.sh/v1'}, {}]
    assert conflict_lines("NodePool", "default", causes) == [
        "NodePool default: spec.limits.cpu is managed by kubectl-edit",
        "NodePool default:  is managed by somebody else",
    ]
