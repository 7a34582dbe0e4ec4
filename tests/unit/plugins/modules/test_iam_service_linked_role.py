"""iam_service_linked_role against an IAM that makes service-linked roles."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._service_linked_role.run import Request, run

from .aws_twin import refused
from .conftest import Twin

SPOT = "spot.amazonaws.com"


def make(twin: Twin, *, check_mode: bool = False, required: bool = True) -> dict[str, Any]:
    return run(twin.client("iam"), Request(SPOT, None, required), check_mode=check_mode)


def roles(twin: Twin) -> list[str]:
    found = twin.boto("iam").list_roles(PathPrefix=f"/aws-service-role/{SPOT}/")["Roles"]
    return [role["RoleName"] for role in found]


def test_check_mode_predicts_the_run_makes_and_the_second_run_does_nothing(twin: Twin) -> None:
    predicted = make(twin, check_mode=True)
    assert (predicted["changed"], predicted["exists"], roles(twin)) == (True, False, [])
    made = make(twin)
    assert (made["changed"], made["exists"], made["role_name"]) == (True, True, roles(twin)[0])
    assert made["plan"] == predicted["plan"]
    again = make(twin)
    assert (again["changed"], again["role_arn"], again["plan"]) == (False, made["role_arn"], [])
    assert predicted.keys() == made.keys() == again.keys()


def test_a_role_that_appears_in_between_is_no_change(twin: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    client = twin.client("iam")
    kept = client.pages

    def late(operation: str, *arguments: Any, **parameters: Any) -> Any:
        found = kept(operation, *arguments, **parameters)
        if not found:
            twin.boto("iam").create_service_linked_role(AWSServiceName=SPOT)
        return found

    monkeypatch.setattr(client, "pages", late)
    made = make(twin)
    assert (made["changed"], made["exists"], len(roles(twin))) == (False, True, 1)


def test_who_may_not_make_it_is_told_what_follows(twin: Twin) -> None:
    with refused(twin, "iam", "CreateServiceLinkedRole"):
        with pytest.raises(EksopsError) as caught:
            make(twin)
        told = make(twin, required=False)
    for text in (str(caught.value), told["notices"][0]):
        assert "cannot launch Spot capacity" in text
        assert "aws iam create-service-linked-role --aws-service-name spot.amazonaws.com" in text
    assert (told["changed"], told["exists"]) == (False, False)


def test_who_may_not_look_can_still_make_it(twin: Twin) -> None:
    with refused(twin, "iam", "ListRoles"):
        predicted = make(twin, check_mode=True)
    assert predicted["changed"]
    assert "cannot be read" in predicted["notices"][0]


def test_a_wrong_principal_is_refused_before_any_call(twin: Twin) -> None:
    with pytest.raises(EksopsError, match="no service principal"):
        run(twin.client("iam"), Request("spot", None, True), check_mode=False)
    assert roles(twin) == []
