"""UpdateClusterConfig, DescribeUpdate and ListUpdates through boto3."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.waiting import until

from .helpers import code_of
from .world import Tenant


def _update(tenant: Tenant, **change: Any) -> dict[str, Any]:
    update = tenant.eks.update_cluster_config(name="demo", **change)["update"]
    assert update["status"] == "InProgress"

    def done() -> Any:
        found = tenant.eks.describe_update(name="demo", updateId=update["id"])["update"]
        return found if found["status"] == "Successful" else None

    found: dict[str, Any] = until(done, "the update")
    tenant.settled()
    return found


def test_each_kind_of_change_is_an_update_that_arrives(tenant: Tenant) -> None:
    tenant.cluster()
    endpoint = _update(tenant, resourcesVpcConfig={"endpointPrivateAccess": True, "publicAccessCidrs": ["10.0.0.0/8"]})
    assert endpoint["type"] == "EndpointAccessUpdate"
    assert {"type": "EndpointPrivateAccess", "value": "true"} in endpoint["params"]
    logging = {"clusterLogging": [{"types": ["api", "audit"], "enabled": True}]}
    assert _update(tenant, logging=logging)["type"] == "LoggingUpdate"
    assert _update(tenant, zonalShiftConfig={"enabled": True})["type"] == "ZonalShiftConfigUpdate"
    assert _update(tenant, deletionProtection=True)["type"] == "DeletionProtectionUpdate"
    assert _update(tenant, upgradePolicy={"supportType": "STANDARD"})["type"] == "UpgradePolicyUpdate"
    found = tenant.eks.describe_cluster(name="demo")["cluster"]
    assert found["resourcesVpcConfig"]["endpointPrivateAccess"] is True
    assert found["resourcesVpcConfig"]["publicAccessCidrs"] == ["10.0.0.0/8"]
    assert found["logging"]["clusterLogging"][0] == {"types": ["api", "audit"], "enabled": True}
    assert found["zonalShiftConfig"] == {"enabled": True}
    assert found["deletionProtection"] is True
    assert found["upgradePolicy"] == {"supportType": "STANDARD"}
    assert len(tenant.eks.list_updates(name="demo")["updateIds"]) == 5
    assert tenant.eks.list_updates(name="demo", addonName="coredns")["updateIds"] == []


def test_the_authentication_mode_goes_one_way_and_gives_the_creator_an_entry(tenant: Tenant) -> None:
    tenant.cluster(accessConfig={"authenticationMode": "CONFIG_MAP"})
    denied = code_of(lambda: tenant.eks.list_access_entries(clusterName="demo"))
    assert denied[0] == "InvalidRequestException"
    assert "authentication mode must be set to one of [API, API_AND_CONFIG_MAP]" in denied[1]
    _update(tenant, accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"})
    entries = tenant.eks.list_access_entries(clusterName="demo")["accessEntries"]
    assert entries == [tenant.account.principal_arn]
    back = code_of(
        lambda: tenant.eks.update_cluster_config(name="demo", accessConfig={"authenticationMode": "CONFIG_MAP"})
    )
    assert back[0] == "InvalidParameterException"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "Only one type of update"),
        ({"zonalShiftConfig": {"enabled": True}, "deletionProtection": True}, "Only one type of update"),
        ({"resourcesVpcConfig": {"endpointPublicAccess": False}}, "cannot both be false"),
        ({"resourcesVpcConfig": {"endpointPublicAccess": True}}, "already at the desired configuration"),
        ({"computeConfig": {"enabled": True}}, "computeConfig is not supported"),
        ({"accessConfig": {"authenticationMode": "API"}}, "already API"),
    ],
)
def test_bad_changes_name_what_is_wrong(standing: Tenant, change: dict[str, Any], says: str) -> None:
    code, message = code_of(lambda: standing.eks.update_cluster_config(name="demo", **change))
    assert code == "InvalidParameterException"
    assert says in message


def test_an_update_that_is_not_there(tenant: Tenant) -> None:
    tenant.cluster()
    assert code_of(lambda: tenant.eks.describe_update(name="demo", updateId="x"))[0] == "ResourceNotFoundException"
