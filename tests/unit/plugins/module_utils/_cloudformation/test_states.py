"""Every status of a stack leads somewhere."""

from __future__ import annotations

import botocore.session
import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.model import Stack, StackResource
from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.states import (
    blocked_sentence,
    is_busy,
    is_updatable,
    next_step,
)

STATUSES = botocore.session.Session().get_service_model("cloudformation").shape_for("StackStatus").metadata["enum"]


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_of_the_api_is_known(status: str) -> None:
    assert is_updatable(status) is (next_step(status) is None)
    if status != "DELETE_COMPLETE":  # such a stack is not found by name
        assert next_step(status) != "look at the stack's events, then run again"
    assert not (is_updatable(status) and is_busy(status))


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("ROLLBACK_COMPLETE", "delete the stack"),
        ("CREATE_IN_PROGRESS", "wait"),
        ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "wait"),
        ("DELETE_FAILED", "keeps the named resources in use"),
        ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback"),
        ("REVIEW_IN_PROGRESS", "change set"),
    ],
)
def test_blocked_stacks_say_what_to_do(status: str, word: str) -> None:
    sentence = blocked_sentence(Stack("s", "arn", status, "It broke."), [])
    assert sentence is not None
    assert word in sentence
    assert "It broke" in sentence


def test_failed_resources_are_named() -> None:
    failed = StackResource("Role", "r-1", "AWS::IAM::Role", "DELETE_FAILED", "Cannot delete entity")
    fine = StackResource("Queue", "q", "AWS::SQS::Queue", "DELETE_COMPLETE")
    sentence = blocked_sentence(Stack("s", "arn", "DELETE_FAILED"), [failed, fine])
    assert sentence is not None
    assert "Role (r-1): Cannot delete entity" in sentence
    assert "Queue" not in sentence


def test_a_stack_at_rest_is_not_blocked() -> None:
    assert blocked_sentence(Stack("s", "arn", "CREATE_COMPLETE"), []) is None
