# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Takes pools, claims and classes away and proves that they are gone. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from .._core.errors import EksopsError, EksopsTimeoutError
from .._core.plan import Plan
from .._core.progress import Progress
from .._core.waiting import Waiter
from .._kubernetes.model import condition
from .api import Api
from .model import Live, Manifest, Request, held
from .plan import class_users, deletions, remaining, targets
from .rescue import Rescue

PATIENCE_SECONDS = 8.0
"""A drain that takes longer than that is looked into: which pod, held by what."""
DRAIN_STEP = (
    "let the pods named go (loosen or delete their PodDisruptionBudget, drop the annotation), or remove with force, "
    "which lets them go after drain_timeout_seconds"
)
CLASS_STEP = "look at the events of what is named (kubectl describe) and at the controller's log for what keeps it"

Left = Callable[[Live, float], Mapping[str, "str | None"]]
"""From what is still there and the seconds waited to each thing's reason."""


class ControllerGoneError(EksopsError):
    """Nobody is there to end what is being deleted."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"Karpenter's controller is not at work: {why}; without it NodeClaims and node classes are never let go "
            "and their instances stay",
            next_step="start the controller (role karpenter_install says what ails it), or set "
            "controller_absent_action to rescue, which ends the instances through EC2 and takes the finalizers off",
        )


class Absent:
    """One removal. Without an ``api`` there is no cluster, and nothing to do."""

    def __init__(self, request: Request, api: Api | None, rescue: Rescue, progress: Progress) -> None:
        self._request = request
        self._api = api
        self._rescue = rescue
        self._progress = progress
        self._absence: str | None = None
        self.live = Live(installed=False)
        self.going = Live()
        self.notices: list[str] = []

    def plan(self) -> Plan:
        """Reads, and lists the deletions. Raises EksopsError."""
        live = self._api.read() if self._api else self.live
        return self.plan_of(targets(self._request, live), live)

    def plan_of(self, going: Live, live: Live) -> Plan:
        """The deletions of ``going``, a part of what is live. Raises EksopsError."""
        self.live, self.going = live, going
        users = class_users(going, live)
        if users:
            raise EksopsError("; ".join(users), where="node_classes", next_step="name those too, or let them go first")
        waiting = [*going.claims.values(), *going.classes.values(), *going.pools.values()]
        # What has no finalizer of Karpenter's needs no controller.
        self._absence = self._api.controller_absence() if self._api and held(waiting) else None
        if self._absence is None:
            return deletions(going)
        if not self._request.rescue:
            raise ControllerGoneError(self._absence)
        return deletions(going) + self._rescue.plan(going)

    def carry_out(self, plan: Plan) -> None:
        """Delete, and wait until each object is gone. Raises EksopsError."""
        if self._api is None or not plan.changed:
            return
        self._api.delete("NodePool", self.going.pools)
        self._api.delete("NodeClaim", self.going.claims)
        if self._absence is None:
            try:
                self._with_controller(self._api)
                return
            except ControllerGoneError:
                if not self._request.rescue:
                    raise
        self._api.delete("EC2NodeClass", self.going.classes)
        self._rescue.carry_out(self._api, remaining(self.going, self._api.read()))
        what = "What Karpenter had left was not removed"
        self._until(self._api, "cleanup", what, self._everything_left, 60.0, CLASS_STEP)

    def predicted(self) -> Live:
        """What there would be."""
        return Live(
            _without(self.live.classes, self.going.classes),
            _without(self.live.pools, self.going.pools),
            _without(self.live.claims, self.going.claims),
            self.live.installed,
        )

    def _with_controller(self, api: Api) -> None:
        """Karpenter drains and ends the nodes, then lets the classes go."""
        if self._request.wait:
            self._drain(api)
        api.delete("EC2NodeClass", self.going.classes)
        if self._request.wait:
            what, limit = "Pools and node classes were not removed", self._request.wait_timeout_seconds
            self._until(api, "classes", what, self._everything_left, limit, CLASS_STEP)

    def _drain(self, api: Api) -> None:
        request, what = self._request, "NodeClaims were not drained and removed"
        limit = request.drain_timeout_seconds if request.force else request.wait_timeout_seconds
        try:
            self._until(api, "drain", what, self._claims_left, limit, DRAIN_STEP)
        except EksopsTimeoutError as timeout:
            if not request.force:
                raise
            self.notices.append(
                f"After {request.drain_timeout_seconds:g} seconds the remaining pods were deleted past their "
                f"disruption budgets: {'; '.join(timeout.missing)}"
            )
            api.end_grace(remaining(self.going, api.read()).claims)
            self._until(api, "drain", what, self._claims_left, request.wait_timeout_seconds, CLASS_STEP)

    def _until(self, api: Api, phase: str, what: str, left: Left, seconds: float, step: str) -> None:
        start = time.monotonic()

        def look() -> Mapping[str, str | None]:
            self.live = api.read()
            return left(remaining(self.going, self.live), time.monotonic() - start)

        Waiter(seconds, 1.0, 5.0, progress=self._progress).until(phase, what, look, next_step=step)

    def _claims_left(self, left: Live, elapsed: float) -> dict[str, str | None]:
        state: dict[str, str | None] = {f"NodeClaim {name}": None for name in self.going.claims}
        if not left.claims or self._api is None:
            return state
        self._still_at_work(self._api, left)
        blocked = self._api.blocked() if elapsed > PATIENCE_SECONDS else {}
        return state | {f"NodeClaim {name}": _claim_reason(item, blocked) for name, item in left.claims.items()}

    def _everything_left(self, left: Live, elapsed: float) -> dict[str, str | None]:
        del elapsed
        state: dict[str, str | None] = {}
        for label, going, items in (
            ("NodeClaim", self.going.claims, left.claims),
            ("node pool", self.going.pools, left.pools),
            ("node class", self.going.classes, left.classes),
        ):
            state |= {f"{label} {name}": None for name in going}
            state |= {f"{label} {name}": _object_reason(item) for name, item in items.items()}
        if self._api is not None and not self._rescue.done:
            self._still_at_work(self._api, left)
        return state

    def _still_at_work(self, api: Api, left: Live) -> None:
        if held([*left.claims.values(), *left.classes.values()]):
            absence = api.controller_absence()
            if absence:
                raise ControllerGoneError(absence)


def _without(items: Mapping[str, Manifest], gone: Mapping[str, Manifest]) -> dict[str, Manifest]:
    return {name: item for name, item in items.items() if name not in gone}


def _object_reason(item: Manifest) -> str:
    finalizers = item["metadata"].get("finalizers") or []
    return f"it still has finalizers {', '.join(finalizers)}" if finalizers else "it is still there"


def _claim_reason(claim: Manifest, blocked: Mapping[str, list[str]]) -> str:
    """What a claim that is being deleted waits for."""
    node = str((claim.get("status") or {}).get("nodeName") or "")
    if node in blocked:
        return f"node {node} is not drained, {', '.join(blocked[node])}"
    if not node:
        return "its instance has no node yet and is being ended"
    drained = condition(claim, "Drained") or {}
    if drained.get("status") != "True":
        return f"node {node} is being drained"
    detached = condition(claim, "VolumesDetached") or {}
    if detached.get("status") not in ("True", "False"):
        return f"node {node} waits for its volumes to be detached"
    return f"the instance of node {node} is being ended"
