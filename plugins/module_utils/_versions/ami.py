# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Families of EKS optimized images: what they are called and where their ids are published. Pure.

Private to the collection.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .._core.errors import EksopsError
from .data import AMI_FAMILIES, AmiFamily, AmiVariant
from .parse import dotted

LATEST = "latest"


@dataclass(frozen=True)
class ImageKey:
    """One image of a family: what to look up, and how it must look."""

    family: str
    variant: str
    architecture: str
    kubernetes: str
    release: str


def ami_family(name: str) -> AmiFamily:
    """The family of an alias (``al2023``) or of ``spec.amiFamily`` (``AL2023``). Raises EksopsError."""
    lowered = name.strip().lower()
    if lowered in AMI_FAMILIES:
        return AMI_FAMILIES[lowered]
    near = difflib.get_close_matches(lowered, AMI_FAMILIES, n=1)
    raise EksopsError(
        f"There is no AMI family {name!r}",
        allowed=", ".join(AMI_FAMILIES),
        next_step=f"did you mean {near[0]!r}" if near else "take al2023 unless you know better",
    )


def family_errors(family: AmiFamily, kubernetes: tuple[int, int]) -> list[EksopsError]:
    """What is wrong with running a family on a Kubernetes minor."""
    first, last = family.first_kubernetes, family.last_kubernetes
    if first is not None and kubernetes < first:
        return [
            EksopsError(
                f"AMI family {family.ami_family} has no images for Kubernetes {dotted(kubernetes)}: AWS publishes none"
                f" before {dotted(first)}",
                allowed=f"{family.ami_family} from Kubernetes {dotted(first)} on, or another family",
                next_step="take another family",
            )
        ]
    if last is None or kubernetes <= last:
        return []
    return [
        EksopsError(
            f"AMI family {family.ami_family} has no images for Kubernetes {dotted(kubernetes)}: AWS publishes none"
            f" after {dotted(last)}",
            allowed=f"{family.ami_family} up to Kubernetes {dotted(last)}, or another family",
            next_step=f"take {family.replaced_by}" if family.replaced_by else "take another family",
        )
    ]


def check_release(family: AmiFamily, release: str) -> None:
    """Raises EksopsError when ``release`` is neither ``latest`` nor of the family's form."""
    if release == LATEST or (family.release_pattern and re.fullmatch(family.release_pattern, release)):
        return
    forms = {"v": "v and a date, such as v20261106"}
    allowed = LATEST
    if family.release_pattern:
        form = forms["v"] if "{8}" in family.release_pattern else "three numbers, such as 1.50.0"
        allowed = f"{LATEST}, or {form}"
    raise EksopsError(
        f"{release!r} is no release of {family.ami_family}",
        allowed=allowed,
        next_step=None if family.release_pattern else f"AWS publishes only the newest image of {family.ami_family}",
    )


def variant_of(family: AmiFamily, variant: str, architecture: str) -> AmiVariant | None:
    """The variant on an architecture, None when it is not published for that one.

    Raises EksopsError for a variant or an architecture that the family does not have at all.
    """
    variants = {item.variant for item in family.variants}
    if variant not in variants:
        raise EksopsError(f"{family.ami_family} has no variant {variant!r}", allowed=", ".join(sorted(variants)))
    architectures = {name for item in family.variants for name in item.architectures}
    if architecture not in architectures:
        raise EksopsError(
            f"{family.ami_family} has no architecture {architecture!r}",
            allowed=", ".join(sorted(architectures)),
            next_step="amd64 is called x86_64 here, as EC2 calls it" if architecture == "amd64" else None,
        )
    for item in family.variants:
        if item.variant == variant and architecture in item.architectures:
            return item
    return None


def image_keys(
    family: AmiFamily, kubernetes: str, architectures: Sequence[str], variants: Sequence[str], release: str
) -> list[ImageKey]:
    """Every image that is asked for, combinations that are never published left out."""
    return [
        ImageKey(family.alias, variant, architecture, kubernetes, release)
        for variant in variants
        for architecture in architectures
        if variant_of(family, variant, architecture) is not None
    ]


def parameter_name(key: ImageKey) -> str:
    """The SSM parameter that holds the image's id."""
    family = AMI_FAMILIES[key.family]
    variant = variant_of(family, key.variant, key.architecture)
    if variant is None:
        raise EksopsError(f"{family.ami_family} {key.variant} is not published for {key.architecture}")
    template = variant.latest if key.release == LATEST else variant.parameter
    if template is None:
        raise EksopsError(f"AWS publishes only the newest image of {family.ami_family}", allowed=LATEST)
    # Bottlerocket's paths carry no "v", its aliases may.
    release = key.release.removeprefix("v") if key.family == "bottlerocket" else key.release
    return template.format(
        kubernetes=key.kubernetes, architecture=key.architecture, variant=key.variant, release=release
    )


def image_name_pattern(key: ImageKey) -> re.Pattern[str] | None:
    """What the image's name must be, with the release as group ``release``; None where names carry too little."""
    template = AMI_FAMILIES[key.family].image_name
    if template is None:
        return None
    family = AMI_FAMILIES[key.family]
    fixed = template.replace("{release}", "\0").format(
        kubernetes=key.kubernetes, architecture=key.architecture, variant=key.variant
    )
    release = family.release_pattern if key.release == LATEST else re.escape(key.release)
    return re.compile(re.escape(fixed).replace(re.escape("\0"), f"(?P<release>{release})"))
