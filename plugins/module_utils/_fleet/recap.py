# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The page that ends a run: what there is, what it costs, what changed, what comes next. Pure. Private.

``fleet`` is what karpenter_fleet_info returned, or empty where there is no cluster. ``run`` is what the playbook knows:
cluster_name, region, account_id, kubernetes_version, karpenter_version (wanted), check_mode, results (role results by
role name), next_steps (sentences).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import changes
from .notices import used_percent
from .table import WIDTH, age, cores, cut, days, gibibytes, money, table, wrapped

Fleet = Mapping[str, Any]
Run = Mapping[str, Any]
NODES_SHOWN = 30


def recap(fleet: Fleet | None, run: Run | None = None) -> list[str]:
    """The page, line by line, at most 110 characters wide."""
    there, run = (fleet or {}), (run or {})
    lines = [*_title(there, run)]
    if there.get("kubernetes_version"):
        for section in (_images, _pools, _nodes, _cost):
            lines += section(there)
    for title, block in (
        ("This run", changes.lines(run)),
        ("Notices", [line for text in _all_notices(there, run) for line in wrapped(text)]),
        ("Next steps", [line for text in _next_steps(there, run) for line in wrapped(text)]),
    ):
        lines += _section(title, block)
    return [cut(line, WIDTH) for line in lines]


def _section(title: str, block: Sequence[str]) -> list[str]:
    return ["", title, *block] if block else []


def _title(fleet: Fleet, run: Run) -> list[str]:
    place = ", ".join(str(part) for part in (run.get("region"), _account(run)) if part)
    name = f"Cluster {run.get('cluster_name', '?')}" + (f" ({place})" if place else "")
    if not fleet.get("kubernetes_version"):
        versions = f"Kubernetes {run.get('kubernetes_version', '?')}, Karpenter {run.get('karpenter_version', '?')}"
        return [name, f"  would be created: {versions}" if run.get("check_mode") else "  there is no such cluster"]
    karpenter = fleet["karpenter"]
    if not karpenter["installed"]:
        wanted = run.get("karpenter_version")
        told = f"Karpenter {wanted} would be installed" if run.get("check_mode") and wanted else "no Karpenter"
    else:
        ready = f"{karpenter['replicas_ready']} of {karpenter['replicas']} replicas ready"
        told = f"Karpenter {karpenter['version'] or 'of unknown version'} ({ready})"
    return [name, f"  Kubernetes {fleet['kubernetes_version']}, {told}"]


def _account(run: Run) -> str | None:
    return f"account {run['account_id']}" if run.get("account_id") else None


def _images(fleet: Fleet) -> list[str]:
    rows = [
        (
            str(item["name"]) if first else "",
            (str(item["ami_release"] or image.get("release") or "?") if first else str(image.get("release") or "?")),
            days(image.get("age_days")),
            ",".join(image.get("architectures") or ()) or "any",
            str(image.get("id") or "-"),
            ("pinned" if item["pinned"] else "not pinned") + (", deprecated" if image.get("deprecated") else ""),
        )
        for item in fleet["node_classes"]
        for first, image in _firsts(item["images"] or [{"age_days": item["ami_age_days"]}])
    ]
    return _section("AMI pins", table(("CLASS", "RELEASE", "AGE", "ARCH", "IMAGE", "PIN"), rows) if rows else [])


def _firsts(items: Sequence[Any]) -> list[tuple[bool, Any]]:
    return [(index == 0, item) for index, item in enumerate(items)]


def _pools(fleet: Fleet) -> list[str]:
    rows = [
        (
            str(pool["name"]),
            str(pool["node_class"]),
            "yes" if pool["ready"] else "no",
            str(pool["nodes"]),
            _of(pool, "cpu", cores),
            _of(pool, "memory", gibibytes),
            str(pool["weight"]),
            money(pool["cost_per_hour"]),
        )
        for pool in fleet["node_pools"]
    ]
    heads = ("POOL", "CLASS", "READY", "NODES", "CPU", "MEMORY", "WEIGHT", "$/HOUR")
    return _section("Node pools", table(heads, rows) if rows else ["  none"])


def _of(pool: Mapping[str, Any], resource: str, show: Callable[[Any], str]) -> str:
    """Usage of limit, with the share."""
    usage, limit = pool["usage"].get(resource, 0), pool["limits"].get(resource)
    if limit is None:
        return f"{show(usage)}, no limit"
    return f"{show(usage)} of {show(limit)} ({used_percent(pool, resource) or 0} %)"


def _nodes(fleet: Fleet) -> list[str]:
    nodes = fleet["nodes"]
    rows = [
        (
            str(node["name"]).partition(".")[0],
            str(node["instance_type"] or "?"),
            str(node["zone"] or "?"),
            str(node["architecture"] or "?"),
            str(node["capacity_type"] or "?"),
            _owner(node),
            _state(node),
            age(node["age_seconds"]),
            str(node["ami_release"] or node["image_id"] or "?"),
            money(node["cost_per_hour"]),
        )
        for node in nodes[:NODES_SHOWN]
    ]
    heads = ("NODE", "TYPE", "ZONE", "ARCH", "CAPACITY", "OWNER", "STATE", "AGE", "AMI", "$/HOUR")
    block = table(heads, rows) if rows else ["  none"]
    if len(nodes) > NODES_SHOWN:
        block.append(f"  and {len(nodes) - NODES_SHOWN} more")
    block += [
        f"  {claim['name']} is on its way (pool {claim['node_pool']}, {age(claim['age_seconds'])})"
        for claim in fleet["node_claims_on_the_way"]
    ]
    return _section("Nodes", block)


def _owner(node: Mapping[str, Any]) -> str:
    if node["node_pool"]:
        return f"pool {node['node_pool']}"
    return f"group {node['node_group']}" if node["node_group"] else "other"


def _state(node: Mapping[str, Any]) -> str:
    if not node["ready"]:
        return "not ready"
    if node["drifted"]:
        return "drifted"
    return "leaving" if node["unschedulable"] else "ready"


def _cost(fleet: Fleet) -> list[str]:
    cost = fleet["cost"]
    if cost["per_hour"] is None:
        return _section("Cost", ["  unknown: the controller tells no prices yet"])
    parts = f"pools {money(cost['node_pools_per_hour'])}, other nodes {money(cost['other_nodes_per_hour'])}"
    lines = [f"  {money(cost['per_hour'])} per hour, {money(cost['per_month'], 2)} per month of 730 hours ({parts})"]
    if cost["nodes_without_price"]:
        lines.append(f"  and {cost['nodes_without_price']} nodes without a known price")
    return _section("Cost of the nodes", [*lines, "  instances alone, by Karpenter's price estimate"])


def _all_notices(fleet: Fleet, run: Run) -> list[str]:
    return list(dict.fromkeys([*fleet.get("notices", ()), *changes.notices(run)]))


def _next_steps(fleet: Fleet, run: Run) -> list[str]:
    if run.get("check_mode") and changes.any_change(run):
        return ["Nothing was written. Run it again without --check to do this."]
    if run.get("next_steps"):
        return [str(step) for step in run["next_steps"]]
    if not fleet.get("node_pools") and fleet.get("kubernetes_version"):
        return ["Make a node pool (role karpenter_nodepool): without one, Karpenter launches nothing."]
    return []
