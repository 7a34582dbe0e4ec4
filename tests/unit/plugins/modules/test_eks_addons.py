"""eks_addons against the EKS API: what a later DescribeAddon says."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_addons.api import AddonApi
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_addons.model import AddonSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_addons.run import AddonsRun

from .conftest import Twin

FOUR = [{"name": name} for name in ("coredns", "eks-pod-identity-agent", "kube-proxy", "vpc-cni")]


def run(
    twin: Twin,
    addons: list[dict[str, Any]],
    state: str = "present",
    *,
    purge: bool = False,
    check_mode: bool = False,
    version: str | None = None,
) -> Any:
    api = AddonApi(twin.client("eks"), "shop")
    return AddonsRun(AddonSpec.many(addons), api, twin.wait(), version).run(state, purge=purge, check_mode=check_mode)


def described(twin: Twin) -> dict[str, Any]:
    eks = twin.boto("eks")
    names = eks.list_addons(clusterName="shop")["addons"]
    return {name: eks.describe_addon(clusterName="shop", addonName=name)["addon"] for name in names}


@pytest.fixture
def cluster(twin: Twin) -> str:
    return twin.cluster("shop")


def test_addons_live_from_nothing_to_nothing(twin: Twin, cluster: str) -> None:
    predicted = run(twin, FOUR, check_mode=True)
    assert described(twin) == {}
    made = run(twin, FOUR)
    found = described(twin)
    assert {name: addon["status"] for name, addon in found.items()} == {one["name"]: "ACTIVE" for one in FOUR}
    assert made["plan"] == predicted["plan"]
    assert {one["name"]: one["version"] for one in predicted["addons"]} == {
        name: addon["addonVersion"] for name, addon in found.items()
    }
    assert [addon.keys() for addon in made["addons"]] == [addon.keys() for addon in predicted["addons"]]
    for check_mode in (False, True):
        assert run(twin, FOUR, check_mode=check_mode)["changed"] is False

    gone = run(twin, [], "absent", purge=True)
    assert (gone["changed"], gone["addons"], described(twin)) == (True, [], {})
    assert run(twin, [], "absent", purge=True)["changed"] is False


def test_settings_are_changed_and_waited_for(twin: Twin, cluster: str) -> None:
    run(twin, FOUR[:1])
    wanted = [{"name": "coredns", "configuration_values": {"replicaCount": 3}, "tags": {"a": "b"}}]
    assert run(twin, wanted)["changed"] is True
    found = described(twin)["coredns"]
    assert (found["configurationValues"], found["tags"]) == ('{"replicaCount":3}', {"a": "b"})
    assert run(twin, wanted)["changed"] is False


def test_the_newest_version_is_a_creations_choice_only(twin: Twin, cluster: str) -> None:
    run(twin, [{"name": "vpc-cni"}])
    before = described(twin)["vpc-cni"]["addonVersion"]
    assert run(twin, [{"name": "vpc-cni", "version": "latest"}])["changed"] is False
    found = run(twin, [{"name": "vpc-cni", "version": "v0.0.1-eksbuild.1"}])
    assert found["changed"] is False
    assert "upgrade_cluster.yml" in found["notices"][0]
    assert described(twin)["vpc-cni"]["addonVersion"] == before


def test_others_stay_unless_purged(twin: Twin, cluster: str) -> None:
    run(twin, FOUR)
    assert run(twin, FOUR[:1])["changed"] is False
    assert run(twin, FOUR[:1], purge=True)["changed"] is True
    assert list(described(twin)) == ["coredns"]


def test_an_unknown_addon_is_refused_before_any_write(twin: Twin, cluster: str) -> None:
    with pytest.raises(EksopsError, match="offers no add-on vcp-cni"):
        run(twin, [*FOUR, {"name": "vcp-cni"}])
    assert described(twin) == {}


def test_without_a_cluster_only_check_mode_says_what_would_be(twin: Twin) -> None:
    predicted = run(twin, FOUR, check_mode=True, version="1.36")
    assert all(addon["version"].startswith("v") for addon in predicted["addons"])
    assert run(twin, FOUR, check_mode=True)["addons"][0]["version"] is None
    with pytest.raises(EksopsError, match="There is no EKS cluster shop"):
        run(twin, FOUR)
    assert run(twin, FOUR, "absent")["changed"] is False
