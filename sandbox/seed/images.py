"""The images that AWS publishes, and the public parameters that lead to them. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sandbox.seed import table

EKS = "/aws/service/eks/optimized-ami"


@dataclass(frozen=True)
class Disk:
    """A volume that an image brings: device, size in GiB, volume type."""

    device: str
    gib: int
    kind: str = "gp3"


@dataclass(frozen=True)
class Parameter:
    """A public parameter; ``moves`` when later releases give it a new value (and so a new version)."""

    path: str
    value: str
    moves: bool = False


@dataclass(frozen=True)
class Image:
    """An image before it gets its id in a region."""

    name: str
    description: str
    owner: str
    architecture: str
    created: datetime
    disks: tuple[Disk, ...]
    windows: bool = False

    @property
    def deprecated(self) -> datetime:
        """When it is, or will be, deprecated."""
        return self.created.replace(year=self.created.year + table.DEPRECATED_AFTER_YEARS)

    def id(self, region: str) -> str:
        """The image's id in the region: of the form that AWS uses, and the same in every sandbox."""
        return "ami-" + hashlib.sha256(f"{region}/{self.name}".encode()).hexdigest()[:17]


@dataclass(frozen=True)
class Publication:
    """An image and the paths under which it is found; ``{id}`` in a value stands for its id in the region."""

    image: Image
    parameters: tuple[Parameter, ...]


def publications() -> Iterator[Publication]:
    """Everything published, oldest release first."""
    for day in table.AL2_RELEASES:
        for minor in table.AL2_MINORS:
            yield from _al2(minor, day)
    for release in table.RELEASES:
        for minor in table.MINORS:
            yield from _al2023(minor, release)
            yield from _bottlerocket(minor, release)
            yield from _windows(minor, release)


def _at(day: date, hour: int) -> datetime:
    return datetime(day.year, day.month, day.day, hour, 12, 30, tzinfo=UTC)


def _eks_parameters(base: str, name: str, release_version: str) -> tuple[Parameter, ...]:
    """https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters-eks.html"""
    values = {"image_id": "{id}", "image_name": name, "release_version": release_version}
    summary = json.dumps({"schema_version": "2"} | values, separators=(",", ":"))
    found = []
    for leaf, moves in (("recommended", True), (name, False)):
        found.append(Parameter(f"{base}/{leaf}", summary, moves))
        found += [Parameter(f"{base}/{leaf}/{key}", value, moves) for key, value in values.items()]
    return tuple(found)


def _al2023(minor: str, release: table.Release) -> Iterator[Publication]:
    kubelet = f"{minor}.{release.patches[minor]}"
    for architecture, variant in table.AL2023_VARIANTS:
        name = f"amazon-eks-node-al2023-{architecture}-{variant}-{minor}-{release.version}"
        text = f"EKS-optimized Kubernetes node based on Amazon Linux 2023, (k8s: {kubelet}, containerd: 2.1.*)"
        image = Image(name, text, table.AMAZON_EKS, architecture, _at(release.day, 6), (Disk("/dev/xvda", 20),))
        base = f"{EKS}/{minor}/amazon-linux-2023/{architecture}/{variant}"
        yield Publication(image, _eks_parameters(base, name, f"{kubelet}-{release.day:%Y%m%d}"))


def _al2(minor: str, day: date) -> Iterator[Publication]:
    kubelet = f"{minor}.{table.AL2_PATCH[minor]}"
    for path, prefix, architecture in table.AL2_VARIANTS:
        name = f"{prefix}-{minor}-v{day:%Y%m%d}"
        text = f"EKS Kubernetes Worker AMI with AmazonLinux2 image, (k8s: {kubelet}, containerd: 1.7.*)"
        image = Image(name, text, table.AMAZON_EKS, architecture, _at(day, 7), (Disk("/dev/xvda", 20, "gp2"),))
        yield Publication(image, _eks_parameters(f"{EKS}/{minor}/{path}", name, f"{kubelet}-{day:%Y%m%d}"))


def _bottlerocket(minor: str, release: table.Release) -> Iterator[Publication]:
    """https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id-bottlerocket.html"""
    short = release.bottlerocket.partition("-")[0]
    for suffix, architecture in table.BOTTLEROCKET_VARIANTS:
        variant = f"aws-k8s-{minor}{suffix}"
        name = f"bottlerocket-{variant}-{architecture}-v{release.bottlerocket}"
        image = Image(
            name,
            name,
            table.BOTTLEROCKET,
            architecture,
            _at(release.day, 19),
            (Disk("/dev/xvda", 4, "gp3"), Disk("/dev/xvdb", 20, "gp3")),
        )
        base = f"/aws/service/bottlerocket/{variant}/{architecture}"
        parameters = tuple(
            Parameter(f"{base}/{leaf}/{key}", value, leaf == "latest")
            for leaf in ("latest", short, release.bottlerocket)
            for key, value in (("image_id", "{id}"), ("image_version", release.bottlerocket))
        )
        yield Publication(image, parameters)


def _windows(minor: str, release: table.Release) -> Iterator[Publication]:
    """https://docs.aws.amazon.com/eks/latest/userguide/retrieve-windows-ami-id.html"""
    kubelet = f"{minor}.{release.patches[minor]}"
    for year in table.WINDOWS_YEARS:
        family = f"Windows_Server-{year}-English-Core-EKS_Optimized-{minor}"
        name = f"{family}-{release.windows:%Y.%m.%d}"
        text = f"Microsoft Windows Server {year} Core Locale English with EKS optimized AMI {minor} provided by Amazon"
        image = Image(
            name, text, table.WINDOWS, "x86_64", _at(release.windows, 9), (Disk("/dev/sda1", 50),), windows=True
        )
        values = {"image_id": "{id}", "release_version": f"{kubelet}-{release.windows:%Y.%m.%d}"}
        base = f"/aws/service/ami-windows-latest/{family}"
        yield Publication(image, tuple(Parameter(f"{base}/{key}", value, True) for key, value in values.items()))
