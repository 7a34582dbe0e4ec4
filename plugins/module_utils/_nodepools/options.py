# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The options of karpenter_nodepools for node classes and node pools. Pure. Private to the collection.

Fields are named as Karpenter names them, in snake case; ``build.py`` makes manifests by walking this very spec.
What Karpenter requires is asked for by its schema (``rules.py``), not here: a removal needs nothing but names.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, dict[str, Any]]

STRING: dict[str, Any] = {"type": "str"}
BOOLEAN: dict[str, Any] = {"type": "bool"}
INTEGER: dict[str, Any] = {"type": "int"}
MAP: dict[str, Any] = {"type": "dict"}
STRINGS: dict[str, Any] = {"type": "list", "elements": "str"}


def _items(options: Spec, **more: Any) -> dict[str, Any]:
    return {"type": "list", "elements": "dict", "options": options, **more}


def _map(options: Spec) -> dict[str, Any]:
    return {"type": "dict", "options": options}


METADATA: Spec = {"name": {"type": "str", "required": True}, "labels": MAP, "annotations": MAP}

NODE_CLASS_SPEC: Spec = {
    "ami_family": STRING,
    "ami_selector_terms": _items(
        {"alias": STRING, "id": STRING, "name": STRING, "owner": STRING, "ssm_parameter": STRING, "tags": MAP}
    ),
    "subnet_selector_terms": _items({"id": STRING, "tags": MAP}),
    "security_group_selector_terms": _items({"id": STRING, "name": STRING, "tags": MAP}),
    "capacity_reservation_selector_terms": _items(
        {"id": STRING, "owner_id": STRING, "instance_match_criteria": STRING, "tags": MAP}
    ),
    "placement_group_selector": _map({"id": STRING, "name": STRING}),
    "role": STRING,
    "instance_profile": STRING,
    "tags": MAP,
    "user_data": STRING,
    "associate_public_ip_address": BOOLEAN,
    "detailed_monitoring": BOOLEAN,
    "instance_store_policy": STRING,
    "ip_prefix_count": INTEGER,
    "context": STRING,
    "cpu_options": _map({"nested_virtualization": STRING}),
    "connection_tracking": _map(
        {"tcp_established_timeout": INTEGER, "udp_stream_timeout": INTEGER, "udp_timeout": INTEGER}
    ),
    "network_interfaces": _items({"network_card_index": INTEGER, "device_index": INTEGER, "interface_type": STRING}),
    "metadata_options": _map(
        {
            "http_endpoint": STRING,
            "http_protocol_ipv6": STRING,
            "http_put_response_hop_limit": INTEGER,
            "http_tokens": {"type": "str", "no_log": False},
        }
    ),
    "block_device_mappings": _items(
        {
            "device_name": STRING,
            "root_volume": BOOLEAN,
            "ebs": _map(
                {
                    "delete_on_termination": BOOLEAN,
                    "encrypted": BOOLEAN,
                    "iops": INTEGER,
                    "kms_key_id": STRING,
                    "snapshot_id": STRING,
                    "throughput": INTEGER,
                    "volume_initialization_rate": INTEGER,
                    "volume_size": STRING,
                    "volume_type": STRING,
                }
            ),
        }
    ),
    "kubelet": _map(
        {
            "cluster_dns": STRINGS,
            "cpu_cfs_quota": BOOLEAN,
            "eviction_hard": MAP,
            "eviction_max_pod_grace_period": INTEGER,
            "eviction_soft": MAP,
            "eviction_soft_grace_period": MAP,
            "image_gc_high_threshold_percent": INTEGER,
            "image_gc_low_threshold_percent": INTEGER,
            "kube_reserved": MAP,
            "max_pods": INTEGER,
            "pods_per_core": INTEGER,
            "system_reserved": MAP,
        }
    ),
}

_TAINTS = _items(
    {
        "key": {"type": "str", "required": True, "no_log": False},
        "value": STRING,
        "effect": {"type": "str", "required": True},
    }
)

TEMPLATE_SPEC: Spec = {
    "requirements": _items(
        {
            "key": {"type": "str", "required": True, "no_log": False},
            "operator": {"type": "str", "required": True},
            "values": STRINGS,
            "min_values": INTEGER,
        }
    ),
    "taints": _TAINTS,
    "startup_taints": _TAINTS,
    "expire_after": STRING,
    "termination_grace_period": STRING,
}

NODE_POOL_SPEC: Spec = {
    "disruption": _map(
        {
            "consolidation_policy": STRING,
            "consolidate_after": STRING,
            "budgets": _items({"nodes": STRING, "reasons": STRINGS, "schedule": STRING, "duration": STRING}),
        }
    ),
    "limits": MAP,
    "weight": INTEGER,
    "replicas": INTEGER,
}

NODE_CLASSES: dict[str, Any] = _items(
    {**METADATA, **NODE_CLASS_SPEC, "ami_release": STRING, "ami_architectures": STRINGS}, default=[]
)
NODE_POOLS: dict[str, Any] = _items(
    {
        **METADATA,
        "node_class": STRING,
        "node_labels": MAP,
        "node_annotations": MAP,
        **TEMPLATE_SPEC,
        **NODE_POOL_SPEC,
    },
    default=[],
)
