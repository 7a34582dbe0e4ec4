# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_nodegroup without its options. Private to the collection."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._aws.errors import AwsError
from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._core.progress import Progress
from .._core.result import planned
from .._eks.waiters import EksWait
from .api import NodegroupApi
from .model import Nodegroup, NodegroupSpec
from .plan import CONFIG, KIND, ON_THE_WAY, absent_plan, present_plan


class NodegroupRun:
    """One run of eks_nodegroup.

    :param wait: None when nothing is to be waited for.
    """

    def __init__(self, spec: NodegroupSpec, api: NodegroupApi, wait: EksWait | None, progress: Progress) -> None:
        self._spec = spec
        self._api = api
        self._wait = wait
        self._progress = progress

    def run(self, state: str, *, check_mode: bool) -> dict[str, Any]:
        """Bring the node group into the state; returns what the module returns. Raises EksopsError."""
        group = self._read()
        plan = self._plan(state, group)
        if not check_mode:
            group, plan = self._settle(state, group, plan)
            for step in plan.steps:
                self._apply(step)
            group = self._finish(state)
        shown = group or Nodegroup.predicted(self._spec)
        if state == "absent":
            shown = group or Nodegroup(cluster_name=self._spec.cluster_name, name=self._spec.name, exists=False)
        return {**planned(plan), "exists": group is not None, "nodegroup": shown.as_dict()}

    def _look(self) -> dict[str, Any] | None:
        return self._api.nodegroup(self._spec.name)

    def _read(self) -> Nodegroup | None:
        raw = self._look()
        return None if raw is None else Nodegroup.from_api(raw)

    def _plan(self, state: str, group: Nodegroup | None) -> Plan:
        return present_plan(self._spec, group) if state == "present" else absent_plan(group)

    def _settle(self, state: str, group: Nodegroup | None, plan: Plan) -> tuple[Nodegroup | None, Plan]:
        """Let what is under way come to its end, then plan anew: EKS does one thing at a time with a group."""
        if group is None or group.status not in ON_THE_WAY or (self._wait is None and not plan.changed):
            return group, plan
        try:
            (self._wait or EksWait(1800, self._progress)).ready("nodegroup", {group.name: self._look})
        except EksopsError:
            # A creation that failed is no obstacle to a deletion; any other end of the wait is told.
            settled = self._read()
            if state == "present" or settled is None or settled.status in ON_THE_WAY:
                raise
        group = self._read()
        return group, self._plan(state, group)

    def _apply(self, step: Step) -> None:
        self._progress.report(step.kind, f"{step.action} {step.name}")
        if step.kind == KIND and step.action == "create":
            self._create(step)
        elif step.kind == KIND:
            self._api.delete(step.name)
        elif step.kind == CONFIG:
            update = self._api.update_config(step.name, step.after)
            if self._wait:
                look = partial(self._api.update, update, nodegroupName=step.name)
                self._wait.ready("update", {f"{step.name} {update}": look}, phase=step.kind)
        else:
            raw = self._look() or {}
            self._api.tag(str(raw["nodegroupArn"]), step.after, [key for key in step.before if key not in step.after])

    def _create(self, step: Step) -> None:
        cluster = self._api.existing_cluster()
        try:
            self._api.create(step.after, cluster.get("createdAt"))
        except AwsError as error:
            # Another run was faster, or this one was stopped right after the call: found, not made twice.
            if error.kind != "conflict" or self._look() is None:
                raise
        if self._wait:
            self._wait.ready("nodegroup", {step.name: self._look})

    def _finish(self, state: str) -> Nodegroup | None:
        """What a later read says, after everything that was started has come to its end."""
        if state == "absent" and self._wait:
            self._wait.gone("nodegroup", {self._spec.name: self._look})
        return self._read()
