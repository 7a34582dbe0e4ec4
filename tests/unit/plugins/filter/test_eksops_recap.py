"""The filter as a template calls it."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.eksops.karpenter.plugins.filter.eksops_recap import FilterModule

recap = FilterModule().filters()["eksops_recap"]


def test_an_empty_fleet_is_a_page_too() -> None:
    assert recap({}, {"cluster_name": "demo"})[0] == "Cluster demo"
    assert recap(None)[0] == "Cluster ?"


@pytest.mark.parametrize(("fleet", "run", "said"), [(["a"], {}, "its input is list"), ({}, "text", "run is str")])
def test_other_input_is_one_error(fleet: object, run: object, said: str) -> None:
    with pytest.raises(AnsibleFilterError, match=said):
        recap(fleet, run)
