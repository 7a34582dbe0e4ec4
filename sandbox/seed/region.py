"""Fills a region of an account on its first use: images and public parameters in moto's stores.

The default VPC with one subnet per zone is moto's own:
https://docs.aws.amazon.com/vpc/latest/userguide/default-vpc.html
"""

from __future__ import annotations

import threading
from datetime import datetime
from functools import cache
from typing import Any

from sandbox.emulators import moto
from sandbox.seed.images import Image, Publication, publications
from sandbox.seed.publicimage import PublicImage


class Seeder:
    """Seeds each region of each account once. Thread-safe."""

    def __init__(self) -> None:
        self._done: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def ensure(self, account: str, region: str) -> None:
        """Seed the region unless that has happened."""
        if (account, region) in self._done:
            return
        with self._lock:
            if (account, region) not in self._done:
                moto.locked(account, lambda: _seed(account, region))
                self._done.add((account, region))


@cache
def _published() -> tuple[Publication, ...]:
    return tuple(publications())


@cache
def _image_class() -> Any:
    """Our image as one of moto's: found, filtered and shown like those."""
    from moto.ec2.models.amis import Ami

    return type("SeededImage", (PublicImage, Ami), {})


def reduction(obj: Any) -> Any:
    """How a pickle of moto's stores names what this module put there: by region and id instead of by content.

    Form and meaning are those of ``pickle.Pickler.reducer_override``.
    """
    if isinstance(obj, PublicImage):
        return _image, (obj.id, obj.region), {"ec2_backend": obj.ec2_backend}
    if type(obj).__name__ == "ParameterDict":
        shared = _public_parameters(obj.region_name)
        own = ((name, versions) for name, versions in obj.items() if shared.get(name) is not versions)
        return _parameters, (obj.account_id, obj.region_name), vars(obj), None, own
    return NotImplemented


@cache
def _by_id(region: str) -> dict[str, Image]:
    return {publication.image.id(region): publication.image for publication in _published()}


def _image(image_id: str, region: str) -> Any:
    return _image_class()(None, _by_id(region)[image_id], region)


def _parameters(account: str, region: str) -> Any:
    from moto.ssm.models import ParameterDict

    made = ParameterDict(account, region)
    dict.update(made, _public_parameters(region))
    return made


def _seed(account: str, region: str) -> None:
    images = moto.ec2_backend(account, region).amis
    if any(publication.image.id(region) in images for publication in _published()[:1]):
        return
    for publication in _published():
        image = publication.image
        images[image.id(region)] = _image_class()(moto.ec2_backend(account, region), image, region)
    dict.update(moto.ssm_backend(account, region)._parameters, _public_parameters(region))


@cache
def _public_parameters(region: str) -> dict[str, list[Any]]:
    """The versions of each parameter, shared by all accounts, which cannot change them: there are thousands."""
    store: dict[str, list[Any]] = {}
    for publication in _published():
        for parameter in publication.parameters:
            versions = store.setdefault(parameter.path, [])
            value = parameter.value.replace("{id}", publication.image.id(region))
            versions.append(_version(parameter.path, value, publication.image.created, len(versions) + 1))
    return store


def _version(path: str, value: str, created: datetime, version: int) -> Any:
    from moto.ssm.models import Parameter

    return Parameter(
        account_id="",  # public parameters belong to no account: arn:aws:ssm:us-west-2::parameter/aws/service/…
        name=path,
        value=value,
        parameter_type="String",
        description=None,
        allowed_pattern=None,
        keyid=None,
        last_modified_date=created,
        version=version,
        data_type="aws:ec2:image" if path.startswith("/aws/service/ami-windows") else "text",
        tier="Standard",
    )
