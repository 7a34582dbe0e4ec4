# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_access_entries without its options. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from .._core.plan import Plan, Step
from .._eks.run import Cluster, ItemsRun, create_once
from .api import AccessEntryApi
from .model import Entry, EntrySpec
from .plan import KIND, POLICY, absent_plan, policy_of, present_plan, refuse_mode


class AccessEntriesRun(ItemsRun[str, EntrySpec, Entry]):
    """One run of eks_access_entries; ``items`` as the module's option gives them."""

    def __init__(self, items: Iterable[Mapping[str, Any]], api: AccessEntryApi, partition: str) -> None:
        specs = EntrySpec.many(items, partition)
        super().__init__("access_entries", {spec.principal_arn: spec for spec in specs}, api)
        self._api = api

    def _read(self) -> dict[str, Entry]:
        return {arn: Entry.from_api(raw) for arn, raw in self._api.access_entries().items()}

    def _present_plan(self, cluster: Cluster | None, have: dict[str, Entry], *, purge: bool) -> Plan:
        if cluster:
            refuse_mode((cluster.get("accessConfig") or {}).get("authenticationMode"))
        return present_plan(self._specs.values(), have, purge=purge)

    def _absent_plan(self, keys: list[str], have: dict[str, Entry]) -> Plan:
        return absent_plan(keys, have)

    def _predicted(self, spec: EntrySpec) -> Entry:
        return Entry.predicted(spec)

    def _apply(self, step: Step, have: dict[str, Entry], cluster: Cluster) -> None:
        if step.kind == POLICY:
            principal, policy = policy_of(step.name)
            if step.action == "delete":
                self._api.disassociate(principal, policy)
            else:
                self._api.associate(principal, policy, step.after)
        elif step.kind != KIND:
            self._api.tag(str(have[step.name].arn), step.after)
        elif step.action == "create":
            create = partial(self._api.create, step.name, step.after, cluster.get("createdAt"))
            create_once(create, partial(self._api.access_entry, step.name))
        elif step.action == "update":
            self._api.change(step.name, step.after, have[step.name].modified_at)
        else:
            self._api.delete(step.name)
