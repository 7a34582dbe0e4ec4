"""What is not known yet does not keep the rest of a list from being looked at."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from jinja2 import StrictUndefined

from ansible_collections.eksops.karpenter.plugins.filter.eksops_known import FilterModule

known = FilterModule().filters()["eksops_known"]
LATER = StrictUndefined(name="eks_network_result")


def test_what_is_known_stays_as_it_is() -> None:
    items = [{"name": "a", "terms": [{"tags": {"x": 1}}]}, "odd"]
    assert known(items) == items


@pytest.mark.parametrize("item", [{"name": "a", "role": LATER}, {"name": "a", "terms": [{"id": LATER}]}])
def test_an_item_without_a_value_is_its_name_and_the_reason(item: object) -> None:
    assert known([item]) == [{"name": "a", "unknown_reason": "'eks_network_result' is undefined"}]


@pytest.mark.parametrize("item", [LATER, {"role": LATER}, {"name": LATER}])
def test_a_name_may_be_unknown_too(item: object) -> None:
    assert known([item]) == [{"unknown_reason": "'eks_network_result' is undefined"}]


def test_other_input_is_one_error() -> None:
    with pytest.raises(AnsibleFilterError, match="its input is dict"):
        known({})
