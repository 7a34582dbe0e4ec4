# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""From options to manifests. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .options import NODE_CLASS_SPEC, NODE_POOL_SPEC, TEMPLATE_SPEC, Spec

RELEASE_ANNOTATION = "eksops.io/ami-release"
"""On a node class: the dated AMI release that its pinned ids belong to."""

MANAGER = "eksops-nodepool"
"""The field manager of server-side apply."""

# Where Karpenter writes an acronym in capitals, plain camel case does not give its name.
_ACRONYMS = {
    "associate_public_ip_address": "associatePublicIPAddress",
    "cluster_dns": "clusterDNS",
    "cpu_cfs_quota": "cpuCFSQuota",
    "http_protocol_ipv6": "httpProtocolIPv6",
    "image_gc_high_threshold_percent": "imageGCHighThresholdPercent",
    "image_gc_low_threshold_percent": "imageGCLowThresholdPercent",
    "ip_prefix_count": "ipPrefixCount",
    "kms_key_id": "kmsKeyID",
    "owner_id": "ownerID",
    "snapshot_id": "snapshotID",
}


def field_name(option: str) -> str:
    """Karpenter's name of an option: ``expire_after`` is ``expireAfter``."""
    return _ACRONYMS.get(option) or re.sub(r"_([a-z0-9])", lambda match: match.group(1).upper(), option)


def option_name(field: str) -> str:
    """The option of a field, for messages: ``kmsKeyID`` is ``kms_key_id``."""
    known = {name: option for option, name in _ACRONYMS.items()}
    return known.get(field) or re.sub(r"([A-Z])", lambda match: "_" + match.group(1).lower(), field)


def rendered(spec: Spec, values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of ``spec`` that have a value, under Karpenter's names."""
    return {
        field_name(option): _rendered_value(form, values[option])
        for option, form in spec.items()
        if values.get(option) is not None
    }


def node_class(values: Mapping[str, Any]) -> dict[str, Any]:
    """The EC2NodeClass of one item of ``node_classes``."""
    annotations = dict(values.get("annotations") or {})
    if values.get("ami_release"):
        annotations[RELEASE_ANNOTATION] = values["ami_release"]
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": _metadata(values, annotations),
        "spec": rendered(NODE_CLASS_SPEC, values),
    }


def node_pool(values: Mapping[str, Any]) -> dict[str, Any]:
    """The NodePool of one item of ``node_pools``."""
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass"}
    if values.get("node_class"):
        reference["name"] = values["node_class"]
    template: dict[str, Any] = {"spec": {"nodeClassRef": reference, **rendered(TEMPLATE_SPEC, values)}}
    node = {
        field: values[option]
        for field, option in (("labels", "node_labels"), ("annotations", "node_annotations"))
        if values.get(option) is not None
    }
    if node:
        template["metadata"] = node
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": _metadata(values, dict(values.get("annotations") or {})),
        "spec": {"template": template, **rendered(NODE_POOL_SPEC, values)},
    }


def _metadata(values: Mapping[str, Any], annotations: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": values["name"]}
    if values.get("labels"):
        metadata["labels"] = dict(values["labels"])
    if annotations:
        metadata["annotations"] = annotations
    return metadata


def _rendered_value(form: Mapping[str, Any], value: Any) -> Any:
    options: Spec | None = form.get("options")
    if options is None:
        return value
    if isinstance(value, list):
        return [rendered(options, item) for item in value]
    return rendered(options, value)
