# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_cluster without its options. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._aws.errors import AwsError
from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._core.progress import Progress
from .._core.result import planned
from .._eks.waiters import EksWait
from .api import ClusterApi
from .model import Cluster, ClusterSpec
from .plan import CLUSTER_GROUP, DISCOVERY, KIND, ON_THE_WAY, TAGS, absent_plan, present_plan


class ClusterRun:
    """One run of eks_cluster.

    :param wait: None when nothing is to be waited for.
    """

    def __init__(self, spec: ClusterSpec, api: ClusterApi, wait: EksWait | None, progress: Progress) -> None:
        self._spec = spec
        self._api = api
        self._wait = wait
        self._progress = progress

    def run(self, state: str, *, check_mode: bool) -> dict[str, Any]:
        """Bring the cluster into the state; returns what the module returns. Raises EksopsError."""
        cluster = self._read()
        plan = self._plan(state, cluster)
        if not check_mode:
            tagged = self._tag_now(state, cluster, plan)
            cluster, plan = self._settle(state, cluster, plan)
            rest = tuple(step for step in plan.steps if step not in tagged)
            for step in rest:
                self._apply(step)
            plan = Plan((*tagged, *rest), plan.notices)
            cluster = self._finish(state)
        shown = cluster or Cluster.predicted(self._spec)
        if state == "absent":
            shown = cluster or Cluster(name=self._spec.name, exists=False)
        return {**planned(plan), "exists": cluster is not None, "cluster": shown.as_dict()}

    def _read(self) -> Cluster | None:
        raw = self._api.cluster()
        return None if raw is None else Cluster.from_api(raw)

    def _plan(self, state: str, cluster: Cluster | None) -> Plan:
        tags: dict[str, dict[str, str]] = {}
        if self._spec.discovery_tags:
            group = cluster.cluster_security_group_id if cluster else None
            resources = [*(self._spec.discovery_subnet_ids or ()), *([group] if group else [])]
            tags = self._api.resource_tags(resources)
        return (present_plan if state == "present" else absent_plan)(self._spec, cluster, tags)

    def _tag_now(self, state: str, cluster: Cluster | None, plan: Plan) -> tuple[Step, ...]:
        """Put missing discovery tags on before any wait for EKS; Karpenter launches nothing without them."""
        there = state == "present" and cluster is not None
        steps = tuple(step for step in plan.steps if there and step.kind == DISCOVERY)
        for step in steps:
            self._apply(step)
        return steps

    def _settle(self, state: str, cluster: Cluster | None, plan: Plan) -> tuple[Cluster | None, Plan]:
        """Let a creation or an update that is under way come to its end, then plan anew: EKS does one at a time."""
        if cluster is None or cluster.status not in ON_THE_WAY or (self._wait is None and not plan.changed):
            return cluster, plan
        try:
            (self._wait or EksWait(1800, self._progress)).ready("cluster", {cluster.name: self._api.cluster})
        except EksopsError:
            # A creation that failed is no obstacle to a deletion; any other end of the wait is told.
            settled = self._read()
            if state == "present" or settled is None or settled.status in ON_THE_WAY:
                raise
        cluster = self._read()
        return cluster, self._plan(state, cluster)

    def _apply(self, step: Step) -> None:
        self._progress.report(step.kind, f"{step.action} {step.name}")
        if step.kind == KIND:
            self._create_or_delete(step)
        elif step.kind == TAGS:
            arn = str(self._api.existing_cluster()["arn"])
            self._api.tag(arn, step.after, [key for key in step.before if key not in step.after])
        elif step.kind == DISCOVERY:
            self._discover(step)
        else:
            update = self._api.update_config(step)
            # Waited for even with wait=false when more follows: EKS refuses a second update meanwhile.
            wait = self._wait or EksWait(1800, self._progress)
            wait.ready("update", {f"{step.kind} {update}": lambda: self._api.update(update)}, phase=step.kind)

    def _create_or_delete(self, step: Step) -> None:
        if step.action == "create":
            self._create(step)
        else:
            self._delete()

    def _create(self, step: Step) -> None:
        try:
            self._api.create(step.after)
        except AwsError as error:
            # Another run was faster, or this one was stopped right after the call: found, not made twice.
            if error.kind != "conflict" or self._api.cluster() is None:
                raise
        if self._wait:
            self._wait.ready("cluster", {step.name: self._api.cluster})

    def _delete(self) -> None:
        try:
            self._api.delete()
        except AwsError as error:
            if error.kind != "conflict":
                raise
            raise EksopsError(
                f"EKS does not delete cluster {self._spec.name} yet: {error.what}",
                where="name",
                next_step="delete its node groups and Fargate profiles first (delete_cluster.yml does so)",
            ) from error

    def _discover(self, step: Step) -> None:
        if step.action == "delete":
            self._api.untag_resources([step.name], step.before)
            return
        resource = step.name
        if resource == CLUSTER_GROUP:  # the cluster was not there at the time of the plan
            group = (self._api.cluster() or {}).get("resourcesVpcConfig", {}).get("clusterSecurityGroupId")
            if not group:
                return
            resource = str(group)
        self._api.tag_resources([resource], step.after)

    def _finish(self, state: str) -> Cluster | None:
        """What a later read says, after everything that was started has come to its end."""
        if state == "absent" and self._wait:
            self._wait.gone("cluster", {self._spec.name: self._api.cluster})
        return self._read()
