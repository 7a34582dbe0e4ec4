# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Two hosts for one cluster, variables that nobody reads. Pure. Private to the collection."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .model import Finding

# Collection-wide variables that inventories use among themselves and no role reads.
INVENTORY_VARIABLES = frozenset(
    {
        "eksops_aws_profile",
        "eksops_binary_dir",
        "eksops_cluster_name",
        "eksops_deployment_environment",
        "eksops_environment",
        "eksops_expected_account_id",
        "eksops_karpenter_version",
        "eksops_kubeconfig",
        "eksops_kubernetes_version",
        "eksops_region",
        "eksops_tags",
    }
)
_COLLECTION = "eksops_"
# How alike a misspelt variable and a known one are, at least.
_ALIKE = 0.8


def duplicate_findings(host: str, hosts: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Other hosts that stand for the same cluster as ``host``.

    :param hosts: of each host: host, cluster_name, region, account (the expected one), profile; each may be None.
    """
    listed = [dict(item) for item in hosts]
    own = next((item for item in listed if item.get("host") == host), None)
    if own is None:
        return []
    same = [
        item
        for item in listed
        if item.get("host") != host
        and item.get("cluster_name") == own.get("cluster_name")
        and item.get("region") == own.get("region")
        and _account(item) == _account(own)
    ]
    if not same:
        return []
    names = ", ".join(sorted(str(item["host"]) for item in [own, *same]))
    place = f"account {own.get('account')}" if own.get("account") else "the same account"
    return [
        Finding(
            "inventory",
            "error",
            f"Hosts {names} are all cluster {own.get('cluster_name')} in {own.get('region')} of {place}",
            where="inventory: eksops_cluster_name, eksops_region, eksops_expected_account_id",
            allowed="one host for each cluster",
            next_step="take one of the hosts out, or give it another cluster name, region or account",
        )
    ]


def _account(item: Mapping[str, Any]) -> tuple[str, str]:
    # Without an expected account the profile is what leads to one.
    if item.get("account"):
        return ("account", str(item["account"]))
    return ("profile", str(item.get("profile") or ""))


def variable_findings(names: Iterable[str], specs: Mapping[str, Sequence[str]], wide: Iterable[str]) -> list[Finding]:
    """Variables with the prefix of a role that are not in its argument specification.

    :param names: the names of all variables of a host.
    :param specs: the options of each role.
    :param wide: the collection-wide variables (``eksops_*``) that roles and playbooks read.
    """
    known_wide = INVENTORY_VARIABLES | set(wide)
    findings = []
    for name in sorted(set(names)):
        role = _role_of(name, specs)
        if role is not None and name not in specs[role] and name != f"{role}_result":
            findings.append(_unknown(name, f"role {role}", specs[role], _near(name, specs[role], f"{role}_", 0.6)))
        elif name.startswith(_COLLECTION) and name not in known_wide:
            near = _near(name, known_wide, _COLLECTION, _ALIKE)
            if near:  # other names may be the inventory's own
                findings.append(_unknown(name, "the collection", sorted(known_wide), near))
    return findings


def _role_of(name: str, specs: Mapping[str, Sequence[str]]) -> str | None:
    """The role whose prefix the variable carries, the longest one when there are several."""
    return max((role for role in specs if name.startswith(f"{role}_")), key=len, default=None)


def _near(name: str, options: Iterable[str], prefix: str, cutoff: float) -> str | None:
    """The option that is most like the name, compared without the prefix that all of them share."""
    tails = [option.removeprefix(prefix) for option in options]
    near = difflib.get_close_matches(name.removeprefix(prefix), tails, n=1, cutoff=cutoff)
    return f"{prefix}{near[0]}" if near else None


def _unknown(name: str, owner: str, options: Sequence[str], near: str | None) -> Finding:
    return Finding(
        "variables",
        "error",
        f"Variable {name} is read by nobody: {owner} has no such input",
        where="inventory, group_vars, host_vars or extra variables",
        allowed=f"the inputs of {owner} ({len(options)})" if near else ", ".join(options),
        next_step=f"did you mean {near}" if near else "take it out, or give it another prefix",
    )
