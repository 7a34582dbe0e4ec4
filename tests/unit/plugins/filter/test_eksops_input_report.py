"""The filter as a template calls it."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from jinja2 import StrictUndefined

from ansible_collections.eksops.karpenter.plugins.filter.eksops_input_report import FilterModule

report = FilterModule().filters()["eksops_input_report"]
GOOD = {"inventory_hostname": "one", "eksops_cluster_name": "demo", "eksops_region": "us-west-2"}


def test_good_inputs_have_no_report() -> None:
    assert report(GOOD, "site") == ""


def test_an_undefined_value_is_an_error_of_a_collection_wide_input_alone() -> None:
    nope = StrictUndefined(name="nope")
    assert report({**GOOD, "karpenter_nodepool_node_classes": [{"role": nope}], "mine": nope}, "site") == ""
    said = report({**GOOD, "eksops_environment": {"AWS_PROFILE": nope}}, "site").splitlines()
    assert said[:2] == [
        "Inputs of host one: 1 error, no warnings.",
        "1. ERROR (inputs): eksops_environment cannot be read: 'nope' is undefined",
    ]


@pytest.mark.parametrize(
    ("variables", "playbook", "said"),
    [(["a"], "site", "its input is list"), (GOOD, "sight", "There is no playbook 'sight'")],
)
def test_other_input_is_one_error(variables: object, playbook: str, said: str) -> None:
    with pytest.raises(AnsibleFilterError, match=said):
        report(variables, playbook)
