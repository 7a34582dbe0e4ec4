"""Options and descriptions become one form."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster.model import Cluster, ClusterSpec

RAW: dict[str, Any] = {
    "name": "shop",
    "arn": "arn:aws-cn:eks:cn-north-1:111122223333:cluster/shop",
    "createdAt": datetime(2026, 9, 1, 12, tzinfo=UTC),
    "version": "1.36",
    "status": "ACTIVE",
    "endpoint": "https://e",
    "certificateAuthority": {"data": "Q0E="},
    "identity": {"oidc": {"issuer": "https://i"}},
    "resourcesVpcConfig": {"subnetIds": ["a"], "vpcId": "vpc-1", "clusterSecurityGroupId": "sg-1"},
    "kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.100.0.0/16", "ipFamily": "ipv4"},
    "accessConfig": {"authenticationMode": "API"},
    "logging": {
        "clusterLogging": [{"types": ["audit", "api"], "enabled": True}, {"types": ["scheduler"], "enabled": False}]
    },
    "zonalShiftConfig": {"enabled": True},
    "tags": {"a": "b"},
}


def test_a_description_becomes_flat_and_plain() -> None:
    found = Cluster.from_api(RAW).as_dict()
    assert found["partition"] == "aws-cn"
    assert found["account_id"] == "111122223333"
    assert found["region"] == "cn-north-1"
    assert found["logging_types"] == ["api", "audit"]
    assert found["zonal_shift"] is True
    assert found["deletion_protection"] is False
    assert found["created_at"] == "2026-09-01T12:00:00+00:00"
    assert found["exists"] is True


def test_a_prediction_has_the_same_keys_as_a_description() -> None:
    predicted = Cluster.predicted(ClusterSpec("shop", kubernetes_version="1.36")).as_dict()
    assert predicted.keys() == Cluster.from_api(RAW).as_dict().keys()
    assert predicted["exists"] is False
    assert predicted["endpoint"] is None


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"kubernetes_version": 1.36}, "is a number"),
        ({"logging_types": ["audit", "everything"]}, "'everything' is not known"),
        ({"authentication_mode": "IAM"}, "'IAM' is not known"),
        ({"endpoint_public_access": False, "endpoint_private_access": False}, "nobody reaches"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(params: dict[str, Any], said: str) -> None:
    with pytest.raises(EksopsError, match=said):
        ClusterSpec.from_params({"name": "shop", **params})


def test_options_become_a_spec() -> None:
    spec = ClusterSpec.from_params(
        {"name": "shop", "kubernetes_version": "1.36", "subnet_ids": ["a", "b"], "tags": {"n": 1}, "state": "present"}
    )
    assert spec == ClusterSpec("shop", kubernetes_version="1.36", subnet_ids=("a", "b"), tags={"n": "1"})
