# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Whether and how a stack is deleted, and what to say when it was not. Pure. Private to the collection.

A stack can be deleted from every status at rest, also after a creation, an update or a deletion that failed:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html (status codes)
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html (delete stack fails)
"""

from __future__ import annotations

from collections.abc import Sequence

from .._cloudformation.model import Stack, StackResource
from .._cloudformation.states import failed_resources
from .._core.errors import EksopsError
from .._core.plan import Plan, Step

KIND = "AWS::CloudFormation::Stack"
FAILED = "DELETE_FAILED"


def deletion_plan(stack: Stack | None) -> Plan:
    """The one write, or none. Raises EksopsError for a stack that is protected.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-protect-stacks.html
    """
    if stack is None:
        return Plan()
    if stack.protected:
        raise EksopsError(
            f"Stack {stack.name} is protected against deletion",
            next_step="if it really is to go, switch that off (aws cloudformation update-termination-protection"
            f" --no-enable-termination-protection --stack-name {stack.name}) and run again",
        )
    return Plan((Step("delete", KIND, stack.name, before={"status": stack.status}),))


def not_deleted(stack: Stack, resources: Sequence[StackResource]) -> EksopsError:
    """The error for a deletion that failed, with the resources that refused and why."""
    reason = f": {stack.reason.rstrip('.')}" if stack.reason else ""
    return EksopsError(
        f"Stack {stack.name} is {stack.status} and was not deleted{reason}.{failed_resources(resources)}",
        next_step="remove what keeps the named resources in use, then run again: what is deleted stays deleted."
        " If one can stay, delete the stack without it (aws cloudformation delete-stack --deletion-mode"
        f" FORCE_DELETE_STACK --stack-name {stack.name})",
    )
