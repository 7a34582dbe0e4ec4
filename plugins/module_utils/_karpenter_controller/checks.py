# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The install gate: what proves that a controller works, and what leads to the cause when it does not. Pure.

Private to the collection. The checks of the pods themselves are in podchecks.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .answers import failed, passed, undecided
from .definitions import names_of
from .metrics import build_version
from .model import (
    CONTROLLER_RELEASE,
    DEFINITIONS_RELEASE,
    Check,
    Observed,
    Wanted,
    container_of,
    environment,
)
from .podchecks import credentials, leader, queue, replicas

INSTALL = "install karpenter-crd, then karpenter, at one version (role karpenter_install does)"


def all_checks(wanted: Wanted, seen: Observed) -> list[Check]:
    """Every check, in the order in which a cause leads to its consequences."""
    return [
        releases(wanted, seen),
        definitions(seen),
        settings(wanted, seen),
        credentials(seen),
        replicas(seen),
        leader(seen),
        queue(wanted, seen),
        version(wanted, seen),
    ]


def releases(wanted: Wanted, seen: Observed) -> Check:
    """Both charts are deployed, at one version."""
    have = seen.releases
    wrong = [f"{name} is not installed" for name in (DEFINITIONS_RELEASE, CONTROLLER_RELEASE) if name not in have]
    wrong += [f"{item.name} {item.chart_version} is {item.status}" for item in have.values() if not item.deployed]
    versions = {item.chart_version for item in have.values()}
    if len(versions) > 1:
        wrong.append("the charts have different versions: " + ", ".join(sorted(versions)))
    evidence = [f"{item.name} {item.chart_version} {item.status}, revision {item.revision}" for item in have.values()]
    if wrong:
        return failed("releases", f"In namespace {wanted.namespace}: {'; '.join(wrong)}", evidence, INSTALL)
    return passed("releases", "Both charts are deployed", *evidence)


def definitions(seen: Observed) -> Check:
    """All CRDs of the installed version are there, established and of release karpenter-crd."""
    release = seen.releases.get(DEFINITIONS_RELEASE)
    names = names_of(release.chart_version if release else None)
    found = {name: _definition_fault(seen.definitions.get(name)) for name in names}
    wrong = [f"{name} {fault}" for name, fault in found.items() if fault]
    if wrong:
        step = "run role karpenter_install: it adopts definitions of nobody and of the main chart into karpenter-crd"
        return failed("definitions", "CRDs: " + "; ".join(wrong), (), step)
    return passed("definitions", f"{len(names)} CRDs of release {DEFINITIONS_RELEASE}")


def _definition_fault(item: Mapping[str, Any] | None) -> str | None:
    if item is None:
        return "is missing"
    owner = (item["metadata"].get("annotations") or {}).get("meta.helm.sh/release-name")
    if owner != DEFINITIONS_RELEASE:
        return f"belongs to {'release ' + owner if owner else 'no release'}"
    conditions = (item.get("status") or {}).get("conditions") or []
    if not any(entry["type"] == "Established" and entry["status"] == "True" for entry in conditions):
        return "is not established"
    return None


def settings(wanted: Wanted, seen: Observed) -> Check:
    """The controller is told this cluster and this queue."""
    if seen.deployment is None:
        return failed("settings", f"There is no Deployment of Karpenter in namespace {wanted.namespace}", (), INSTALL)
    have = environment(seen.deployment)
    cluster, told = have.get("CLUSTER_NAME"), have.get("INTERRUPTION_QUEUE") or ""
    wrong = []
    if cluster != wanted.cluster_name:
        wrong.append(f"settings.clusterName is {cluster!r}, not {wanted.cluster_name!r}")
    if wanted.interruption_queue is not None and told != wanted.interruption_queue:
        wrong.append(f"settings.interruptionQueue is {told!r}, not {wanted.interruption_queue!r}")
    evidence = (f"CLUSTER_NAME={cluster}", f"INTERRUPTION_QUEUE={told}")
    if wrong:
        return failed("settings", "; ".join(wrong), evidence, "correct the chart's values (karpenter_install_values)")
    return passed("settings", "The controller is told this cluster and its queue", *evidence)


def version(wanted: Wanted, seen: Observed) -> Check:
    """The running controller is of the wanted version."""
    if wanted.version is None:
        return passed("version", "No version is asked for")
    if seen.deployment is None:
        return failed("version", "Nothing is installed", (), INSTALL)
    image = str(container_of(seen.deployment)["image"])
    built = {found for text in seen.metrics.values() if (found := build_version(text))}
    have = built or {image.partition("@")[0].rpartition(":")[2].removeprefix("v")}
    if have == {wanted.version}:
        return passed("version", f"Karpenter {wanted.version} runs", image)
    if wanted.version in have:
        return undecided("version", f"Karpenter {', '.join(sorted(have))} run side by side: a roll-out is at work")
    message = f"Karpenter {', '.join(sorted(have))} runs, not {wanted.version}"
    return failed("version", message, (image,), "run upgrade_karpenter.yml")
