"""Volumes: what moto does not say of them or does not keep. Mixed into moto's class of EC2 answers."""

from __future__ import annotations

from typing import Any, cast

#: "gp3 volumes deliver a consistent baseline throughput performance of 125 MiB/s":
#: https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html#gp3-ebs-volume-type
_GP3_THROUGHPUT = 125


class Volumes:
    """CreateVolume and DescribeVolumes."""

    params: Any
    ec2_backend: Any

    def create_volume(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html"""
        answer = cast(Any, super()).create_volume()
        _complete(answer.result)
        return answer

    def describe_volumes(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVolumes.html"""
        for volume in list(self.ec2_backend.volumes.values()):
            _complete(volume)
        return cast(Any, super()).describe_volumes()


def without_public_snapshots(backend: Any, image: Any, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The volumes of a launch for moto, which wants to have each snapshot: those of public images are AWS's own."""
    public = {one.get("Ebs", {}).get("SnapshotId") for one in image.block_device_mappings} - set(backend.snapshots)
    return [
        {**one, "Ebs": {key: value for key, value in one["Ebs"].items() if key != "SnapshotId" or value not in public}}
        for one in wanted
    ]


def finish(backend: Any, instance: Any, wanted: list[dict[str, Any]]) -> None:
    """Give the volumes of a new instance what moto lost of the launch: snapshot of the image, IOPS, throughput.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html
    """
    by_device = {one["DeviceName"]: one["Ebs"] for one in wanted}
    for device, attached in instance.get_block_device_mapping:
        volume, ebs = backend.volumes[attached.volume_id], by_device[device]
        volume.snapshot_id = ebs.get("SnapshotId")
        volume.iops = int(ebs["Iops"]) if ebs.get("Iops") else volume.iops
        volume.throughput = int(ebs["Throughput"]) if ebs.get("Throughput") else volume.throughput


def _complete(volume: Any) -> None:
    """A volume made of no snapshot has an empty SnapshotId, where moto leaves the member out.

    https://docs.aws.amazon.com/cli/latest/reference/ec2/create-volume.html#examples
    """
    volume.snapshot_id = volume.snapshot_id or ""
    if volume.volume_type == "gp3":
        volume.throughput = volume.throughput or _GP3_THROUGHPUT
