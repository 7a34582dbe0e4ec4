# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Why a node does not drain: which pod, held by what. Pure. Private to the collection.

Karpenter evicts through the eviction API, which respects disruption budgets, and leaves pods alone that carry the
annotation karpenter.sh/do-not-disrupt: https://karpenter.sh/docs/concepts/disruption/#terminationgraceperiod
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
Item = Mapping[str, Any]


def blocked_pods(pods: Iterable[Item], budgets: Sequence[Item]) -> dict[str, list[str]]:
    """By node, one sentence for every pod that holds its node."""
    found: dict[str, list[str]] = {}
    for pod in pods:
        node = pod["spec"].get("nodeName")
        why = holder(pod, budgets) if node and not _leaves_by_itself(pod) else None
        if why:
            name = f"pod {pod['metadata']['namespace']}/{pod['metadata']['name']}"
            found.setdefault(str(node), []).append(f"{name} is held by {why}")
    return found


def holder(pod: Item, budgets: Iterable[Item]) -> str | None:
    """What keeps a pod from being evicted, or None."""
    annotation = (pod["metadata"].get("annotations") or {}).get(DO_NOT_DISRUPT)
    if annotation and annotation != "false":
        return f"its annotation {DO_NOT_DISRUPT}: {annotation}"
    for budget in budgets:
        if budget["metadata"]["namespace"] != pod["metadata"]["namespace"]:
            continue
        allowed = int((budget.get("status") or {}).get("disruptionsAllowed") or 0)
        if allowed == 0 and selects(budget["spec"].get("selector"), pod["metadata"].get("labels") or {}):
            return f"PodDisruptionBudget {budget['metadata']['name']}, which allows no disruption now"
    return None


def selects(selector: Item | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector takes these labels; an empty one takes all, none takes nothing."""
    if selector is None:
        return False
    exact = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return exact and all(_expression(entry, labels) for entry in selector.get("matchExpressions") or ())


def _expression(entry: Item, labels: Mapping[str, str]) -> bool:
    key, values = entry["key"], entry.get("values") or ()
    match entry["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels


def _leaves_by_itself(pod: Item) -> bool:
    """Whether a drain does not wait for the pod: it has ended, is ending, or belongs to the node."""
    owners = {owner["kind"] for owner in pod["metadata"].get("ownerReferences") or ()}
    ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return ended or bool(pod["metadata"].get("deletionTimestamp")) or bool(owners & {"DaemonSet", "Node"})
