"""A cluster in memory, as far as a removal and an application need one: what the API server and a controller do."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.errors import KubernetesError
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.cloud import Instance, Profile
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.model import FINALIZERS, Live

from .samples import live

Item = dict[str, Any]


class Cluster:
    """Objects by kind and name.

    :ivar absence: why no controller is at work, or None. :ivar blocked_nodes: what holds nodes until their claims'
        grace is ended. :ivar conflicts: causes by object name. :ivar writes: what was written, in order.
    """

    def __init__(self, *items: Item, installed: bool = True) -> None:
        self.objects: dict[str, dict[str, Item]] = {"EC2NodeClass": {}, "NodePool": {}, "NodeClaim": {}, "Node": {}}
        for item in items:
            self.objects[item["kind"]][item["metadata"]["name"]] = item
        self.installed = installed
        self.absence: str | None = None
        self.blocked_nodes: dict[str, list[str]] = {}
        self.conflicts: dict[str, list[Item]] = {}
        self.drifting = False
        self.writes: list[str] = []

    def read(self) -> Live:
        if not self.installed:
            return Live(installed=False)
        self._controller()
        seen = copy.deepcopy(self.objects)
        return Live(seen["EC2NodeClass"], seen["NodePool"], seen["NodeClaim"])

    def apply(self, manifest: Item, *, force: bool, dry_run: bool) -> Item:
        kind, name = manifest["kind"], manifest["metadata"]["name"]
        if name in self.conflicts and not force:
            raise KubernetesError("conflict", "Apply failed", status={"details": {"causes": self.conflicts[name]}})
        after = live(manifest)
        if not dry_run:
            self.writes.append(f"apply {kind} {name}")
            spec = {**manifest["spec"], "weight": 1} if self.drifting else manifest["spec"]
            self.objects[kind][name] = live({**manifest, "spec": spec})
        return after

    def delete(self, kind: str, names: Iterable[str]) -> None:
        for name in names:
            self.writes.append(f"delete {kind} {name}")
            item = self.objects[kind].get(name)
            if item is None:
                continue
            if item["metadata"].get("finalizers"):
                item["metadata"]["deletionTimestamp"] = "2026-11-30T00:00:00Z"
            else:
                del self.objects[kind][name]

    def controller_absence(self) -> str | None:
        return self.absence

    def blocked(self) -> dict[str, list[str]]:
        return self.blocked_nodes

    def end_grace(self, claims: Iterable[str]) -> None:
        self.writes += [f"end grace {name}" for name in claims]
        self.blocked_nodes = {}

    def nodes_of(self, instances: Iterable[str]) -> list[Item]:
        return [
            node for node in self.objects["Node"].values() if node["spec"]["providerID"].rsplit("/")[-1] in instances
        ]

    def let_go(self, kind: str, items: Iterable[Item]) -> list[str]:
        freed = []
        for item in list(items):
            name = item["metadata"]["name"]
            mine = self.objects[kind].get(name)
            if mine and mine["metadata"].get("finalizers"):
                mine["metadata"]["finalizers"] = [f for f in mine["metadata"]["finalizers"] if f not in FINALIZERS]
                freed.append(f"{kind}/{name}")
                if mine["metadata"].get("deletionTimestamp") and not mine["metadata"]["finalizers"]:
                    del self.objects[kind][name]
        return freed

    def _controller(self) -> None:
        """Ends claims whose node nothing holds, then classes that no claim uses."""
        if self.absence is not None:
            return
        for name, item in list(self.objects["NodeClaim"].items()):
            if item["metadata"].get("deletionTimestamp") and item["status"]["nodeName"] not in self.blocked_nodes:
                del self.objects["NodeClaim"][name]
        for name, item in list(self.objects["EC2NodeClass"].items()):
            if item["metadata"].get("deletionTimestamp") and not self.objects["NodeClaim"]:
                del self.objects["EC2NodeClass"][name]


class Account:
    """Karpenter's things in AWS, in memory; foreign instances are not the cluster's."""

    def __init__(self, *instances: str, foreign: Iterable[str] = ()) -> None:
        self.states = dict.fromkeys([*instances, *foreign], "running")
        self._foreign = set(foreign)
        self.template_names = {"lt-1": "karpenter.k8s.aws/1"}
        self.profile_names = ["demo_1"]

    def instances(self, ids: Iterable[str]) -> list[Any]:
        return [self._instance(name) for name in ids if name in self.states]

    def launched(self, pools: Any) -> list[Any]:
        del pools
        return [
            self._instance(name)
            for name, state in self.states.items()
            if name not in self._foreign and state == "running"
        ]

    def terminate(self, ids: Iterable[str]) -> None:
        self.states |= dict.fromkeys(ids, "terminated")

    def templates(self, classes: Any) -> dict[str, str]:
        del classes
        return dict(self.template_names)

    def delete_template(self, template_id: str) -> None:
        del self.template_names[template_id]

    def profiles(self, uids: Any) -> list[Any]:
        del uids
        return [Profile(name, ("role",)) for name in self.profile_names]

    def delete_profile(self, profile: Any) -> None:
        self.profile_names.remove(profile.name)

    def _instance(self, name: str) -> Instance:
        return Instance(name, self.states[name], name not in self._foreign)
