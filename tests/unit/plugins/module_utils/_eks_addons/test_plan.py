"""Which writes lead to the wanted add-ons, as tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_addons.model import (
    Addon,
    AddonSpec,
    Catalog,
    version_key,
)
from ansible_collections.eksops.karpenter.plugins.module_utils._eks_addons.plan import (
    absent_plan,
    needs_catalog,
    present_plan,
    unsettled,
)

ROWS = [
    {
        "addonName": "vpc-cni",
        "addonVersions": [
            {
                "addonVersion": "v1.19.2-eksbuild.9",
                "compatibilities": [{"clusterVersion": "1.36", "defaultVersion": True}],
            },
            {
                "addonVersion": "v1.19.2-eksbuild.10",
                "compatibilities": [{"clusterVersion": "1.36", "defaultVersion": False}],
            },
            {
                "addonVersion": "v1.30.0-eksbuild.1",
                "compatibilities": [{"clusterVersion": "1.37", "defaultVersion": True}],
            },
        ],
    }
]
CATALOG = Catalog.from_api("1.36", ROWS)
CNI = Addon(
    "vpc-cni", status="ACTIVE", version="v1.19.2-eksbuild.9", configuration_values={"env": {"A": "1"}}, tags={"a": "b"}
)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("default", "v1.19.2-eksbuild.9"),
        ("latest", "v1.19.2-eksbuild.10"),
        ("v1.19.2-eksbuild.9", "v1.19.2-eksbuild.9"),
    ],
)
def test_a_missing_addon_is_created_at_the_version_for_the_cluster(version: str, expected: str) -> None:
    plan = present_plan([AddonSpec("vpc-cni", version=version)], {}, CATALOG)
    assert [(step.action, step.name, step.after) for step in plan.steps] == [
        ("create", "vpc-cni", {"addonVersion": expected, "resolveConflicts": "OVERWRITE"})
    ]


def test_versions_are_not_known_without_a_cluster() -> None:
    plan = present_plan([AddonSpec("vpc-cni")], {}, Catalog())
    assert plan.steps[0].after == {"resolveConflicts": "OVERWRITE"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (AddonSpec("vpc-cni", version="v9"), r"has no version v9 for Kubernetes 1\.36.*v1\.19\.2-eksbuild\.10"),
        (AddonSpec("vcp-cni"), "offers no add-on vcp-cni for Kubernetes 1.36"),
    ],
)
def test_what_aws_does_not_offer_is_refused(spec: AddonSpec, said: str) -> None:
    with pytest.raises(EksopsError, match=said):
        present_plan([spec], {}, CATALOG)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, []),
        ({"configuration_values": {"env": {"A": "1"}}}, []),
        (
            {"configuration_values": {"env": {"A": "2"}}},
            [("Addon", {"configurationValues": '{"env":{"A":"2"}}', "resolveConflicts": "OVERWRITE"})],
        ),
        (
            {"service_account_role_arn": "arn:r"},
            [("Addon", {"serviceAccountRoleArn": "arn:r", "resolveConflicts": "OVERWRITE"})],
        ),
        ({"tags": {"a": "c"}}, [("Addon tags", {"a": "c"})]),
        ({"version": "latest"}, []),
    ],
)
def test_an_addon_that_is_there_is_changed_where_stated(wanted: dict[str, Any], expected: list[Any]) -> None:
    plan = present_plan([AddonSpec("vpc-cni", **wanted)], {"vpc-cni": CNI}, Catalog())
    assert [(step.kind, step.after) for step in plan.steps] == expected


def test_another_exact_version_is_a_notice_and_no_write() -> None:
    plan = present_plan([AddonSpec("vpc-cni", version="v1.19.2-eksbuild.10")], {"vpc-cni": CNI}, Catalog())
    assert not plan.changed
    assert "upgrade_cluster.yml" in plan.notices[0]


def test_others_are_only_purged_when_asked_for() -> None:
    have = {"vpc-cni": CNI, "coredns": Addon("coredns", status="ACTIVE")}
    assert not present_plan([AddonSpec("vpc-cni")], have, Catalog()).changed
    plan = present_plan([AddonSpec("vpc-cni")], have, Catalog(), purge=True)
    assert [(step.action, step.name) for step in plan.steps] == [("delete", "coredns")]


@pytest.mark.parametrize("status", ["CREATE_FAILED", "DELETE_FAILED", "DELETING"])
def test_an_addon_in_no_state_to_be_changed_is_an_error(status: str) -> None:
    with pytest.raises(EksopsError, match=f"has status {status}"):
        present_plan([AddonSpec("vpc-cni")], {"vpc-cni": replace(CNI, status=status)}, Catalog())


def test_absent_takes_away_what_is_there_once() -> None:
    have = {"vpc-cni": CNI, "coredns": Addon("coredns", status="DELETING")}
    plan = absent_plan(["vpc-cni", "coredns", "kube-proxy"], have)
    assert [step.name for step in plan.steps] == ["vpc-cni"]


def test_what_is_not_active_is_waited_for() -> None:
    have = {"vpc-cni": CNI, "coredns": Addon("coredns", status="DEGRADED")}
    specs = [AddonSpec("vpc-cni"), AddonSpec("coredns"), AddonSpec("kube-proxy")]
    assert unsettled(specs, have) == ["coredns"]
    assert needs_catalog(specs, have)
    assert not needs_catalog(specs[:2], have)


def test_versions_sort_by_number() -> None:
    assert sorted(["v1.9.0-eksbuild.2", "v1.10.0-eksbuild.1", "v1.9.0-eksbuild.10"], key=version_key) == [
        "v1.9.0-eksbuild.2",
        "v1.9.0-eksbuild.10",
        "v1.10.0-eksbuild.1",
    ]


def test_configuration_that_is_no_json_is_shown_as_it_is() -> None:
    assert Addon.from_api({"addonName": "x", "configurationValues": "a: b"}).configuration_values == "a: b"
    assert Addon.from_api({"addonName": "x", "configurationValues": '{"a":1}'}).configuration_values == {"a": 1}


def test_an_addon_named_twice_or_with_an_unknown_key_is_refused() -> None:
    with pytest.raises(EksopsError, match="vpc-cni is named twice"):
        AddonSpec.many([{"name": "vpc-cni"}, {"name": "vpc-cni"}])
    with pytest.raises(EksopsError, match="did you mean 'version'"):
        AddonSpec.many([{"name": "vpc-cni", "versoin": "latest"}])
