# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""All that was changed by hand in a stack, and the writes that put it right. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable

from .._core.plan import Plan, Step
from .model import Drift, Expected, Live
from .network import COMPARE
from .roles import compare_role

_COMPARE = {**COMPARE, "AWS::IAM::Role": compare_role}
# A route to a gateway needs the gateway in the VPC.
_FIRST = "AWS::EC2::VPCGatewayAttachment"


def drifts(expected: Iterable[Expected], live: Live) -> list[Drift]:
    """Every difference, in the order in which it can be put right."""
    found = [drift for item in expected if item.type in _COMPARE for drift in _COMPARE[item.type](item, live)]
    return sorted(found, key=lambda drift: drift.resource.type != _FIRST)


def unseen_types(expected: Iterable[Expected]) -> list[str]:
    """The types of the resources that are not looked at."""
    return sorted({item.type for item in expected if item.type not in _COMPARE})


def lost_sentence(stack_name: str, found: Iterable[Drift]) -> str | None:
    """One sentence for what cannot be put right in place, with the remedy; None when there is nothing of the kind.

    A change set that reverts drift makes deleted resources anew:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/drift-aware-change-sets.html
    """
    lost = [
        f"{drift.resource.type} {drift.name} is gone"
        if drift.aspect == "existence"
        else f"{drift.aspect} of {drift.resource.type} {drift.name} is {drift.before}, not {drift.after}"
        for drift in found
        if drift.call is None
    ]
    if not lost:
        return None
    command = (
        f"aws cloudformation create-change-set --stack-name {stack_name} --change-set-name revert-drift"
        " --use-previous-template --deployment-mode REVERT_DRIFT"
    )
    return (
        f"Stack {stack_name} was changed by hand, and an update of it passes over that: {'; '.join(lost)}. Next: make a"
        f" change set that reverts drift ({command}), look at it, execute it and run again; or delete the cluster"
        " (delete_cluster.yml) and make it anew."
    )


def repair_plan(found: Iterable[Drift]) -> Plan:
    """The writes as a user sees them, in order."""
    return Plan(
        tuple(
            Step("update", drift.resource.type, drift.name, {drift.aspect: drift.before}, {drift.aspect: drift.after})
            for drift in found
        )
    )
