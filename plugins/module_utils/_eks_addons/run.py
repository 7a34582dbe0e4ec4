# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_addons without its options. Private to the collection."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._aws.errors import AwsError
from .._core.plan import Plan, Step
from .._core.result import planned
from .._eks.api import missing_cluster
from .._eks.waiters import EksWait
from .api import AddonApi
from .model import Addon, AddonSpec, Catalog
from .plan import KIND, absent_plan, needs_catalog, present_plan


class AddonsRun:
    """One run of eks_addons.

    :param kubernetes_version: for predictions while there is no cluster.
    :param wait: None when nothing is to be waited for.
    """

    def __init__(
        self, specs: tuple[AddonSpec, ...], api: AddonApi, wait: EksWait | None, kubernetes_version: str | None
    ) -> None:
        self._specs = specs
        self._api = api
        self._wait = wait
        self._kubernetes_version = kubernetes_version

    def run(self, state: str, *, purge: bool, check_mode: bool) -> dict[str, Any]:
        """Bring the add-ons into the state; returns what the module returns. Raises EksopsError."""
        cluster = self._api.cluster()
        have = self._read() if cluster else {}
        catalog = self._catalog(state, cluster, have)
        plan = self._plan(state, have, catalog, purge)
        if not check_mode:
            if cluster is None and plan.changed:
                raise missing_cluster(self._api.cluster_name, self._api.client.region)
            updates = {step.name: found for step in plan.steps if (found := self._apply(step, cluster))}
            have = self._finish(state, plan, updates) if cluster else {}
        return {**planned(plan), "addons": self._shown(state, have, catalog)}

    def _read(self) -> dict[str, Addon]:
        return {name: Addon.from_api(raw) for name, raw in self._api.addons().items()}

    def _catalog(self, state: str, cluster: dict[str, Any] | None, have: dict[str, Addon]) -> Catalog:
        version = cluster["version"] if cluster else self._kubernetes_version
        if state == "absent" or version is None or not needs_catalog(self._specs, have):
            return Catalog()
        return self._api.catalog(version, [spec.name for spec in self._specs if spec.name not in have])

    def _plan(self, state: str, have: dict[str, Addon], catalog: Catalog, purge: bool) -> Plan:
        if state == "present":
            return present_plan(self._specs, have, catalog, purge=purge)
        return absent_plan(have if purge else [spec.name for spec in self._specs], have)

    def _apply(self, step: Step, cluster: dict[str, Any] | None) -> str | None:
        """Carry out one step; returns the id of an update that EKS works on."""
        if step.kind != KIND:
            raw = self._api.addon(step.name) or {}
            self._api.tag(str(raw["addonArn"]), step.after)
        elif step.action == "create":
            try:
                self._api.create(step.name, step.after, (cluster or {}).get("createdAt"))
            except AwsError as error:
                # Another run was faster, or this one was stopped right after the call: found, not made twice.
                if error.kind != "conflict" or self._api.addon(step.name) is None:
                    raise
        elif step.action == "update":
            return self._api.change(step.name, step.after)
        else:
            self._api.delete(step.name)
        return None

    def _finish(self, state: str, plan: Plan, updates: dict[str, str]) -> dict[str, Addon]:
        """What a later read says, after everything that was started has come to its end."""
        if self._wait:
            changes = {f"{n} {u}": partial(self._api.update, u, addonName=n) for n, u in updates.items()}
            if changes:
                self._wait.ready("update", changes)
            going = [step.name for step in plan.steps if step.action == "delete"]
            if state == "present" and self._specs:
                self._wait.ready("addon", {spec.name: partial(self._api.addon, spec.name) for spec in self._specs})
            elif state == "absent":
                going = sorted({*going, *(spec.name for spec in self._specs)})
            if going:
                self._wait.gone("addon", {name: partial(self._api.addon, name) for name in going})
        return self._read()

    def _shown(self, state: str, have: dict[str, Addon], catalog: Catalog) -> list[dict[str, Any]]:
        missing = [spec for spec in self._specs if spec.name not in have] if state == "present" else []
        predicted = [Addon.predicted(spec, catalog.resolve(spec)) for spec in missing]
        return [addon.as_dict() for addon in sorted([*have.values(), *predicted], key=lambda addon: addon.name)]
