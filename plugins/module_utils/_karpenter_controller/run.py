# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Reads, checks, waits: the module karpenter_controller_info without its options. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.errors import EksopsTimeoutError
from .._core.progress import Progress
from .._core.waiting import Waiter
from .._kubernetes.client import Client
from .api import claims_left, live_objects, observe
from .checks import all_checks
from .drift import differences, writers
from .model import CONTROLLER_RELEASE, DEFINITIONS_RELEASE, Check, Observed, Wanted
from .objects import OTHERWISE, Looked, missing_definitions, name_of, object_differences
from .rendered import deployment_of, documents_of

SETTLED = 3
"""A check that fails in so many looks in a row, with a pod that has lived through them, will not mend itself."""
LASTING = frozenset({"settings", "credentials", "queue", "version"})
"""Checks whose failure no waiting repairs."""


class Gate:
    """Looks until every check passes, a lasting failure has settled, or the time is over."""

    def __init__(self, client: Client, wanted: Wanted, progress: Progress) -> None:
        self._client = client
        self._wanted = wanted
        self._progress = progress
        self._failed: dict[str, int] = {}
        self.seen: Observed | None = None
        self.checks: list[Check] = []

    def look(self) -> Mapping[str, str | None]:
        """One observation: every check with None, or why it does not pass."""
        self.seen = observe(self._client, self._wanted.namespace)
        self.checks = all_checks(self._wanted, self.seen)
        for check in self.checks:
            self._failed[check.name] = self._failed.get(check.name, 0) + 1 if check.status == "fail" else 0
        if any(count >= SETTLED for name, count in self._failed.items() if name in LASTING):
            return {}
        return {check.name: None if check.status == "pass" else check.message for check in self.checks}

    def wait(self, timeout_seconds: float) -> None:
        """Look again and again. A time-out is not raised: the checks say what is missing."""
        try:
            Waiter(timeout_seconds, progress=self._progress, max_interval_seconds=5).until(
                "controller", "The controller did not pass its checks", self.look
            )
        except EksopsTimeoutError:
            return


def run(client: Client, wanted: Wanted, progress: Progress, *, wait: bool, timeout_seconds: float) -> dict[str, Any]:
    """The module's result: the same keys whatever is installed. Raises EksopsError."""
    gate = Gate(client, wanted, progress)
    gate.look()
    if wait and gate.seen and gate.seen.installed and not _passed(gate.checks):
        gate.wait(timeout_seconds)
    seen = gate.seen or observe(client, wanted.namespace)
    found = present(wanted, seen, gate.checks, claims_left(client))
    return found | by_hand(seen, live_objects(client, other_objects(seen), wanted.namespace))


def present(wanted: Wanted, seen: Observed, checks: list[Check], claims: list[dict[str, Any]]) -> dict[str, Any]:
    """The result."""
    unadopted = [
        name
        for name, item in sorted(seen.definitions.items())
        if (item["metadata"].get("annotations") or {}).get("meta.helm.sh/release-name") != "karpenter-crd"
    ]
    return {
        "installed": seen.installed,
        "ready": seen.installed and _passed(checks),
        "namespace": wanted.namespace,
        "version": seen.releases["karpenter"].chart_version if "karpenter" in seen.releases else None,
        "releases": {name: release.as_dict() for name, release in seen.releases.items()},
        "drift_writers": writers(seen.deployment),
        "leader": seen.leader,
        "checks": [check.as_dict() for check in checks] if seen.installed else [],
        "definitions": sorted(seen.definitions),
        "unadopted_definitions": unadopted,
        "node_claims": sorted(claim["metadata"]["name"] for claim in claims),
    }


def drift_of(seen: Observed) -> list[str]:
    """What of the Deployment is not as Helm left it; nothing while Helm is not done, or was not there at all."""
    release = seen.releases.get(CONTROLLER_RELEASE)
    if release is None or not release.deployed:
        return []
    rendered = deployment_of(release.manifest)
    return differences(rendered, seen.deployment) if rendered else []


def other_objects(seen: Observed) -> list[dict[str, Any]]:
    """What the controller's chart rendered beside the Deployment."""
    release = seen.releases.get(CONTROLLER_RELEASE)
    if release is None or not release.deployed:
        return []
    return [item for item in documents_of(release.manifest) if item.get("kind") not in OTHERWISE]


def by_hand(seen: Observed, objects: list[Looked]) -> dict[str, Any]:
    """What is not as Helm left it, release by release, and what nobody could look at."""
    definitions = seen.releases.get(DEFINITIONS_RELEASE)
    deployed = definitions is not None and definitions.deployed
    told = [text for one in objects if one.unseen is None for text in object_differences(one.rendered, one.live)]
    return {
        "drift": drift_of(seen) + told,
        "definitions_drift": missing_definitions(definitions.manifest, seen.definitions)
        if definitions and deployed
        else [],
        "drift_unseen": [f"{name_of(one.rendered)}: {one.unseen}" for one in objects if one.unseen is not None],
    }


def _passed(checks: list[Check]) -> bool:
    return all(check.status == "pass" for check in checks)
