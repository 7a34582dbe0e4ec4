# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_pod_identity_associations without its options. Private to the collection."""

from __future__ import annotations

from functools import partial

from .._core.plan import Plan, Step
from .._eks.run import Cluster, ItemsRun, create_once
from .api import AssociationApi
from .model import Association, AssociationSpec, Key
from .plan import KIND, absent_plan, present_plan


class AssociationsRun(ItemsRun[Key, AssociationSpec, Association]):
    """One run of eks_pod_identity_associations."""

    def __init__(self, specs: tuple[AssociationSpec, ...], api: AssociationApi) -> None:
        super().__init__("associations", {spec.key: spec for spec in specs}, api)
        self._api = api

    def _read(self) -> dict[Key, Association]:
        found = [Association.from_api(raw) for raw in self._api.associations().values()]
        return {association.key: association for association in found}

    def _present_plan(self, cluster: Cluster | None, have: dict[Key, Association], *, purge: bool) -> Plan:
        return present_plan(self._specs.values(), have, purge=purge)

    def _absent_plan(self, keys: list[Key], have: dict[Key, Association]) -> Plan:
        return absent_plan(keys, have)

    def _predicted(self, spec: AssociationSpec) -> Association:
        return Association.predicted(spec)

    def _apply(self, step: Step, have: dict[Key, Association], cluster: Cluster) -> None:
        namespace, service_account = step.name.split("/")
        key = (namespace, service_account)
        if step.kind != KIND:
            self._api.tag(str(have[key].arn), step.after)
        elif step.action == "create":
            create = partial(self._api.create, namespace, service_account, step.after, cluster.get("createdAt"))
            create_once(create, lambda: self._read().get(key))
        elif step.action == "update":
            self._api.change(str(have[key].id), step.after, have[key].modified_at)
        else:
            self._api.delete(str(have[key].id))
