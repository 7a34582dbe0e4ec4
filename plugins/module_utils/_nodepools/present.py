# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Brings pools and classes into the wanted state. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._core.progress import Progress
from .._core.waiting import Waiter
from .._kubernetes.errors import KubernetesError
from .absent import Absent
from .api import Api
from .keep import keep_budgets, keep_pin, pinned
from .model import Live, Manifest, Request, image_architectures
from .ownership import conflict_lines
from .plan import purged, write_step
from .readiness import ready
from .rules import check
from .schema import with_defaults
from .schemas import spec_schema


class Present:
    """One run with state present. Without an ``api`` there is no cluster yet, and everything is to be created."""

    def __init__(self, request: Request, api: Api | None, removal: Absent, progress: Progress) -> None:
        self._request = request
        self._api = api
        self._removal = removal
        self._progress = progress
        self.live = Live(installed=False)
        self.unpinned: list[str] = []
        self._wanted: list[Manifest] = []

    def plan(self) -> Plan:
        """Reads, checks everything that was asked for, and lists the writes. Raises EksopsError."""
        self.live = self._api.read() if self._api else self.live
        request = self._request
        self.unpinned = [
            item["metadata"]["name"]
            for item in request.classes
            if not pinned(item) and item["metadata"]["name"] not in self.live.classes
        ]
        if self.unpinned and request.report_unpinned:
            return Plan()
        self._wanted, notices = self._kept()
        going = purged(request, self.live)
        self._check(going)
        return Plan(tuple(self._steps()), tuple(notices)) + (self._removal.plan_of(going, self.live))

    def carry_out(self, plan: Plan) -> None:
        """Writes, proves by a later reading that it is as planned, and waits for Karpenter. Raises EksopsError."""
        if self._api is None:
            raise EksopsError(
                "There is no cluster to write to",
                where="cluster_exists",
                next_step="make the cluster first (role eks_cluster); without one, only check mode has an answer",
            )
        if self.unpinned:
            return
        for step in plan.steps:
            if step.action != "delete":
                self._progress.report("pools", f"{step.action} {step.kind} {step.name}")
                self._write(self._api, next(item for item in self._wanted if _is(item, step)))
        if any(step.action == "delete" for step in plan.steps):
            self._removal.carry_out(plan)
        if plan.changed:
            self._prove()
        if self._request.wait and (self._wanted or plan.changed):
            self._wait(self._api)

    def predicted(self) -> Live:
        """What there would be: the live objects, and the wanted ones that do not exist yet."""
        new = {
            kind: {item["metadata"]["name"]: item for item in self._wanted if item["kind"] == kind}
            for kind in ("EC2NodeClass", "NodePool")
        }
        return replace(
            self.live,
            classes={**new["EC2NodeClass"], **self.live.classes},
            pools={**new["NodePool"], **self.live.pools},
        )

    def _kept(self) -> tuple[list[Manifest], list[str]]:
        wanted, notices = [], []
        for items, lives, keep in (
            (self._request.classes, self.live.classes, keep_pin),
            (self._request.pools, self.live.pools, keep_budgets),
        ):
            for item in items:
                live = lives.get(item["metadata"]["name"])
                kept, notice = keep(item, live) if live else (item, None)
                wanted.append(kept)
                notices += [notice] if notice else []
        return wanted, notices

    def _check(self, going: Live) -> None:
        architectures: dict[str, frozenset[str]] = dict(self._request.architectures)
        for name, item in self.live.classes.items():
            architectures.pop(name, None)  # the images that it keeps decide, not those that were offered
            if image_architectures(item):
                architectures[name] = image_architectures(item)
        check(
            [item for item in self._wanted if item["kind"] == "EC2NodeClass"],
            [item for item in self._wanted if item["kind"] == "NodePool"],
            karpenter_version=self._request.karpenter_version,
            architectures=architectures,
            live_classes=[name for name in self.live.classes if name not in going.classes],
        )

    def _steps(self) -> list[Step]:
        steps, conflicts = [], []
        for item in self._wanted:
            name = item["metadata"]["name"]
            live = (self.live.classes if item["kind"] == "EC2NodeClass" else self.live.pools).get(name)
            try:
                step = write_step(item, live, self._after(item))
            except KubernetesError as error:
                if error.kind != "conflict" or not error.causes:
                    raise
                conflicts += conflict_lines(item["kind"], name, error.causes)
                continue
            steps += [step] if step else []
        if conflicts:
            raise EksopsError(
                "; ".join(conflicts),
                where="node_classes, node_pools",
                next_step="leave these fields to their manager, or take them over with force_conflicts (in role "
                "karpenter_nodepool: karpenter_nodepool_force_conflicts); nothing was changed",
            )
        return steps

    def _after(self, item: Manifest) -> Manifest:
        """The object as the API server would store it."""
        if self._api and self.live.installed:
            return self._api.apply(item, force=self._request.force_conflicts, dry_run=True)
        return {**item, "spec": with_defaults(spec_schema(item["kind"], self._request.karpenter_version), item["spec"])}

    def _write(self, api: Api, item: Manifest) -> None:
        try:
            api.apply(item, force=self._request.force_conflicts, dry_run=False)
        except KubernetesError as error:
            if error.kind != "conflict":
                raise
            lines = conflict_lines(item["kind"], item["metadata"]["name"], error.causes)
            raise EksopsError(
                "; ".join(lines) or error.what,
                next_step="somebody else changed it at the same time; run again",
            ) from error

    def _prove(self) -> None:
        """A later reading needs no write any more. Raises EksopsError."""
        left = [step for step in self.plan().steps if step.action != "delete"]
        if left:
            raise EksopsError(
                "Written, but a later reading differs again: " + ", ".join(f"{step.kind} {step.name}" for step in left),
                next_step="see who else writes them (kubectl get -o yaml --show-managed-fields)",
            )

    def _wait(self, api: Api) -> None:
        waiter = Waiter(self._request.wait_timeout_seconds, 0.5, 5.0, progress=self._progress)
        step = "repair the cause named; Karpenter looks again by itself, and so does a second run"
        waiter.until(
            "pools", "Node pools and node classes did not become ready", lambda: self._look(api), next_step=step
        )

    def _look(self, api: Api) -> Mapping[str, str | None]:
        self.live = api.read()
        state: dict[str, str | None] = {}
        for label, kind, names, items in (
            ("node class", "EC2NodeClass", self._request.class_names, self.live.classes),
            ("node pool", "NodePool", self._request.pool_names, self.live.pools),
        ):
            for name in names:
                state[f"{label} {name}"] = ready.reason(kind, items[name]) if name in items else "it is gone"
        return state


def _is(item: Manifest, step: Step) -> bool:
    return bool(item["kind"] == step.kind and item["metadata"]["name"] == step.name)
