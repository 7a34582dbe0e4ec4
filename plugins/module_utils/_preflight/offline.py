# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The checks that need nothing but the inputs. Private to the collection."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._core.errors import EksopsError
from .._limits.names import cluster_name_errors, derived_names
from .._limits.policies import policy_errors, substitutions
from .._limits.tags import tag_errors
from .._versions.ami import ami_family, family_errors
from .._versions.compatibility import karpenter_warnings, version_errors
from .._versions.parse import karpenter_release, kubernetes_minor
from .model import Finding, Outcome


def check_versions(kubernetes: Any, karpenter: Any, families: Iterable[str]) -> Outcome:
    """Kubernetes x Karpenter x AMI family."""
    place = "eksops_kubernetes_version, eksops_karpenter_version"
    findings = [Finding.of("versions", error, place) for error in version_errors(kubernetes, karpenter)]
    minor = release = None
    try:
        minor = kubernetes_minor(kubernetes)
        release = karpenter_release(karpenter)
    except EksopsError:
        pass  # version_errors has told
    if release is not None and not findings:
        findings += [Finding("versions", "warning", text, place) for text in karpenter_warnings(release)]
    for name in families:
        findings += _family_findings(name, minor)
    return Outcome({"kubernetes_version": kubernetes, "karpenter_version": karpenter}, tuple(findings))


def _family_findings(name: str, minor: tuple[int, int] | None) -> list[Finding]:
    try:
        family = ami_family(name)
    except EksopsError as error:
        return [Finding.of("ami family", error, "AMI family")]
    errors = family_errors(family, minor) if minor else []
    return [Finding.of("ami family", error, "AMI family, eksops_kubernetes_version") for error in errors]


def check_names(cluster: str, given_layers: Iterable[str]) -> Outcome:
    """The cluster's name, and the names made of it."""
    errors = cluster_name_errors(cluster, frozenset(given_layers))
    findings = tuple(Finding.of("names", error, "eksops_cluster_name") for error in errors)
    return Outcome({"names": derived_names(cluster)}, findings)


def check_tags(tags: Mapping[Any, Any]) -> Outcome:
    """Tags that every service takes."""
    return Outcome(findings=tuple(Finding.of("tags", error, "eksops_tags") for error in tag_errors(tags)))


def check_policies(
    templates: Mapping[str, Mapping[str, Any]], *, cluster: str, partition: str, region: str, account: str
) -> Outcome:
    """The size of the managed policies, once the cluster's name is in them."""
    values = substitutions(cluster=cluster, partition=partition, region=region, account=account)
    findings = [
        Finding.of("policies", error) for path, item in templates.items() for error in policy_errors(item, values, path)
    ]
    return Outcome(findings=tuple(findings))


def check_region(region: str | None, known: Mapping[str, str]) -> Outcome:
    """Is it a region that EKS has.

    :param known: partition by region, from botocore's data.
    """
    if not region:
        step = "set eksops_region, such as us-west-2"
        return Outcome({"region": None}, (Finding("region", "error", "No region", "eksops_region", None, step),))
    if region in known:
        return Outcome({"region": region, "partition": known[region]})
    near = difflib.get_close_matches(region, known, n=1)
    return Outcome(
        {"region": region},
        (
            Finding(
                "region",
                "error",
                f"EKS has no region {region!r}",
                "eksops_region",
                ", ".join(sorted(known)) if not near else f"one of {len(known)} regions",
                f"did you mean {near[0]}" if near else "update botocore if the region is new",
            ),
        ),
    )


def check_account_format(expected: Any) -> Outcome:
    """An expected account is text of twelve digits: YAML takes leading zeros off a number."""
    text = "" if expected is None else str(expected)
    if text in ("", *_twelve_digits(text)):
        return Outcome()
    return Outcome(
        findings=(
            Finding(
                "account",
                "error",
                f"Expected account {expected!r} is no account id",
                "eksops_expected_account_id",
                'twelve digits in quotes, such as "012345678901"',
                "write it as text",
            ),
        )
    )


def _twelve_digits(text: str) -> Sequence[str]:
    return (text,) if len(text) == 12 and text.isdigit() else ()
