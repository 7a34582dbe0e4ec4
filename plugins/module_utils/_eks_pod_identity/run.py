# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_pod_identity_associations without its options. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._aws.errors import AwsError
from .._core.plan import Plan, Step
from .._core.result import planned
from .._eks.api import missing_cluster
from .api import AssociationApi
from .model import Association, AssociationSpec, Key
from .plan import KIND, absent_plan, present_plan


class AssociationsRun:
    """One run of eks_pod_identity_associations."""

    def __init__(self, specs: tuple[AssociationSpec, ...], api: AssociationApi) -> None:
        self._specs = specs
        self._api = api

    def run(self, state: str, *, purge: bool, check_mode: bool) -> dict[str, Any]:
        """Bring the associations into the state; returns what the module returns. Raises EksopsError."""
        cluster = self._api.cluster()
        have = self._read() if cluster else {}
        plan = self._plan(state, have, purge)
        if not check_mode:
            if cluster is None and plan.changed:
                raise missing_cluster(self._api.cluster_name, self._api.client.region)
            for step in plan.steps:
                self._apply(step, have, cluster or {})
            if plan.changed:
                have = self._read()
        missing = [spec for spec in self._specs if spec.key not in have] if state == "present" else []
        shown = [*have.values(), *(Association.predicted(spec) for spec in missing)]
        shown.sort(key=lambda association: association.key)
        return {**planned(plan), "associations": [association.as_dict() for association in shown]}

    def _read(self) -> dict[Key, Association]:
        found = [Association.from_api(raw) for raw in self._api.associations().values()]
        return {association.key: association for association in found}

    def _plan(self, state: str, have: dict[Key, Association], purge: bool) -> Plan:
        if state == "present":
            return present_plan(self._specs, have, purge=purge)
        return absent_plan(have if purge else [spec.key for spec in self._specs], have)

    def _apply(self, step: Step, have: dict[Key, Association], cluster: dict[str, Any]) -> None:
        namespace, service_account = step.name.split("/")
        key = (namespace, service_account)
        if step.kind != KIND:
            self._api.tag(str(have[key].arn), step.after)
        elif step.action == "create":
            try:
                self._api.create(namespace, service_account, step.after, cluster.get("createdAt"))
            except AwsError as error:
                # Another run was faster, or this one was stopped right after the call: found, not made twice.
                if error.kind != "conflict" or key not in self._read():
                    raise
        elif step.action == "update":
            self._api.change(str(have[key].id), step.after, have[key].modified_at)
        else:
            self._api.delete(str(have[key].id))
