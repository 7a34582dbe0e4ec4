# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: what the modules for lists of a cluster's things share. Private to the collection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from .._aws.errors import AwsError
from .._core.plan import Plan, Step
from .._core.result import planned
from .api import EksReads, missing_cluster

Cluster = Mapping[str, Any]
"""The cluster as DescribeCluster tells it."""


class Shown(Protocol):
    """A thing as modules return it."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""


Key = TypeVar("Key")
Spec = TypeVar("Spec")
Item = TypeVar("Item", bound=Shown)


class ItemsRun(ABC, Generic[Key, Spec, Item]):
    """One run of a module that brings a list of things into a state.

    :param result: the key of the module's result. :param specs: what the list asks for, by key.
    """

    def __init__(self, result: str, specs: Mapping[Key, Spec], api: EksReads) -> None:
        self._result = result
        self._specs = specs
        self._reads = api

    def run(self, state: str, *, purge: bool, check_mode: bool) -> dict[str, Any]:
        """Bring the things into the state; returns what the module returns. Raises EksopsError."""
        cluster = self._reads.cluster()
        have = self._read() if cluster else {}
        if state == "present":
            plan = self._present_plan(cluster, have, purge=purge)
        else:
            plan = self._absent_plan(list(have if purge else self._specs), have)
        if not check_mode:
            have = self._carry_out(state, plan, cluster, have)
        missing = [key for key in self._specs if key not in have] if state == "present" else []
        shown = {**have, **{key: self._predicted(self._specs[key]) for key in missing}}
        return {**planned(plan), self._result: [item.as_dict() for _key, item in sorted(shown.items())]}

    def _carry_out(self, state: str, plan: Plan, cluster: Cluster | None, have: dict[Key, Item]) -> dict[Key, Item]:
        if cluster is None:
            if plan.changed:
                raise missing_cluster(self._reads.cluster_name, self._reads.client.region)
            return have
        for step in plan.steps:
            self._apply(step, have, cluster)
        return self._finish(state, plan, have)

    def _finish(self, state: str, plan: Plan, have: dict[Key, Item]) -> dict[Key, Item]:
        """What a later read says, where something was written."""
        return self._read() if plan.changed else have

    @abstractmethod
    def _read(self) -> dict[Key, Item]:
        """All things of the cluster."""

    @abstractmethod
    def _present_plan(self, cluster: Cluster | None, have: dict[Key, Item], *, purge: bool) -> Plan:
        """The writes that lead to what is wanted."""

    @abstractmethod
    def _absent_plan(self, keys: list[Key], have: dict[Key, Item]) -> Plan:
        """The writes that take things away."""

    @abstractmethod
    def _apply(self, step: Step, have: dict[Key, Item], cluster: Cluster) -> None:
        """Carry out one step."""

    @abstractmethod
    def _predicted(self, spec: Spec) -> Item:
        """What a creation would make."""


def create_once(create: Callable[[], object], find: Callable[[], object | None]) -> None:
    """Create something that may be there by now: another run was faster, or this one was stopped right after the call.

    Raises AwsError, also for a conflict with something that ``find`` does not find.
    """
    try:
        create()
    except AwsError as error:
        if error.kind != "conflict" or find() is None:
            raise
