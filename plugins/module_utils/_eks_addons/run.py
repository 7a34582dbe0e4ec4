# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_addons without its options. Private to the collection."""

from __future__ import annotations

from functools import partial

from .._core.plan import Plan, Step
from .._eks.run import Cluster, ItemsRun, create_once
from .._eks.waiters import EksWait
from .api import AddonApi
from .model import Addon, AddonSpec, Catalog
from .plan import KIND, absent_plan, needs_catalog, present_plan


class AddonsRun(ItemsRun[str, AddonSpec, Addon]):
    """One run of eks_addons.

    :param kubernetes_version: for predictions while there is no cluster.
    :param wait: None when nothing is to be waited for.
    """

    def __init__(
        self, specs: tuple[AddonSpec, ...], api: AddonApi, wait: EksWait | None, kubernetes_version: str | None
    ) -> None:
        super().__init__("addons", {spec.name: spec for spec in specs}, api)
        self._api = api
        self._wait = wait
        self._kubernetes_version = kubernetes_version
        self._catalog = Catalog()
        self._updates: dict[str, str] = {}

    def _read(self) -> dict[str, Addon]:
        return {name: Addon.from_api(raw) for name, raw in self._api.addons().items()}

    def _present_plan(self, cluster: Cluster | None, have: dict[str, Addon], *, purge: bool) -> Plan:
        version = cluster["version"] if cluster else self._kubernetes_version
        if version is not None and needs_catalog(self._specs.values(), have):
            self._catalog = self._api.catalog(version, [name for name in self._specs if name not in have])
        return present_plan(self._specs.values(), have, self._catalog, purge=purge)

    def _absent_plan(self, keys: list[str], have: dict[str, Addon]) -> Plan:
        return absent_plan(keys, have)

    def _predicted(self, spec: AddonSpec) -> Addon:
        return Addon.predicted(spec, self._catalog.resolve(spec))

    def _apply(self, step: Step, have: dict[str, Addon], cluster: Cluster) -> None:
        if step.kind != KIND:
            self._api.tag(str(have[step.name].arn), step.after)
        elif step.action == "create":
            create = partial(self._api.create, step.name, step.after, cluster.get("createdAt"))
            create_once(create, partial(self._api.addon, step.name))
        elif step.action == "update":
            self._updates[step.name] = self._api.change(step.name, step.after)
        else:
            self._api.delete(step.name)

    def _finish(self, state: str, plan: Plan, have: dict[str, Addon]) -> dict[str, Addon]:
        """What a later read says, after everything that was started, here or before, has come to its end."""
        if self._wait:
            changes = {f"{n} {u}": partial(self._api.update, u, addonName=n) for n, u in self._updates.items()}
            if changes:
                self._wait.ready("update", changes)
            going = [step.name for step in plan.steps if step.action == "delete"]
            if state == "present" and self._specs:
                self._wait.ready("addon", {name: partial(self._api.addon, name) for name in self._specs})
            elif state == "absent":
                going = sorted({*going, *self._specs})
            if going:
                self._wait.gone("addon", {name: partial(self._api.addon, name) for name in going})
        return self._read()
