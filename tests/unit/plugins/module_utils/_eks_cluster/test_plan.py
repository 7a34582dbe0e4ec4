"""Which writes lead to the wanted cluster, as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster.model import Cluster, ClusterSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster.plan import (
    CLUSTER_GROUP,
    absent_plan,
    present_plan,
    update_request,
)

SPEC = ClusterSpec(
    name="shop",
    kubernetes_version="1.36",
    role_arn="arn:aws:iam::111122223333:role/c",
    subnet_ids=("subnet-a", "subnet-b"),
)
CLUSTER = Cluster(
    name="shop",
    arn="arn:aws:eks:eu-west-1:111122223333:cluster/shop",
    status="ACTIVE",
    kubernetes_version="1.36",
    role_arn="arn:aws:iam::111122223333:role/c",
    subnet_ids=("subnet-b", "subnet-a"),
    cluster_security_group_id="sg-1",
    endpoint_public_access=True,
    endpoint_private_access=False,
    public_access_cidrs=("0.0.0.0/0",),
    service_ipv4_cidr="10.100.0.0/16",
    authentication_mode="API_AND_CONFIG_MAP",
    support_type="EXTENDED",
    zonal_shift=False,
    deletion_protection=False,
    tags={"team": "a"},
)


def steps(plan: Any) -> list[tuple[str, str, Any]]:
    return [(step.action, step.kind, step.after) for step in plan.steps]


def test_a_missing_cluster_is_created_with_what_is_stated_and_nothing_else() -> None:
    plan = present_plan(replace(SPEC, tags={"a": "b"}, zonal_shift=True, logging_types=("audit",)), None)
    assert steps(plan) == [
        (
            "create",
            "Cluster",
            {
                "name": "shop",
                "roleArn": "arn:aws:iam::111122223333:role/c",
                "version": "1.36",
                "resourcesVpcConfig": {"subnetIds": ["subnet-a", "subnet-b"]},
                "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
                "bootstrapSelfManagedAddons": False,
                "logging": {
                    "clusterLogging": [
                        {"types": ["audit"], "enabled": True},
                        {"types": ["api", "authenticator", "controllerManager", "scheduler"], "enabled": False},
                    ]
                },
                "zonalShiftConfig": {"enabled": True},
                "tags": {"a": "b"},
            },
        )
    ]


@pytest.mark.parametrize("name", ["role_arn", "subnet_ids", "kubernetes_version"])
def test_a_creation_without_what_it_needs_is_refused(name: str) -> None:
    without: dict[str, Any] = {name: None}
    with pytest.raises(EksopsError, match=f"creating it needs {name}"):
        present_plan(replace(SPEC, **without), None)


def test_a_cluster_as_wanted_needs_nothing() -> None:
    assert present_plan(SPEC, CLUSTER).steps == ()


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"endpoint_private_access": True}, [("EndpointAccessUpdate", {"endpointPrivateAccess": True})]),
        ({"public_access_cidrs": ("10.0.0.0/8",)}, [("EndpointAccessUpdate", {"publicAccessCidrs": ["10.0.0.0/8"]})]),
        ({"endpoint_public_access": True}, []),
        (
            {"endpoint_public_access": False, "endpoint_private_access": True, "public_access_cidrs": ("1.2.3.4/32",)},
            [("EndpointAccessUpdate", {"endpointPublicAccess": False, "endpointPrivateAccess": True})],
        ),
        ({"security_group_ids": ("sg-9",)}, [("VpcConfigUpdate", {"securityGroupIds": ["sg-9"]})]),
        ({"logging_types": ("api", "audit")}, [("LoggingUpdate", ["api", "audit"])]),
        ({"authentication_mode": "API"}, [("AccessConfigUpdate", "API")]),
        ({"authentication_mode": "API_AND_CONFIG_MAP"}, []),
        ({"support_type": "STANDARD"}, [("UpgradePolicyUpdate", "STANDARD")]),
        ({"zonal_shift": True}, [("ZonalShiftConfigUpdate", True)]),
        ({"deletion_protection": True}, [("DeletionProtectionUpdate", True)]),
        ({"tags": {"team": "b", "x": "y"}}, [("Tags", {"team": "b", "x": "y"})]),
        ({"tags": {"x": "y"}, "purge_tags": True}, [("Tags", {"x": "y"})]),
    ],
)
def test_each_difference_is_one_update_of_its_kind(wanted: dict[str, Any], expected: list[tuple[str, Any]]) -> None:
    plan = present_plan(replace(SPEC, **wanted), CLUSTER)
    assert [(step.kind, step.after) for step in plan.steps] == expected


def test_the_authentication_mode_moves_one_step_at_a_time() -> None:
    cluster = replace(CLUSTER, authentication_mode="CONFIG_MAP")
    plan = present_plan(replace(SPEC, authentication_mode="API"), cluster)
    assert [(step.before, step.after) for step in plan.steps] == [
        ("CONFIG_MAP", "API_AND_CONFIG_MAP"),
        ("API_AND_CONFIG_MAP", "API"),
    ]


def test_each_update_asks_for_one_kind_of_change() -> None:
    wanted = replace(
        SPEC,
        endpoint_private_access=True,
        security_group_ids=("sg-9",),
        logging_types=(),
        authentication_mode="API",
        support_type="STANDARD",
        zonal_shift=True,
        deletion_protection=True,
    )
    plan = present_plan(wanted, replace(CLUSTER, logging_types=("api",)))
    requests = [update_request(step) for step in plan.steps]
    assert [next(iter(request)) for request in requests] == [
        "resourcesVpcConfig",
        "resourcesVpcConfig",
        "logging",
        "accessConfig",
        "upgradePolicy",
        "zonalShiftConfig",
        "deletionProtection",
    ]
    assert all(len(request) == 1 for request in requests)
    assert requests[2]["logging"]["clusterLogging"] == [
        {"types": ["api", "audit", "authenticator", "controllerManager", "scheduler"], "enabled": False}
    ]


def test_another_kubernetes_version_is_a_notice_and_no_write() -> None:
    plan = present_plan(replace(SPEC, kubernetes_version="1.37"), CLUSTER)
    assert not plan.changed
    assert len(plan.notices) == 1
    assert "upgrade_cluster.yml" in plan.notices[0]


@pytest.mark.parametrize(
    ("wanted", "observed", "said"),
    [
        ({"role_arn": "arn:aws:iam::111122223333:role/d"}, {}, "never changes it to arn:aws:iam::111122223333:role/d"),
        ({"service_ipv4_cidr": "172.20.0.0/16"}, {}, "has service_ipv4_cidr 10.100.0.0/16"),
        ({"authentication_mode": "CONFIG_MAP"}, {}, "never goes back to CONFIG_MAP"),
        ({}, {"status": "DELETING"}, "is being deleted"),
        (
            {},
            {"status": "FAILED", "health_issues": ({"code": "VpcNotFound", "message": "gone", "resource_ids": []},)},
            "FAILED: VpcNotFound: gone",
        ),
    ],
)
def test_what_cannot_be_is_one_error_with_a_remedy(wanted: dict[str, Any], observed: dict[str, Any], said: str) -> None:
    with pytest.raises(EksopsError, match=said) as caught:
        present_plan(replace(SPEC, **wanted), replace(CLUSTER, **observed))
    assert caught.value.next_step


@pytest.mark.parametrize("status", ["CREATING", "UPDATING", "PENDING"])
def test_a_cluster_on_its_way_is_planned_like_one_that_is_there(status: str) -> None:
    assert not present_plan(SPEC, replace(CLUSTER, status=status)).changed


def test_discovery_tags_go_on_subnets_and_the_clusters_group_where_missing() -> None:
    spec = replace(
        SPEC, discovery_tags={"karpenter.sh/discovery": "shop"}, discovery_subnet_ids=("subnet-a", "subnet-b")
    )
    tags = {"subnet-a": {"karpenter.sh/discovery": "shop"}, "sg-1": {"karpenter.sh/discovery": "other"}}
    plan = present_plan(spec, CLUSTER, tags)
    assert [(step.name, step.before, step.after) for step in plan.steps] == [
        ("subnet-b", {}, {"karpenter.sh/discovery": "shop"}),
        ("sg-1", {"karpenter.sh/discovery": "other"}, {"karpenter.sh/discovery": "shop"}),
    ]
    created = present_plan(spec, None, tags)
    assert [step.name for step in created.steps] == ["shop", "subnet-b", CLUSTER_GROUP]


@pytest.mark.parametrize(
    ("observed", "wanted", "expected"),
    [
        (None, {}, []),
        ({"status": "DELETING"}, {}, []),
        ({}, {}, [("delete", "Cluster")]),
        ({"status": "FAILED"}, {}, [("delete", "Cluster")]),
        (
            {"deletion_protection": True},
            {"deletion_protection": False},
            [("update", "DeletionProtectionUpdate"), ("delete", "Cluster")],
        ),
    ],
)
def test_a_cluster_is_taken_away(observed: dict[str, Any] | None, wanted: dict[str, Any], expected: list[Any]) -> None:
    cluster = None if observed is None else replace(CLUSTER, **observed)
    plan = absent_plan(replace(SPEC, **wanted), cluster)
    assert [(step.action, step.kind) for step in plan.steps] == expected


def test_a_protected_cluster_is_not_deleted_by_the_way() -> None:
    with pytest.raises(EksopsError, match="protected against deletion"):
        absent_plan(SPEC, replace(CLUSTER, deletion_protection=True))


def test_only_our_own_discovery_tag_is_taken_off() -> None:
    spec = replace(
        SPEC, discovery_tags={"karpenter.sh/discovery": "shop"}, discovery_subnet_ids=("subnet-a", "subnet-b")
    )
    tags = {"subnet-a": {"karpenter.sh/discovery": "shop", "x": "y"}, "subnet-b": {"karpenter.sh/discovery": "other"}}
    plan = absent_plan(spec, None, tags)
    assert [(step.action, step.name, step.before) for step in plan.steps] == [
        ("delete", "subnet-a", {"karpenter.sh/discovery": "shop"})
    ]
