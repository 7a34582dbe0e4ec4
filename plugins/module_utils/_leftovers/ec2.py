# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The EC2 reads behind a sweep. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._aws.client import Client
from .._aws.errors import AwsError
from .model import Leftover
from .tags import NODEPOOL, group_tags, tag_keys, tagged_leftovers

IDS_PER_CALL = 200


def ec2_leftovers(client: Client, cluster: str) -> list[Leftover]:
    """Every EC2 resource, of whatever type, that a tag links to the cluster and that still exists.

    One DescribeTags covers all types: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeTags.html
    """
    linking = [
        {"Name": "key", "Values": tag_keys(cluster)},
        {"Name": "value", "Values": [cluster, "owned", "shared"]},
    ]
    entries = client.pages("describe_tags", "Tags", Filters=linking)
    ids = sorted({entry["ResourceId"] for entry in entries})
    for chunk in chunks(ids, IDS_PER_CALL):
        more = [{"Name": "key", "Values": ["Name", NODEPOOL]}, {"Name": "resource-id", "Values": chunk}]
        entries += client.pages("describe_tags", "Tags", Filters=more)
    by_kind: dict[str, list[str]] = {}
    for kind, id_ in group_tags(entries):
        by_kind.setdefault(kind, []).append(id_)
    states: dict[str, str] = {}
    names: dict[str, str] = {}
    for kind, read in _READERS.items():
        for chunk in chunks(sorted(by_kind.get(kind, [])), IDS_PER_CALL):
            more_states, more_names = read(client, chunk)
            # What its own listing no longer shows is gone, whatever its tags say.
            states |= dict.fromkeys(chunk, "deleted") | more_states
            names |= more_names
    return tagged_leftovers(cluster, entries, states, names)


def chunks(ids: Sequence[str], size: int) -> list[list[str]]:
    """The ids in lists of at most ``size``."""
    return [list(ids[start : start + size]) for start in range(0, len(ids), size)]


Reading = tuple[dict[str, str], dict[str, str]]


@dataclass(frozen=True)
class _Listing:
    """How a type is listed: by filter, because one id that is gone makes a listing by ids fail as a whole."""

    operation: str
    items: str
    by: str
    id: str
    state: str | None = None
    name: str | None = None

    def read(self, client: Client, ids: Sequence[str]) -> Reading:
        """States and names by id."""
        found = client.pages(self.operation, self.items, Filters=[{"Name": self.by, "Values": list(ids)}])
        states = {item[self.id]: str(item[self.state]) if self.state else "present" for item in found}
        return states, {item[self.id]: str(item.get(self.name) or "") for item in found} if self.name else {}


def _instances(client: Client, ids: Sequence[str]) -> Reading:
    by_id = [{"Name": "instance-id", "Values": list(ids)}]
    found = client.pages("describe_instances", "Reservations", Filters=by_id)
    instances = [instance for reservation in found for instance in reservation["Instances"]]
    return {item["InstanceId"]: item["State"]["Name"] for item in instances}, {}


def _fleets(client: Client, ids: Sequence[str]) -> Reading:
    """The fleets that can launch something.

    Karpenter tags the instant fleets that it launches by. Such a fleet launches once, its record stays for days after
    its instances have ended, and the instances are found by tags of their own. It is only shown by its id, and has no
    filter for it: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeFleets.html
    """
    try:
        found = client.pages("describe_fleets", "Fleets", FleetIds=list(ids))
    except AwsError as error:
        if error.kind != "not_found":
            raise
        # One of them is gone, and the call fails for all.
        each = [_fleets(client, [one])[0] for one in ids] if len(ids) > 1 else []
        return {id_: state for states in each for id_, state in states.items()}, {}
    return {item["FleetId"]: "deleted" if item.get("Type") == "instant" else item["FleetState"] for item in found}, {}


def _templates(client: Client, ids: Sequence[str]) -> Reading:
    # DescribeLaunchTemplates knows no filter by id; a template's tags end with it.
    del client
    return dict.fromkeys(ids, "present"), {}


_LISTINGS = {
    "volume": _Listing("describe_volumes", "Volumes", "volume-id", "VolumeId", "State"),
    "network-interface": _Listing(
        "describe_network_interfaces",
        "NetworkInterfaces",
        "network-interface-id",
        "NetworkInterfaceId",
        "Status",
        "Description",
    ),
    "security-group": _Listing("describe_security_groups", "SecurityGroups", "group-id", "GroupId", name="GroupName"),
    # These are described for a while after their end, tags and all.
    "natgateway": _Listing("describe_nat_gateways", "NatGateways", "nat-gateway-id", "NatGatewayId", "State"),
    "vpc-endpoint": _Listing(
        "describe_vpc_endpoints", "VpcEndpoints", "vpc-endpoint-id", "VpcEndpointId", "State", "ServiceName"
    ),
    "spot-instances-request": _Listing(
        "describe_spot_instance_requests",
        "SpotInstanceRequests",
        "spot-instance-request-id",
        "SpotInstanceRequestId",
        "State",
    ),
}
_READERS: dict[str, Callable[[Client, Sequence[str]], Reading]] = {
    "instance": _instances,
    "fleet": _fleets,
    "launch-template": _templates,
    **{kind: listing.read for kind, listing in _LISTINGS.items()},
}
