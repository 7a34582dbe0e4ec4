"""cloudformation_stack and the sentences of cloudformation_diff_info, with stacks in every state at rest."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation import run as diff_info
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._stack_deletion.run import Request, Time, run
from sandbox.emulators import ministack
from tests.unit.clients import REGION

from .aws_twin import ModuleAws
from .conftest import Twin

ROLE = """
Resources:
  Role:
    Type: AWS::IAM::Role
    Properties: {RoleName: held, AssumeRolePolicyDocument: {Statement: []}}
"""
FAILS = (
    ROLE
    + """
  Failing:
    Type: AWS::IAM::Role
    DependsOn: Role
    Properties:
      AssumeRolePolicyDocument: {Statement: []}
      ManagedPolicyArns: ["arn:aws:iam::aws:policy/Nobodys"]
"""
)
FOREIGN = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"


def create(twin: Twin, body: str, **options: Any) -> str:
    """The status in which the stack comes to rest."""
    cfn = twin.boto("cloudformation")
    cfn.create_stack(StackName="s", TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"], **options)
    return at_rest(twin)


def at_rest(twin: Twin) -> str:
    aws: Any = ModuleAws(twin)
    result = diff_info.run(aws, diff_info.Request("s", wait_timeout_seconds=60))
    return str(result["status"])


def status_of(twin: Twin) -> str | None:
    aws: Any = ModuleAws(twin)
    result = diff_info.run(aws, diff_info.Request("s"))
    return result["status"] if result["exists"] else None


def delete(twin: Twin, *, check_mode: bool = False) -> dict[str, Any]:
    quick = Time(sleep=lambda seconds: None if seconds > 5 else Time().sleep(0.2))
    return run(twin.client("cloudformation"), Request("s", 60), check_mode=check_mode, timing=quick)


def blocked(twin: Twin) -> str:
    """What role present says."""
    aws: Any = ModuleAws(twin)
    request = diff_info.Request("s", template_body=ROLE, capabilities=("CAPABILITY_NAMED_IAM",), drift=True)
    return str(diff_info.run(aws, request)["blocked"])


def put_in(twin: Twin, status: str) -> None:
    """Let the stack have a status that only trouble of AWS's own leads to."""
    responses = ministack.module("core.responses")
    with responses.request_scope(twin.account.account_id, REGION):
        ministack.module("services.cloudformation")._stacks["s"]["StackStatus"] = status


def test_a_creation_that_was_undone(twin: Twin) -> None:
    assert create(twin, FAILS) == "ROLLBACK_COMPLETE"
    assert "delete the stack (delete_cluster.yml" in blocked(twin)
    assert (delete(twin, check_mode=True)["changed"], status_of(twin)) == (True, "ROLLBACK_COMPLETE")
    assert (delete(twin)["changed"], status_of(twin)) == (True, None)
    assert delete(twin)["changed"] is False


def test_a_creation_that_was_kept(twin: Twin) -> None:
    assert create(twin, FAILS, DisableRollback=True) == "CREATE_FAILED"
    assert "repair the cause, delete the stack" in blocked(twin)
    assert (delete(twin)["changed"], status_of(twin)) == (True, None)


def test_a_deletion_that_fails_names_what_holds_it_and_goes_on(twin: Twin) -> None:
    create(twin, ROLE)
    iam = twin.boto("iam")
    iam.attach_role_policy(RoleName="held", PolicyArn=FOREIGN)
    with pytest.raises(EksopsError, match=r"Role \(held\): .*must detach all policies first") as caught:
        delete(twin)
    assert "run again" in str(caught.value.next_step)
    assert status_of(twin) == "DELETE_FAILED"
    assert "Role (held)" in blocked(twin)
    with pytest.raises(EksopsError, match="was not deleted"):
        delete(twin)
    iam.detach_role_policy(RoleName="held", PolicyArn=FOREIGN)
    assert (delete(twin)["changed"], status_of(twin)) == (True, None)


def test_what_goes_meanwhile_is_waited_for(twin: Twin) -> None:
    create(twin, ROLE)
    iam = twin.boto("iam")
    iam.attach_role_policy(RoleName="held", PolicyArn=FOREIGN)

    def sleep(seconds: float) -> None:
        if seconds > 5:  # the pause between the two attempts
            iam.detach_role_policy(RoleName="held", PolicyArn=FOREIGN)
        Time().sleep(0.2)

    result = run(twin.client("cloudformation"), Request("s", 60), check_mode=False, timing=Time(sleep=sleep))
    assert (result["changed"], status_of(twin)) == (True, None)


def test_a_protected_stack_is_an_error_before_the_first_write(twin: Twin) -> None:
    create(twin, ROLE, EnableTerminationProtection=True)
    for check_mode in (True, False):
        with pytest.raises(EksopsError, match="protected against deletion"):
            delete(twin, check_mode=check_mode)
    assert status_of(twin) == "CREATE_COMPLETE"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("ROLLBACK_FAILED", "its creation failed and could not be undone"),
        ("UPDATE_FAILED", "aws cloudformation rollback-stack"),
        ("UPDATE_ROLLBACK_FAILED", "aws cloudformation continue-update-rollback"),
        ("IMPORT_ROLLBACK_FAILED", "continue the rollback"),
    ],
)
def test_a_rollback_that_failed_is_told_and_can_be_deleted(twin: Twin, status: str, said: str) -> None:
    create(twin, ROLE)
    put_in(twin, status)
    assert said in blocked(twin)
    assert delete(twin, check_mode=True)["status"] == status
    assert (delete(twin)["changed"], status_of(twin)) == (True, None)


def test_a_stack_that_was_only_reviewed_can_be_deleted(twin: Twin) -> None:
    twin.boto("cloudformation").create_change_set(
        StackName="s",
        ChangeSetName="c",
        ChangeSetType="CREATE",
        TemplateBody=ROLE,
        Capabilities=["CAPABILITY_NAMED_IAM"],
    )
    assert "never executed" in blocked(twin)
    assert (delete(twin)["changed"], status_of(twin)) == (True, None)
