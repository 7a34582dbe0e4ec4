"""eks_cluster_info: one read that says the same as the writing modules."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_cluster_info.run import run

from .conftest import Twin
from .test_eks_access_entries import run as entries
from .test_eks_addons import run as addons
from .test_eks_pod_identity_associations import KARPENTER
from .test_eks_pod_identity_associations import run as associations


def info(twin: Twin, name: str | None = "shop", wanted: dict[str, Any] | None = None) -> Any:
    aws: Any = twin
    return run(aws, name, wanted, "aws")


def test_no_cluster_is_an_empty_list(twin: Twin) -> None:
    assert info(twin) == {"changed": False, "clusters": [], "plans": None}
    assert info(twin, None)["clusters"] == []


def test_it_shows_what_the_writing_modules_show(twin: Twin) -> None:
    twin.cluster("shop")
    role = twin.role("pods", "pods.eks.amazonaws.com")
    made_addons = addons(twin, [{"name": "vpc-cni"}])["addons"]
    made_entries = entries(twin, [{"principal_arn": twin.role("nodes", "ec2.amazonaws.com"), "type": "EC2_LINUX"}])
    made_associations = associations(twin, [{**KARPENTER, "role_arn": role}])["associations"]
    (found,) = info(twin)["clusters"]
    assert found["name"] == "shop"
    assert found["addons"] == made_addons
    assert found["access_entries"] == made_entries["access_entries"]
    assert found["pod_identity_associations"] == made_associations
    assert found["nodegroups"] == []
    assert [one["name"] for one in info(twin, None)["clusters"]] == ["shop"]


def test_plans_say_which_modules_have_something_to_do(twin: Twin) -> None:
    role = twin.role("pods", "pods.eks.amazonaws.com")
    wanted: dict[str, Any] = {
        "cluster": {
            "kubernetes_version": "1.36",
            "role_arn": "arn:aws:iam::111122223333:role/c",
            "subnet_ids": twin.subnets(),
            "discovery_tags": {"karpenter.sh/discovery": "shop"},
            "discovery_subnet_ids": twin.subnets(),
        },
        "addons": [{"name": "vpc-cni"}],
        "pod_identity_associations": [{**KARPENTER, "role_arn": role}],
    }
    before = info(twin, wanted=wanted)["plans"]
    assert {name: part["needed"] for name, part in before.items()} == {
        "cluster": True,
        "nodegroups": False,
        "addons": True,
        "access_entries": False,
        "pod_identity_associations": True,
    }
    wanted["cluster"]["role_arn"] = twin.cluster("shop")
    addons(twin, wanted["addons"])
    after = info(twin, wanted=wanted)["plans"]
    assert {name: part["needed"] for name, part in after.items() if part["needed"]} == {
        "cluster": True,
        "pod_identity_associations": True,
    }
    assert {step["kind"] for step in after["cluster"]["plan"]} == {"Discovery tags"}


def test_a_cluster_that_is_being_deleted_is_an_error_before_any_write(twin: Twin) -> None:
    wanted = {"cluster": {"role_arn": twin.cluster("shop")}}
    twin.planes.slow.add("shop")
    twin.boto("eks").delete_cluster(name="shop")
    with pytest.raises(EksopsError, match="being deleted"):
        info(twin, wanted=wanted)
