# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The checks that ask AWS: who calls, is the region on, what is there. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .._aws.client import Aws
from .._aws.errors import AwsError
from .._core.errors import EksopsError
from .._service_linked_role.api import find_role
from .._versions.compatibility import pair_errors
from .._versions.parse import karpenter_release, kubernetes_minor
from .api import ALWAYS_ON, Elsewhere, caller, find_cluster, probe
from .model import Finding, Outcome, Severity

_WAITING = frozenset({"CREATING", "UPDATING", "PENDING"})


@dataclass(frozen=True)
class Place:
    """Where the calls go: the options of the module, region and its partition."""

    params: Mapping[str, Any]
    region: str
    partition: str


def check_identity(aws: Aws, place: Place, expected_account: str | None) -> Outcome:
    """The caller, and whether it is in the expected account."""
    try:
        identity = caller(aws)
    except AwsError as error:
        return Outcome({"identity": None}, (_identity_problem(place, error),))
    findings = []
    partition = identity["arn"].split(":")[1]
    if expected_account and identity["account"] != expected_account:
        findings.append(
            Finding(
                "account",
                "error",
                f"The credentials lead to account {identity['account']} ({identity['arn']})",
                "eksops_expected_account_id, eksops_aws_profile",
                f"account {expected_account}",
                "choose the profile of the expected account, or correct the expected account",
            )
        )
    if partition != place.partition:
        findings.append(
            Finding(
                "partition",
                "error",
                f"The credentials are of partition {partition}, but {place.region} is in {place.partition}",
                "eksops_region, eksops_aws_profile",
                "a region and credentials of one partition",
                "correct the region or the profile",
            )
        )
    return Outcome({"identity": {**identity, "partition": partition}}, tuple(findings))


def _identity_problem(place: Place, error: AwsError) -> Finding:
    if error.kind == "rejected" and _works_elsewhere(place):
        # STS of a region that is switched off rejects every token:
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp_enable-regions.html
        return Finding(
            "region",
            "error",
            f"Region {place.region} is not switched on in this account",
            "eksops_region",
            "a region that is on",
            f"aws account enable-region --region-name {place.region}, wait some minutes, then run again",
        )
    where = "eksops_aws_profile, eksops_environment, the environment of this process"
    return Finding.of("identity", error, where)


def _works_elsewhere(place: Place) -> bool:
    other = ALWAYS_ON.get(place.partition)
    if other is None or other == place.region:
        return False
    try:
        caller(Aws(Elsewhere(place.params, other)))
    except AwsError:
        return False
    return True


def check_cluster(
    aws: Aws, name: str, karpenter: Any, probe_endpoint: Callable[[str, str | None], str | None] = probe
) -> Outcome:
    """A cluster of that name: its status, its version, and whether its endpoint answers."""
    try:
        cluster = find_cluster(aws, name)
    except AwsError as error:
        severity: Severity = "warning" if error.kind == "denied" else "error"
        return Outcome({"cluster": None}, (Finding.of("cluster", error, name, severity),))
    if cluster is None:
        return Outcome({"cluster": {"exists": False, "status": None, "version": None, "endpoint_answers": None}})
    status = cluster["status"]
    facts = {"exists": True, "status": status, "version": cluster.get("version"), "endpoint_answers": None}
    findings = [*_status_findings(name, status), *_version_findings(cluster, karpenter)]
    if status in ("ACTIVE", "UPDATING") and cluster.get("endpoint"):
        reason = probe_endpoint(cluster["endpoint"], cluster.get("certificateAuthority", {}).get("data"))
        facts["endpoint_answers"] = reason is None
        if reason is not None:
            findings.append(_unreachable(name, cluster, reason))
    return Outcome({"cluster": facts}, tuple(findings))


def read_spot_role(aws: Aws) -> Outcome:
    """The service-linked role of Spot, read here because a read in this process is cheap; making it is another's task.

    Who may not read it gets no finding: the task that makes it will tell.
    """
    try:
        role = find_role(aws.client("iam"), "spot.amazonaws.com")
    except AwsError:
        role = None
    return Outcome({"spot_role_arn": role.arn if role else None})


def _status_findings(name: str, status: str) -> list[Finding]:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html (status)"""
    place = f"EKS cluster {name}"
    if status == "DELETING":
        step = "wait until EKS has deleted it, then run again; or choose another name"
        return [Finding("cluster", "error", f"Cluster {name} is being deleted", place, "no cluster, or ACTIVE", step)]
    if status == "FAILED":
        step = "look at its health in the console, delete it with delete_cluster.yml, then run again"
        return [Finding("cluster", "error", f"Cluster {name} is FAILED", place, "no cluster, or ACTIVE", step)]
    if status in _WAITING:
        return [Finding("cluster", "warning", f"Cluster {name} is {status}; the run will wait for it", place)]
    return []


def _version_findings(cluster: Mapping[str, Any], karpenter: Any) -> list[Finding]:
    try:
        errors = pair_errors(karpenter_release(karpenter), kubernetes_minor(cluster.get("version", "")))
    except EksopsError:
        return []  # the offline check has told
    where = f"EKS cluster {cluster['name']} (Kubernetes {cluster['version']}), eksops_karpenter_version"
    return [Finding.of("versions", error, where) for error in errors]


def _unreachable(name: str, cluster: Mapping[str, Any], reason: str) -> Finding:
    access = cluster.get("resourcesVpcConfig", {})
    private = not access.get("endpointPublicAccess", True)
    cidrs = ", ".join(access.get("publicAccessCidrs", [])) or "any"
    step = (
        "the endpoint is private: run from inside its network, or set a proxy (HTTPS_PROXY in eksops_environment)"
        if private
        else f"check proxy and firewall, and that this machine's address is among the allowed ones ({cidrs})"
    )
    return Finding(
        "endpoint",
        "error",
        f"The endpoint of cluster {name} does not answer: {reason}",
        cluster["endpoint"],
        "an endpoint that answers from this machine",
        step,
    )
