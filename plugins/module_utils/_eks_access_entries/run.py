# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_access_entries without its options. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._aws.errors import AwsError
from .._core.plan import Plan, Step
from .._core.result import planned
from .._eks.api import missing_cluster
from .api import AccessEntryApi
from .model import Entry, EntrySpec
from .plan import KIND, POLICY, absent_plan, policy_of, present_plan, refuse_mode


class AccessEntriesRun:
    """One run of eks_access_entries; ``items`` as the module's option gives them."""

    def __init__(self, items: Iterable[Mapping[str, Any]], api: AccessEntryApi, partition: str) -> None:
        self._specs = EntrySpec.many(items, partition)
        self._api = api

    def run(self, state: str, *, purge: bool, check_mode: bool) -> dict[str, Any]:
        """Bring the entries into the state; returns what the module returns. Raises EksopsError."""
        cluster = self._api.cluster()
        if cluster and state == "present":
            refuse_mode((cluster.get("accessConfig") or {}).get("authenticationMode"))
        have = self._read() if cluster else {}
        plan = self._plan(state, have, purge)
        if not check_mode:
            if cluster is None and plan.changed:
                raise missing_cluster(self._api.cluster_name, self._api.client.region)
            for step in plan.steps:
                self._apply(step, have, cluster or {})
            if plan.changed:
                have = self._read()
        missing = [spec for spec in self._specs if spec.principal_arn not in have] if state == "present" else []
        shown = [*have.values(), *(Entry.predicted(spec) for spec in missing)]
        shown.sort(key=lambda entry: entry.principal_arn)
        return {**planned(plan), "access_entries": [entry.as_dict() for entry in shown]}

    def _read(self) -> dict[str, Entry]:
        return {arn: Entry.from_api(raw) for arn, raw in self._api.access_entries().items()}

    def _plan(self, state: str, have: dict[str, Entry], purge: bool) -> Plan:
        if state == "present":
            return present_plan(self._specs, have, purge=purge)
        return absent_plan(have if purge else [spec.principal_arn for spec in self._specs], have)

    def _apply(self, step: Step, have: dict[str, Entry], cluster: dict[str, Any]) -> None:
        if step.kind == POLICY:
            principal, policy = policy_of(step.name)
            if step.action == "delete":
                self._api.disassociate(principal, policy)
            else:
                self._api.associate(principal, policy, step.after)
        elif step.kind != KIND:
            self._api.tag(str(have[step.name].arn), step.after)
        elif step.action == "create":
            try:
                self._api.create(step.name, step.after, cluster.get("createdAt"))
            except AwsError as error:
                # Another run was faster, or this one was stopped right after the call: found, not made twice.
                if error.kind != "conflict" or self._api.access_entry(step.name) is None:
                    raise
        elif step.action == "update":
            self._api.change(step.name, step.after, have[step.name].modified_at)
        else:
            self._api.delete(step.name)
