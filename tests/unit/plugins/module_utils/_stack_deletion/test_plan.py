"""What deleting a stack needs, and what it says when it was not deleted."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.model import Stack, StackResource
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_deletion.plan import deletion_plan, not_deleted


def test_no_stack_needs_nothing() -> None:
    assert deletion_plan(None).steps == ()


@pytest.mark.parametrize("status", ["CREATE_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED", "UPDATE_ROLLBACK_FAILED"])
def test_a_stack_at_rest_is_one_write(status: str) -> None:
    steps = deletion_plan(Stack("s", "arn", status)).steps
    assert [(step.action, step.name, step.before) for step in steps] == [("delete", "s", {"status": status})]


def test_a_protected_stack_is_refused() -> None:
    with pytest.raises(EksopsError, match="--no-enable-termination-protection --stack-name s"):
        deletion_plan(Stack("s", "arn", "CREATE_COMPLETE", protected=True))


def test_what_refused_is_named() -> None:
    resource = StackResource("Vpc", "vpc-1", "AWS::EC2::VPC", "DELETE_FAILED", "The vpc has dependencies.")
    error = not_deleted(Stack("s", "arn", "DELETE_FAILED", "Some failed."), [resource])
    assert str(error).startswith(
        "Stack s is DELETE_FAILED and was not deleted: Some failed. Failed resources: Vpc (vpc-1): The vpc has"
        " dependencies. Next: remove what keeps"
    )
