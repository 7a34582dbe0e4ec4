# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Images as plain data, and the checks that an id must pass. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .._versions.ami import ImageKey, image_name_pattern
from .._versions.data import AMI_FAMILIES


@dataclass(frozen=True)
class Image:
    """An image as EC2 describes it."""

    image_id: str
    name: str
    architecture: str
    state: str
    owner_alias: str | None
    owner_id: str | None
    creation_date: datetime
    deprecation_date: datetime | None

    @classmethod
    def from_api(cls, data: Mapping[str, Any]) -> Image:
        """From one entry of Images of DescribeImages."""
        deprecated = data.get("DeprecationTime")
        return cls(
            image_id=data["ImageId"],
            name=data.get("Name", ""),
            architecture=data.get("Architecture", ""),
            state=data.get("State", ""),
            owner_alias=data.get("ImageOwnerAlias"),
            owner_id=data.get("OwnerId"),
            creation_date=moment(data["CreationDate"]),
            deprecation_date=moment(deprecated) if deprecated else None,
        )


@dataclass(frozen=True)
class Check:
    """One question about an image. ``fatal``: an image that fails it must not be used."""

    name: str
    ok: bool
    message: str
    fatal: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The check as a module returns it."""
        return {"name": self.name, "ok": self.ok, "message": self.message, "fatal": self.fatal}


def moment(text: str) -> datetime:
    """A time of the EC2 API, such as ``2026-11-06T21:00:00.000Z``."""
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def stamp(value: datetime | None) -> str | None:
    """A time as modules return it: UTC, to the second."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if value else None


def release_of(key: ImageKey, image: Image | None) -> str | None:
    """The dated release of an image: the one asked for, or the one in its name."""
    pattern = image_name_pattern(key)
    found = pattern.fullmatch(image.name) if pattern and image else None
    if found:
        return found["release"]
    return None if key.release == "latest" else key.release


def checks(key: ImageKey, image_id: str, image: Image | None, now: datetime) -> list[Check]:
    """All questions about the image that a parameter leads to."""
    if image is None:
        text = f"{image_id} is named by the parameter, but EC2 does not show it in this region"
        return [Check("exists", False, text)]
    pattern = image_name_pattern(key)
    named = pattern is None or pattern.fullmatch(image.name) is not None
    owner = image.owner_alias or image.owner_id or "nobody"
    trusted = image.owner_alias is None or image.owner_alias in AMI_FAMILIES[key.family].owners
    past = image.deprecation_date is not None and image.deprecation_date <= now
    return [
        Check("exists", True, f"{image.image_id} exists"),
        Check("state", image.state == "available", f"{image.image_id} is {image.state}"),
        Check(
            "architecture",
            image.architecture == key.architecture,
            f"{image.image_id} is built for {image.architecture}, wanted {key.architecture}",
        ),
        Check("name", named, f"{image.image_id} is called {image.name}"),
        Check("owner", trusted, f"{image.image_id} belongs to {owner}"),
        Check("deprecation", not past, _deprecation(image, past=past), fatal=False),
    ]


def _deprecation(image: Image, *, past: bool) -> str:
    if image.deprecation_date is None:
        return f"{image.image_id} has no deprecation date"
    verb = "is deprecated since" if past else "will be deprecated on"
    return f"{image.image_id} {verb} {stamp(image.deprecation_date)}"


def present_image(key: ImageKey, parameter: str, image_id: str, image: Image | None, now: datetime) -> dict[str, Any]:
    """An image as a module returns it."""
    release = release_of(key, image)
    return {
        "ssm_name": parameter,
        "image_id": image_id,
        "name": image.name if image else None,
        "release": release,
        "alias": f"{key.family}@{release}" if release else None,
        "family": key.family,
        "architecture": key.architecture,
        "variant": key.variant,
        "kubernetes_version": key.kubernetes,
        "owner": (image.owner_alias or image.owner_id) if image else None,
        "state": image.state if image else None,
        "creation_date": stamp(image.creation_date) if image else None,
        "deprecation_date": stamp(image.deprecation_date) if image else None,
        "age_days": (now - image.creation_date).days if image else None,
        "checks": [check.as_dict() for check in checks(key, image_id, image, now)],
    }
