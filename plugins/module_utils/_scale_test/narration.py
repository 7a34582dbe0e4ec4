# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The controller's decisions in one sentence each. Pure. Private to the collection.

Messages and fields are those of Karpenter 1.14 in kubernetes-sigs/karpenter, pkg/controllers (provisioning,
nodeclaim/lifecycle, disruption, node/termination). A message that is not known is told as it is if it is a warning or
an error, and left out otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .attribution import component

Entry = Mapping[str, Any]
_OTHERS = re.compile(r" and (\d+) other\(s\)$")
_SAVINGS = re.compile(r"savings: (\$[0-9.]+)")
PASSING = frozenset(
    {
        "Node is deleting or marked for deletion",
        "Node is nominated for a pending pod",
        "Node isn't initialized",
        "Nodeclaim does not have an associated node",
        "Nodeclaim is deleting or marked for deletion",
    }
)
"""What DisruptionBlocked says of every node on its way in or out (pkg/controllers/state/statenode.go)."""
LOUD = frozenset({"WARN", "ERROR", "DPANIC", "PANIC", "FATAL"})
EVENT_REASONS = frozenset(
    {
        "FailedScheduling",
        "NoCompatibleInstanceTypes",
        "InsufficientCapacityError",
        "DisruptionBlocked",
        "FailedDraining",
        "FailedTermination",
        "NodeRepairBlocked",
        "SpotInterrupted",
        "TerminationGracePeriodExpiring",
        "FailedConsistencyCheck",
        "NodeClassNotReady",
    }
)
"""Events worth telling beside the log. Nominated repeats what the log says, once per pod."""


def _name(value: Any) -> str:
    """An object reference of the log: {"name": ...} with or without a namespace."""
    return str(value.get("name", "?")) if isinstance(value, Mapping) else str(value)


def _count(number: Any, word: str) -> str:
    return f"{number} {word}" if str(number) == "1" else f"{number} {word}s"


def _found(entry: Entry) -> str:
    names = str(entry.get("Pods", ""))
    rest = _OTHERS.search(names)
    number = names.count(", ") + 1 + (int(rest.group(1)) if rest else 0)
    return f"sees {_count(number, 'pod')} that {'fits' if number == 1 else 'fit'} on no node: {_short(names)}"


def _computed(entry: Entry) -> str:
    return f"decides on {_count(entry.get('nodeclaims'), 'new node')} for {_count(entry.get('pods'), 'pod')}"


def _inflight(entry: Entry) -> str:
    return f"sees that {_count(entry.get('pods'), 'pod')} will fit on {_count(entry.get('nodes'), 'node')} on the way"


def _created(entry: Entry) -> str:
    requests = entry.get("requests") or {}
    size = ", ".join(f"{requests[key]} {key}" for key in ("cpu", "memory", "pods") if key in requests)
    kinds = _short(str(entry.get("instance-types", "")))
    return (
        f"asks for {_name(entry.get('NodeClaim'))} from pool {_name(entry.get('NodePool'))} ({size}) as one of {kinds}"
    )


def _launched(entry: Entry) -> str:
    where = f"{entry.get('capacity-type')} {entry.get('instance-type')} in {entry.get('zone')}"
    return f"launched {_name(entry.get('NodeClaim'))}: {where} ({str(entry.get('provider-id')).rsplit('/', 1)[-1]})"


def _registered(entry: Entry) -> str:
    return f"{_name(entry.get('NodeClaim'))} joined as node {_name(entry.get('Node'))}"


def _initialized(entry: Entry) -> str:
    return f"{_name(entry.get('NodeClaim'))} is ready for pods"


def _disrupting(entry: Entry) -> str:
    nodes = _count(entry.get("disrupted-node-count", "?"), "node")
    new = _count(entry.get("replacement-node-count", 0), "replacement")
    pods = _count(entry.get("pod-count", 0), "pod")
    command = str(entry.get("command", ""))  # "<reason>/<id>: <decision>: nodepools=[...]: [...] (savings: $0.31)"
    savings = _SAVINGS.search(command)
    why = f"{command.partition('/')[0]}{f', saves {savings.group(1)} an hour' if savings else ''}"
    return f"disrupts {nodes} with {pods}, {new} ({why})"


def _tainted(entry: Entry) -> str:
    return f"keeps new pods off node {_name(entry.get('Node'))}"


def _deleted_node(entry: Entry) -> str:
    return f"node {_name(entry.get('Node'))} is drained and deleted"


def _deleted_claim(entry: Entry) -> str:
    return f"{_name(entry.get('NodeClaim'))} and its instance are gone"


def _limits(entry: Entry) -> str:
    return f"leaves out instance types that would breach the limits of pool {_name(entry.get('NodePool'))}"


SENTENCES: Mapping[str, Callable[[Entry], str]] = {
    "found provisionable pod(s)": _found,
    "computed new nodeclaim(s) to fit pod(s)": _computed,
    "computed unready node(s) will fit pod(s)": _inflight,
    "created nodeclaim": _created,
    "launched nodeclaim": _launched,
    "registered nodeclaim": _registered,
    "initialized nodeclaim": _initialized,
    "disrupting node(s)": _disrupting,
    "tainted node": _tainted,
    "deleted node": _deleted_node,
    "deleted nodeclaim": _deleted_claim,
    "instance types were excluded because they would breach limits": _limits,
}


def of_line(entry: Entry) -> str | None:
    """The sentence of a line of the controller's log, or None when it is not worth one."""
    known = SENTENCES.get(str(entry.get("message")))
    if known is not None:
        return known(entry)
    if str(entry.get("level", "")).upper() in LOUD:
        error = entry.get("error")
        return f"{str(entry['level']).lower()}: {entry.get('message')}" + (f": {error}" if error else "")
    return None


def of_event(event: Mapping[str, Any]) -> str | None:
    """The sentence of an event that Karpenter wrote, or None when it is another's or not worth one."""
    if event.get("reason") not in EVENT_REASONS or component(event) != "karpenter":
        return None
    if event.get("message") in PASSING:
        return None
    thing = event.get("involvedObject") or {}
    return f"{thing.get('kind')} {thing.get('name')}: {event.get('message')}"


def _short(text: str, limit: int = 100) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
