# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Runs every check and collects all findings. Writes nothing. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._aws.client import Aws, Module
from .._core.errors import EksopsError
from .api import eks_regions
from .declared import read_roles, templates_of
from .files import check_kubeconfig
from .inventory import duplicate_findings, variable_findings
from .model import Finding, Outcome, report, total
from .offline import check_account_format, check_names, check_policies, check_region, check_tags, check_versions
from .online import Place, check_cluster, check_identity, read_spot_role
from .pools import Pin, check_pools
from .tools import RunCommand, check_python, check_tools

# Stands for the account in size computations when the caller is not known; every account id is as long.
_ANY_ACCOUNT = "000000000000"


@dataclass(frozen=True)
class Request:
    """The options of the module."""

    params: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.params[name]


def run(module: Module, run_command: RunCommand) -> dict[str, Any]:
    """The module's result: every finding of every check."""
    request = Request(module.params)
    aws = Aws(module)
    # Given and empty is a mistake, and not the region of the environment.
    region = check_region(None if module.params.get("region") == "" else aws.region, eks_regions())
    names = check_names(request.cluster_name, request.given_layers)
    offline = total(
        [
            check_versions(request.kubernetes_version, request.karpenter_version, request.ami_families),
            names,
            check_tags(request.tags or {}),
            region,
            check_account_format(request.expected_account_id),
            _guarded("tools", lambda: check_tools(request.tools, request.binary_dir, run_command)),
            check_python(request.python_libraries),
            check_kubeconfig(request.kubeconfig),
            Outcome(findings=tuple(duplicate_findings(request.host or "", request.inventory_hosts))),
        ]
    )
    online = _online(aws, request, region, names)
    pools = _pools(request, online)
    declared = _guarded("roles", lambda: _declared(request, offline + online))
    return present(request.cluster_name, offline + pools + online + declared)


def _pools(request: Request, online: Outcome) -> Outcome:
    return check_pools(
        request.node_classes,
        request.node_pools,
        Pin.of(request.pin or {}),
        kubernetes=request.kubernetes_version,
        karpenter=request.karpenter_version,
        # A cluster that could not be read may be there.
        cluster_exists=(online.facts["cluster"] or {}).get("exists") is not False,
    )


def _online(aws: Aws, request: Request, region: Outcome, names: Outcome) -> Outcome:
    if region.findings:
        return Outcome({"identity": None, "cluster": None}, skipped=("identity and cluster, for want of a region",))
    place = Place(request.params, region.facts["region"], region.facts["partition"])
    expected = str(request.expected_account_id) if request.expected_account_id else None
    identity = check_identity(aws, place, expected)
    if identity.facts["identity"] is None:
        return identity + Outcome({"cluster": None}, skipped=("the cluster, for want of credentials that work",))
    if identity.findings:
        return identity + Outcome({"cluster": None}, skipped=("the cluster, since this is not the right account",))
    if names.findings:
        # With an empty name the question for a cluster would be the one for all clusters.
        return identity + Outcome({"cluster": None}, skipped=("the cluster, for want of a name that can be",))
    return identity + check_cluster(aws, request.cluster_name, request.karpenter_version) + read_spot_role(aws)


def _declared(request: Request, known: Outcome) -> Outcome:
    """What needs the files of the roles: unknown variables, and the size of policies."""
    if not request.roles_path:
        return Outcome(skipped=("variables and templates, for want of roles_path",))
    roles = read_roles(request.roles_path)
    unknown = variable_findings(request.variable_names, roles.specs, roles.wide)
    identity = known.facts.get("identity") or {}
    policies = check_policies(
        templates_of(roles),
        cluster=request.cluster_name,
        partition=known.facts.get("partition", "aws"),
        region=known.facts.get("region") or "us-gov-west-1",
        account=identity.get("account", _ANY_ACCOUNT),
    )
    return Outcome(findings=tuple(unknown)) + policies


def _guarded(check: str, function: Any) -> Outcome:
    try:
        outcome: Outcome = function()
    except EksopsError as error:
        return Outcome(findings=(Finding.of(check, error),))
    return outcome


def present(cluster: str, outcome: Outcome) -> dict[str, Any]:
    """The result of the module."""
    errors = [finding for finding in outcome.findings if finding.severity == "error"]
    return {
        "passed": not errors,
        "findings": [finding.as_dict() for finding in outcome.findings],
        "error_count": len(errors),
        "warning_count": len(outcome.findings) - len(errors),
        "skipped_checks": list(outcome.skipped),
        "report": report(f"Preflight of cluster {cluster}", outcome.findings, outcome.skipped),
        "facts": dict(outcome.facts),
    }
