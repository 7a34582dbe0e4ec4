"""A public image of AWS in the shape of moto's images, without the volume and snapshot that moto makes for each."""

from __future__ import annotations

from typing import Any

from sandbox.seed.images import Image


class PublicImage:
    """What moto asks of an image; to be mixed with moto's own class, whose filters it keeps."""

    def __init__(self, ec2_backend: Any, image: Image, region: str) -> None:
        self.ec2_backend = ec2_backend
        self.image = image
        self.region = region
        self.id = image.id(region)
        self.name = image.name
        self.description = image.description
        self.owner_id = image.owner
        self.owner_alias = "amazon"
        self.architecture = image.architecture
        self.creation_date = image.created
        self.deprecation_time = image.deprecated.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.platform = "windows" if image.windows else None
        self.platform_details = "Windows" if image.windows else "Linux/UNIX"
        self.usage_operation = "RunInstances:0002" if image.windows else "RunInstances"
        self.boot_mode = "uefi" if image.architecture == "arm64" else "uefi-preferred"
        self.root_device_name = image.disks[0].device
        self.image_location = f"amazon/{image.name}"
        self.imds_support = "v2.0"
        self.ena_support = True
        self.state, self.image_type, self.hypervisor = "available", "machine", "xen"
        self.virtualization_type, self.root_device_type, self.sriov = "hvm", "ebs", "simple"
        self.kernel_id = self.instance_id = None
        self.product_codes: set[str] = set()
        self.launch_permissions = [{"Group": "all"}]

    @property
    def block_device_mappings(self) -> list[dict[str, Any]]:
        """The volumes that the image brings."""
        return [
            {
                "DeviceName": disk.device,
                "Ebs": {
                    "SnapshotId": "snap-" + self.id.removeprefix("ami-"),
                    "VolumeSize": disk.gib,
                    "VolumeType": disk.kind,
                    "DeleteOnTermination": True,
                    "Encrypted": False,
                },
            }
            for disk in self.image.disks
        ]
