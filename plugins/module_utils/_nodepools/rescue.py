# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Ends what a dead controller cannot: instances first, then what waited for them. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._core.progress import Progress
from .._core.waiting import Waiter
from .api import Api
from .cloud import ENDED, Cloud, Instance, Profile
from .model import Live, Request, instance_ids


class Rescue:
    """One rescue; ``done`` says what it did, by kind.

    :param cloud: makes the AWS side on first use: most runs need none, and it costs a second of CPU.
    """

    def __init__(self, request: Request, cloud: Callable[[], Cloud], progress: Progress) -> None:
        self._request = request
        self._make = cloud
        self._made: Cloud | None = None
        self._progress = progress
        self.done: dict[str, list[str]] = {}

    @property
    def _cloud(self) -> Cloud:
        self._made = self._made or self._make()
        return self._made

    def plan(self, going: Live) -> Plan:
        """What is to be deleted in AWS. Raises EksopsError for an instance that is not proved to be the cluster's."""
        if not self._request.cluster_name:
            raise EksopsError(
                "A rescue needs the name of the cluster",
                where="cluster_name",
                next_step="name it: tags are compared with it",
            )
        instances = [Step("delete", "Instance", item.id) for item in self._instances(going)]
        templates = [Step("delete", "LaunchTemplate", name) for name in sorted(self._templates(going).values())]
        profiles = [Step("delete", "InstanceProfile", item.name) for item in self._profiles(going)]
        return Plan(tuple(instances + templates + profiles))

    def carry_out(self, api: Api, going: Live) -> None:
        """End the instances, see them ended, then let the objects go. Raises EksopsError."""
        self.plan(going)  # proves each instance before the first write
        instances = [item.id for item in self._instances(going)]
        templates, profiles = self._templates(going), self._profiles(going)
        self.done = {"instances": instances, "finalizers": []}
        self._cloud.terminate(instances)
        known = sorted({*instances, *instance_ids(list(going.claims.values()))})
        self._wait(known)
        nodes = api.nodes_of(known)
        names = [node["metadata"]["name"] for node in nodes]
        api.delete("Node", names)
        freed = api.let_go("Node", nodes)
        for kind, items in (("NodeClaim", going.claims), ("NodePool", going.pools), ("EC2NodeClass", going.classes)):
            freed += api.let_go(kind, items.values())
        for template_id in templates:
            self._cloud.delete_template(template_id)
        for profile in profiles:
            self._cloud.delete_profile(profile)
        self.done |= {
            "nodes": names,
            "finalizers": freed,
            "launch_templates": sorted(templates.values()),
            "instance_profiles": [profile.name for profile in profiles],
        }

    @property
    def notice(self) -> str | None:
        """The rescue in a sentence."""
        if not self.done:
            return None
        parts = [f"{kind.replace('_', ' ')} {', '.join(names)}" for kind, names in self.done.items() if names]
        return "Karpenter's controller was not at work, so this run ended what it had made: " + "; ".join(parts)

    def _instances(self, going: Live) -> list[Instance]:
        """The instances to end: those of the claims, and those whose claim never learned of them."""
        claims = instance_ids(list(going.claims.values()))
        named = self._cloud.instances(claims)
        foreign = [item.id for item in named if not item.own]
        if foreign:
            raise EksopsError(
                "; ".join(f"Instance {name} of NodeClaim {claims[name]}" for name in foreign)
                + f" has no tag that proves it to be of cluster {self._request.cluster_name}; it is not touched",
                where="cluster_name",
                next_step="check the name of the cluster and the instance's tags",
            )
        found = named + self._cloud.launched(None if self._request.everything else set(going.pools))
        return [item for _id, item in sorted({item.id: item for item in found if item.state not in ENDED}.items())]

    def _templates(self, going: Live) -> dict[str, str]:
        return self._cloud.templates(None if self._request.everything else set(going.classes))

    def _profiles(self, going: Live) -> list[Profile]:
        uids = {item["metadata"]["uid"] for item in going.classes.values()}
        return self._cloud.profiles(None if self._request.everything else uids)

    def _wait(self, ids: list[str]) -> None:
        def look() -> Mapping[str, str | None]:
            states: dict[str, Any] = {f"instance {item.id}": item.state for item in self._cloud.instances(ids)}
            return {name: None if state == "terminated" else f"it is {state}" for name, state in states.items()}

        waiter = Waiter(self._request.wait_timeout_seconds, 2.0, 10.0, progress=self._progress)
        waiter.until("rescue", "Instances were not terminated", look)
