# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Looks up images through SSM and checks them against EC2. Writes nothing. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .._aws.client import Client
from .._core.errors import EksopsError
from .._versions.ami import (
    LATEST,
    ImageKey,
    ami_family,
    check_release,
    family_errors,
    image_keys,
    image_name_pattern,
    parameter_name,
)
from .._versions.parse import kubernetes_minor
from .api import images, parameter_names, parameter_values
from .model import present_image

NEWEST_SHOWN = 5


@dataclass(frozen=True)
class Request:
    """The options of the module."""

    family: str
    kubernetes_version: Any
    architectures: tuple[str, ...]
    variants: tuple[str, ...]
    release: str
    allow_missing: bool

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Request:
        """From the parameters of the module."""
        return cls(
            family=params["family"],
            kubernetes_version=params["kubernetes_version"],
            architectures=tuple(params["architectures"]),
            variants=tuple(params["variants"]),
            release=params["release"],
            allow_missing=params["allow_missing"],
        )


def wanted_images(request: Request) -> list[ImageKey]:
    """The images that are asked for. Raises EksopsError for what cannot exist."""
    family = ami_family(request.family)
    minor = kubernetes_minor(request.kubernetes_version)
    if errors := family_errors(family, minor):
        raise errors[0]
    check_release(family, request.release)
    keys = image_keys(
        family, request.kubernetes_version.strip(), request.architectures, request.variants, request.release
    )
    if not keys:
        raise EksopsError(
            f"{family.ami_family} is not published for any of the wanted variants and architectures",
            allowed="; ".join(f"{item.variant}: {', '.join(item.architectures)}" for item in family.variants),
        )
    return keys


def run(ssm: Client, ec2: Client, request: Request, now: datetime | None = None) -> dict[str, Any]:
    """The module's result. Raises EksopsError when a wanted image is not published or fails a check."""
    moment = now or datetime.now(UTC)
    keys = wanted_images(request)
    names = {parameter_name(key): key for key in keys}
    values, invalid = parameter_values(ssm, list(names))
    missing = [names[name] for name in names if name in invalid or name not in values]
    if missing and not request.allow_missing:
        raise _unpublished(ssm, missing)
    described = images(ec2, list(values.values()))
    found = [
        present_image(key, name, values[name], described.get(values[name]), moment)
        for name, key in names.items()
        if name in values
    ]
    _refuse_failed(found)
    return _present(found, missing)


def _present(found: list[dict[str, Any]], missing: Sequence[ImageKey]) -> dict[str, Any]:
    releases = {image["release"] for image in found}
    aliases = {image["alias"] for image in found}
    notices = [check["message"] for image in found for check in image["checks"] if not check["ok"]]
    if len(releases) > 1:
        pairs = ", ".join(f"{image['architecture']} {image['variant']}: {image['release']}" for image in found)
        notices.append(f"The images are of different releases ({pairs})")
    return {
        "images": found,
        "missing": [
            {"ssm_name": parameter_name(key), "architecture": key.architecture, "variant": key.variant}
            for key in missing
        ],
        "release": releases.pop() if len(releases) == 1 else None,
        "alias": aliases.pop() if len(aliases) == 1 else None,
        "notices": notices,
    }


def _refuse_failed(found: Sequence[Mapping[str, Any]]) -> None:
    failed = [
        f"{image['ssm_name']}: {check['message']}"
        for image in found
        for check in image["checks"]
        if check["fatal"] and not check["ok"]
    ]
    if failed:
        raise EksopsError(
            f"The published image ids do not hold what they promise: {'; '.join(failed)}",
            where="SSM public parameters",
            next_step="pin another release, and tell AWS about this one",
        )


def _unpublished(ssm: Client, missing: Sequence[ImageKey]) -> EksopsError:
    key = missing[0]
    listed = ", ".join(parameter_name(item) for item in missing)
    newest = {item: newest_releases(ssm, item) for item in missing}
    published = "; ".join(
        f"{item.architecture} {item.variant}: {', '.join(releases) or 'none for this Kubernetes version'}"
        for item, releases in newest.items()
    )
    release = "" if key.release == LATEST else f" release {key.release}"
    return EksopsError(
        f"AWS has not published {key.family}{release} for Kubernetes {key.kubernetes} as {listed}",
        where="SSM public parameters",
        allowed=f"the newest published releases: {published}",
        next_step="choose one that is there for every architecture, or check Kubernetes version and region",
    )


def newest_releases(ssm: Client, key: ImageKey, count: int = NEWEST_SHOWN) -> list[str]:
    """The newest releases that are published for a family, variant, architecture and minor, newest first."""
    pattern = image_name_pattern(ImageKey(key.family, key.variant, key.architecture, key.kubernetes, LATEST))
    if pattern is None:
        return []
    base = parameter_name(ImageKey(key.family, key.variant, key.architecture, key.kubernetes, LATEST))
    names = parameter_names(ssm, base.rsplit("/", 2)[0])
    releases = {found["release"] for name in names for part in name.split("/") if (found := pattern.fullmatch(part))}
    return sorted(releases, reverse=True)[:count]
