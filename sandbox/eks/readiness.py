"""The checks of a cluster before its version moves, as EKS names them. Pure.

https://docs.aws.amazon.com/eks/latest/userguide/view-cluster-insights.html
https://docs.aws.amazon.com/eks/latest/userguide/rollback-cluster.html#rollback-step1

ERROR: it concerns the next version. WARNING: it concerns a later one. UNKNOWN: nobody can tell. EKS has two checks
more before a rollback, of fields and of feature gates of the present version that are in use; they are not here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sandbox.eks import minors
from sandbox.eks.addonversions import OFFERS
from sandbox.eks.facts import Facts, Installed
from sandbox.eks.minors import MOST_BEHIND, Minor

UPGRADE, ROLLBACK = "UPGRADE_READINESS", "ROLLBACK_READINESS"
PASSING, WARNING, ERROR, UNKNOWN = "PASSING", "WARNING", "ERROR", "UNKNOWN"
_SKEW = "https://kubernetes.io/releases/version-skew-policy/"
_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide/"
_FIRST_WITHOUT_AL2 = (1, 33)


@dataclass(frozen=True)
class Verdict:
    """What a check says, and of which resources (verdict by Kubernetes URI or ARN)."""

    status: str
    reason: str
    resources: tuple[tuple[str, Verdict], ...] = ()
    summary: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """A check: its name and description, what to do about a finding, and where to read on."""

    name: str
    description: str
    recommendation: str
    links: dict[str, str]


_KUBELET = Check(
    "Kubelet version skew",
    "Checks whether the kubelet versions of the worker nodes would be within the supported version skew afterwards.",
    "Upgrade your worker nodes to match the Kubernetes version of your cluster control plane.",
    {
        "Kubelet version skew policy": f"{_SKEW}#kubelet",
        "Updating a managed node group": f"{_GUIDE}update-managed-node-group.html",
    },
)
_PROXY = Check(
    "kube-proxy version skew",
    "Checks whether the version of kube-proxy would be within the supported version skew afterwards.",
    "Bring kube-proxy to a version that the version skew policy allows.",
    {
        "Managing kube-proxy": f"{_GUIDE}managing-kube-proxy.html",
        "kube-proxy version skew policy": f"{_SKEW}#kube-proxy",
    },
)
_ADDONS = Check(
    "EKS add-on version compatibility",
    "Checks whether the versions of the installed EKS add-ons are compatible with the other Kubernetes version.",
    "Update the add-ons to a version that is compatible with both Kubernetes versions.",
    {"Updating an add-on": f"{_GUIDE}updating-an-add-on.html"},
)
_HEALTH = Check(
    "Cluster health issues",
    "Checks for health issues of the cluster that prevent another Kubernetes version.",
    "Resolve the cluster's health issues.",
    {"Cluster health FAQs": f"{_GUIDE}troubleshooting.html#cluster-health-status"},
)
_AL2 = Check(
    "Amazon Linux 2 compatibility",
    "Checks for nodes that run Amazon Linux 2, which has no images for Kubernetes 1.33 and later.",
    "Replace nodes of Amazon Linux 2 with nodes of Amazon Linux 2023 or Bottlerocket.",
    {"Amazon Linux 2023": f"{_GUIDE}al2023.html"},
)


def upgrade(facts: Facts) -> Iterator[tuple[Check, Minor, Verdict]]:
    """The upgrade insights: each check with the version that it is about."""
    now = minors.known(facts.version)
    to = minors.moved(now, 1)
    yield _KUBELET, to, _behind(_kubelets(facts), to, "kubelet")
    yield _PROXY, to, _behind(_proxies(facts), to, "kube-proxy")
    yield _ADDONS, to, _compatible(facts.addons, minors.dotted(to))
    yield _HEALTH, to, _healthy(facts)
    yield _AL2, to, _without_al2(facts, to)
    for release in sorted({minors.known(one.removed_in) for one in facts.deprecated or ()} - {now}):
        if release > now:
            yield _removal(release), release, _unused(facts, release, to)


def rollback(facts: Facts) -> Iterator[tuple[Check, Minor, Verdict]]:
    """The rollback insights, for the version before."""
    to = minors.moved(minors.known(facts.version), -1)
    yield _KUBELET, to, _not_newer(_kubelets(facts), to, "kubelet")
    yield _PROXY, to, _not_newer(_proxies(facts), to, "kube-proxy")
    yield _ADDONS, to, _compatible(facts.addons, minors.dotted(to))
    yield _HEALTH, to, _healthy(facts)


def _kubelets(facts: Facts) -> list[tuple[str, str]] | None:
    if facts.nodes is None:
        return None
    return [(f"/api/v1/nodes/{node.name}", node.kubelet) for node in facts.nodes]


def _proxies(facts: Facts) -> list[tuple[str, str]] | None:
    if facts.kube_proxy is None:
        return None
    uri = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy"
    return [(uri, facts.kube_proxy)] if facts.kube_proxy else []


def _behind(parts: list[tuple[str, str]] | None, to: Minor, what: str) -> Verdict:
    """Nothing may be more than three minors behind; what would be with one update more is told early."""
    if parts is None:
        return Verdict(UNKNOWN, f"Unable to determine the {what} versions.")
    floors = {ERROR: minors.moved(to, -MOST_BEHIND), WARNING: minors.moved(to, 1 - MOST_BEHIND)}
    found = []
    for uri, version in parts:
        for status, floor in floors.items():
            if (minor := minors.number(version)) is not None and minor < floor:
                limit = minors.dotted(to if status == ERROR else minors.moved(to, 1))
                found.append((uri, Verdict(status, f"{version} is more than {MOST_BEHIND} minors behind {limit}.")))
                break
    at_hand = all(minors.number(version) == minors.moved(to, -1) for _, version in parts)
    fine = f"All {what} versions match the cluster control plane version." if at_hand else None
    return _overall(found, fine or f"All {what} versions are within the supported version skew.")


def _not_newer(parts: list[tuple[str, str]] | None, to: Minor, what: str) -> Verdict:
    if parts is None:
        return Verdict(UNKNOWN, f"Unable to determine the {what} versions.")
    newer = [(uri, version) for uri, version in parts if (minors.number(version) or to) > to]
    found = [(uri, Verdict(ERROR, f"{version} is newer than {minors.dotted(to)}.")) for uri, version in newer]
    return _overall(found, f"No {what} version is newer than {minors.dotted(to)}.")


def _compatible(addons: list[Installed], to: str) -> Verdict:
    found, details = [], []
    for addon in addons:
        offered = OFFERS[addon.name].versions.get(to, [])
        if addon.version not in offered:
            found.append((addon.arn, Verdict(ERROR, f"{addon.name} {addon.version} is not compatible with {to}.")))
            details.append({"name": addon.name, "compatibleVersions": offered})
    verdict = _overall(found, f"All installed EKS add-on versions are compatible with Kubernetes {to}.")
    return Verdict(verdict.status, verdict.reason, verdict.resources, {"addonCompatibilityDetails": details})


def _healthy(facts: Facts) -> Verdict:
    if not facts.issues:
        return Verdict(PASSING, "No cluster health issues detected.")
    return Verdict(ERROR, " ".join(f"{issue.code}: {issue.message}" for issue in facts.issues))


def _without_al2(facts: Facts, to: Minor) -> Verdict:
    if facts.nodes is None:
        return Verdict(UNKNOWN, "Unable to determine the operating systems of nodes.")
    status = ERROR if to >= _FIRST_WITHOUT_AL2 else WARNING
    old = [node for node in facts.nodes if node.system == "Amazon Linux 2"]
    found = [(f"/api/v1/nodes/{node.name}", Verdict(status, "The node runs Amazon Linux 2.")) for node in old]
    return _overall(found, "No Amazon Linux 2 nodes detected.")


def _removal(release: Minor) -> Check:
    name = minors.dotted(release)
    return Check(
        f"Deprecated APIs removed in Kubernetes v{name}",
        f"Checks for requests to APIs that Kubernetes v{name} does not have.",
        f"Move to APIs that Kubernetes v{name} has, before the cluster is updated to it.",
        {"Kubernetes API deprecation guide": "https://kubernetes.io/docs/reference/using-api/deprecation-guide/"},
    )


def _unused(facts: Facts, release: Minor, to: Minor) -> Verdict:
    used = sorted(one.usage for one in facts.deprecated or () if minors.known(one.removed_in) == release)
    details = [{"usage": one, "stopServingVersion": minors.dotted(release), "clientStats": []} for one in used]
    reason = f"Deprecated APIs have been requested: {', '.join(used)}."
    return Verdict(ERROR if release <= to else WARNING, reason, (), {"deprecationDetails": details})


def _overall(found: list[tuple[str, Verdict]], fine: str) -> Verdict:
    """The worst of the resources, or that all is fine."""
    if not found:
        return Verdict(PASSING, fine)
    status = ERROR if any(verdict.status == ERROR for _, verdict in found) else WARNING
    return Verdict(status, " ".join(f"{uri.rpartition('/')[2]}: {one.reason}" for uri, one in found), tuple(found))
