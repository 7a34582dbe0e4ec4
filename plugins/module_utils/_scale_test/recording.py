# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What was heard while the test ran: objects as they were last seen, and when. Pure. Private to the collection.

Times of objects have a grain of one second; the times they were heard of do not, but carry the way here. Both are
kept. What vanishes stays here as it was last seen.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from .._kubernetes.model import Object, Resource, condition, timestamp
from .._kubernetes.watch import Change

POD_CONDITIONS = ("PodScheduled", "Ready")
CLAIM_CONDITIONS = ("Launched", "Registered", "Initialized")
DISRUPTED_TAINT = "karpenter.sh/disrupted"
"""On a node that Karpenter takes away, from its decision on; taken off again when the decision is."""
END_CONDITIONS = ("Drained", "VolumesDetached", "InstanceTerminating")


@dataclass
class Seen:
    """One object's story. Times are seconds since the epoch; ``heard`` has the first receipt of each mark.

    Marks are the types of conditions that are True, ``added``, ``deletion``, ``gone``, ``disrupted`` (a node's taint)
    and ``calm`` (the last time that this taint was taken off).
    """

    item: Object
    heard: dict[str, float] = field(default_factory=dict)
    before: bool = False

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.item["metadata"]["name"])

    @property
    def created(self) -> float:
        """When it was made."""
        return timestamp(self.item["metadata"]["creationTimestamp"])

    def became_true(self, kind: str) -> float | None:
        """When the condition became True by the object's own clock, or None."""
        found = condition(self.item, kind)
        if found is None or found.get("status") != "True":
            return None
        return timestamp(found["lastTransitionTime"])

    @property
    def deletion(self) -> float | None:
        """When its deletion was asked for."""
        moment = self.item["metadata"].get("deletionTimestamp")
        return timestamp(moment) if moment else None

    @property
    def gone(self) -> float | None:
        """When it was heard to be gone."""
        return self.heard.get("gone")


class Recording:
    """Hears the changes of several watches. Safe for several threads; ``news`` is set by each change."""

    def __init__(self) -> None:
        self.news = threading.Event()
        self._lock = threading.Lock()
        self._seen: dict[str, dict[str, Seen]] = {}
        self._started = False

    def start(self) -> None:
        """What is heard from now on is of the test; what was there already is marked ``before``."""
        with self._lock:
            self._started = True

    def hear(self, change: Change) -> None:
        """Take a change."""
        with self._lock:
            kind = self._seen.setdefault(change.resource.plural, {})
            uid = change.item["metadata"]["uid"]
            seen = kind.get(uid)
            if seen is None:
                seen = kind[uid] = Seen(change.item, before=not self._started)
                seen.heard["added"] = change.received
            seen.item = change.item
            self._mark(seen, change)
        self.news.set()

    @staticmethod
    def _mark(seen: Seen, change: Change) -> None:
        for entry in (seen.item.get("status") or {}).get("conditions") or ():
            if entry.get("status") == "True":
                seen.heard.setdefault(entry["type"], change.received)
        if any(taint.get("key") == DISRUPTED_TAINT for taint in (seen.item.get("spec") or {}).get("taints") or ()):
            seen.heard.setdefault("disrupted", change.received)
            seen.heard.pop("calm", None)
        elif "disrupted" in seen.heard:
            seen.heard.setdefault("calm", change.received)
        if seen.item["metadata"].get("deletionTimestamp"):
            seen.heard.setdefault("deletion", change.received)
        if change.type == "DELETED":
            seen.heard.setdefault("gone", change.received)

    def of(self, resource: Resource) -> list[Seen]:
        """All objects of the kind, in the order they were heard of."""
        with self._lock:
            return list(self._seen.get(resource.plural, {}).values())

    def by_name(self, resource: Resource) -> Mapping[str, Seen]:
        """The objects of the kind by name; of two with one name, the later."""
        return {seen.name: seen for seen in self.of(resource)}
