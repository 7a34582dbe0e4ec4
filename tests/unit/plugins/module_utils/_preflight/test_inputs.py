"""The variables of a host against what the collection's own playbooks and roles declare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight.inputs import (
    NotYetError,
    declared_options,
    input_report,
)

ROOT = Path(__file__).resolve().parents[5]
GOOD: dict[str, Any] = {"eksops_cluster_name": "demo", "eksops_region": "us-west-2"}
WIDE = sorted({name for options in declared_options(ROOT)[0].values() for name in options})


def _report(variables: dict[str, Any], playbook: str = "site") -> str:
    def read(name: str) -> Any:
        if isinstance(variables[name], NotYetError):
            raise variables[name]
        return variables[name]

    return input_report("one", ROOT, playbook, frozenset(variables), read)


@pytest.mark.parametrize("playbook", ["site", "delete_cluster", "run_scale_test"])
def test_good_inputs_have_no_report(playbook: str) -> None:
    assert _report({**GOOD, "eksops_tags": {}, "karpenter_nodepool_purge": "no", "of_others": None}, playbook) == ""


def test_every_collection_wide_input_is_declared() -> None:
    assert {"eksops_region", "eksops_tags", "eksops_delete_allowed", "eksops_binary_dir"} <= set(WIDE)


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("value", ["", "  ", None])
@pytest.mark.parametrize("playbook", ["site", "delete_cluster", "run_scale_test"])
def test_an_empty_value_is_one_error(name: str, value: Any, playbook: str) -> None:
    lines = _report({**GOOD, name: value}, playbook).splitlines()
    assert lines[0] == "Inputs of host one: 1 error, no warnings."
    assert lines[1] == f"1. ERROR (inputs): {name} is {value!r}: it is empty"
    assert lines[2] == "   where: inventory, group_vars, host_vars or extra variables"
    assert lines[3].startswith("   allowed: ")
    assert lines[4].startswith(f"   next: give {name} a value")


@pytest.mark.parametrize("name", list(GOOD))
def test_a_missing_input_is_told(name: str) -> None:
    left = {other: value for other, value in GOOD.items() if other != name}
    assert f"1. ERROR (inputs): {name} is not set" in _report(left)


def test_everything_wrong_is_in_one_report() -> None:
    wrong = {"eksops_region": "", "eksops_tags": ["a"], "karpenter_nodepool_purge": "maybe", "eks_network_state": None}
    report = _report({**GOOD, **wrong})
    assert report.startswith("Inputs of host one: 4 errors")
    assert [name for name in wrong if name not in report] == []


def test_what_a_role_finds_out_later_is_left_to_it() -> None:
    assert _report({**GOOD, "karpenter_nodepool_node_classes": NotYetError("'x' is undefined")}) == ""


def test_a_collection_wide_input_has_to_be_known() -> None:
    report = _report({**GOOD, "eksops_environment": NotYetError("The sandbox is not up")})
    assert "1. ERROR (inputs): eksops_environment cannot be read: The sandbox is not up" in report


def test_an_unknown_playbook_is_an_error() -> None:
    with pytest.raises(EksopsError, match="There is no playbook 'sight'"):
        _report(GOOD, "sight")
