# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The EC2 reads behind a sweep. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .._aws.client import Client
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
    for chunk in _chunks(ids):
        more = [{"Name": "key", "Values": ["Name", NODEPOOL]}, {"Name": "resource-id", "Values": chunk}]
        entries += client.pages("describe_tags", "Tags", Filters=more)
    by_kind: dict[str, list[str]] = {}
    for kind, id_ in group_tags(entries):
        by_kind.setdefault(kind, []).append(id_)
    states: dict[str, str] = {}
    names: dict[str, str] = {}
    for kind, read in _READERS.items():
        for chunk in _chunks(sorted(by_kind.get(kind, []))):
            more_states, more_names = read(client, chunk)
            # What its own listing no longer shows is gone, whatever its tags say.
            states |= dict.fromkeys(chunk, "deleted") | more_states
            names |= more_names
    return tagged_leftovers(cluster, entries, states, names)


def _chunks(ids: Sequence[str]) -> list[list[str]]:
    return [list(ids[start : start + IDS_PER_CALL]) for start in range(0, len(ids), IDS_PER_CALL)]


Reading = tuple[dict[str, str], dict[str, str]]


def _by_filter(name: str, ids: Sequence[str]) -> list[dict[str, object]]:
    # By filter, because one id that is gone makes a listing by ids fail as a whole.
    return [{"Name": name, "Values": list(ids)}]


def _instances(client: Client, ids: Sequence[str]) -> Reading:
    found = client.pages("describe_instances", "Reservations", Filters=_by_filter("instance-id", ids))
    instances = [instance for reservation in found for instance in reservation["Instances"]]
    return {item["InstanceId"]: item["State"]["Name"] for item in instances}, {}


def _volumes(client: Client, ids: Sequence[str]) -> Reading:
    found = client.pages("describe_volumes", "Volumes", Filters=_by_filter("volume-id", ids))
    return {item["VolumeId"]: item["State"] for item in found}, {}


def _interfaces(client: Client, ids: Sequence[str]) -> Reading:
    found = client.pages(
        "describe_network_interfaces", "NetworkInterfaces", Filters=_by_filter("network-interface-id", ids)
    )
    names = {item["NetworkInterfaceId"]: item.get("Description", "") for item in found}
    return {item["NetworkInterfaceId"]: item["Status"] for item in found}, names


def _groups(client: Client, ids: Sequence[str]) -> Reading:
    found = client.pages("describe_security_groups", "SecurityGroups", Filters=_by_filter("group-id", ids))
    return {item["GroupId"]: "present" for item in found}, {item["GroupId"]: item["GroupName"] for item in found}


def _templates(client: Client, ids: Sequence[str]) -> Reading:
    # DescribeLaunchTemplates knows no filter by id; a template's tags end with it.
    del client
    return dict.fromkeys(ids, "present"), {}


_READERS: dict[str, Callable[[Client, Sequence[str]], Reading]] = {
    "instance": _instances,
    "volume": _volumes,
    "network-interface": _interfaces,
    "security-group": _groups,
    "launch-template": _templates,
}
