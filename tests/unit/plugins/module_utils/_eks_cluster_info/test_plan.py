"""One read tells which modules would do something."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_addons.model import Addon
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster.model import Cluster
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster_info.model import Whole
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster_info.plan import PARTS, Wanted, plans
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_nodegroup.model import Nodegroup

WANTED: dict[str, Any] = {
    "cluster": {"kubernetes_version": "1.36", "role_arn": "arn:c", "subnet_ids": ["a", "b"]},
    "nodegroups": [{"name": "system", "node_role_arn": "arn:n", "subnet_ids": ["a"]}],
    "addons": [{"name": "coredns"}],
    "access_entries": [{"principal_arn": "arn:n", "type": "EC2_LINUX"}],
    "pod_identity_associations": [{"namespace": "kube-system", "service_account": "karpenter", "role_arn": "arn:k"}],
}


def needed(wanted: dict[str, Any], have: Whole) -> dict[str, bool]:
    return {name: part["needed"] for name, part in plans(Wanted.from_params("shop", wanted, "aws"), have).items()}


def test_without_a_cluster_everything_is_to_be_made() -> None:
    assert needed(WANTED, Whole()) == dict.fromkeys(PARTS, True)


def test_a_part_that_is_not_stated_needs_nothing() -> None:
    assert needed({}, Whole()) == dict.fromkeys(PARTS, False)


@pytest.mark.parametrize(("status", "expected"), [("ACTIVE", False), ("CREATING", True), ("UPDATING", True)])
def test_what_is_under_way_has_to_be_waited_for(status: str, expected: bool) -> None:
    whole = Whole(
        cluster=Cluster("shop", status=status, kubernetes_version="1.36", role_arn="arn:c", subnet_ids=("a", "b")),
        nodegroups={
            "system": Nodegroup(
                "shop",
                "system",
                status=status,
                node_role_arn="arn:n",
                subnet_ids=("a",),
                ami_type="AL2023_x86_64_STANDARD",
            )
        },
        addons={"coredns": Addon("coredns", status=status)},
    )
    found = plans(
        Wanted.from_params("shop", {key: WANTED[key] for key in ("cluster", "nodegroups", "addons")}, "aws"), whole
    )
    for part in ("cluster", "nodegroups", "addons"):
        assert found[part]["needed"] is expected
        assert found[part]["would_change"] is False


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"nodegroup": []}, "did you mean 'nodegroups'"),
        ({"cluster": {"subnets": []}}, "Unknown key 'subnets'"),
        ({"nodegroups": [{"name": "a", "size": 1}]}, "Unknown key 'size'"),
        ({"nodegroups": [{"name": "a"}, {"name": "a"}]}, "a is named twice"),
        ({"cluster": {"kubernetes_version": 1.3}}, "is a number"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_read(wanted: dict[str, Any], said: str) -> None:
    with pytest.raises(EksopsError, match=said):
        Wanted.from_params("shop", wanted, "aws")


def test_a_cluster_that_is_being_deleted_is_an_error_here_already() -> None:
    with pytest.raises(EksopsError, match="is being deleted"):
        needed(WANTED, Whole(cluster=Cluster("shop", status="DELETING")))
