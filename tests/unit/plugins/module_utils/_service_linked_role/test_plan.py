"""A service-linked role is made once and never changed."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._service_linked_role.model import (
    ServiceLinkedRole,
    check_service,
    consequence,
    path_of,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._service_linked_role.plan import plan_role

SPOT = "spot.amazonaws.com"


def test_a_missing_role_is_made() -> None:
    plan = plan_role(SPOT, "For Spot", None)
    assert [(step.action, step.kind, step.name) for step in plan.steps] == [("create", "ServiceLinkedRole", SPOT)]


def test_an_existing_role_is_left_alone() -> None:
    role = ServiceLinkedRole("AWSServiceRoleForEC2Spot", "arn")
    assert not plan_role(SPOT, "Another description", role).changed


@pytest.mark.parametrize("service", ["spot", "spot.amazonaws.com ", "https://spot.amazonaws.com", ""])
def test_what_is_no_service_is_refused(service: str) -> None:
    with pytest.raises(EksopsError, match="no service principal"):
        check_service(service)


def test_the_path_and_the_consequence_are_those_of_the_service() -> None:
    assert path_of(SPOT) == "/aws-service-role/spot.amazonaws.com/"
    assert "ServiceLinkedRoleCreationNotPermitted" in consequence(SPOT)
    assert "On-Demand" in consequence(SPOT)
    assert "other.amazonaws.com" in consequence("other.amazonaws.com")
