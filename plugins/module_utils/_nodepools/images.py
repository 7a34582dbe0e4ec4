# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Images of node classes that there cannot be, known from the inputs alone. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._core.errors import EksopsError
from .._versions.ami import ami_family, check_release, family_errors

Minor = tuple[int, int]


def alias_errors(item: Mapping[str, Any], minor: Minor | None) -> Iterator[tuple[str, EksopsError]]:
    """What is wrong with the aliases of a node class, by path; the API server would take it, the controller not.

    https://karpenter.sh/docs/concepts/nodeclasses/#specamiselectorterms
    """
    for index, term in enumerate(item["spec"].get("amiSelectorTerms") or ()):
        name, found, release = str(term.get("alias") or "").partition("@")
        if found:  # without it the schema tells the form
            for error in image_errors(name, release, minor):
                yield f"spec.amiSelectorTerms[{index}].alias", error


def image_errors(family: str, release: str, minor: Minor | None) -> list[EksopsError]:
    """What is wrong with a release of a family for a Kubernetes minor."""
    try:
        found = ami_family(family)
    except EksopsError as error:
        return [error]
    errors = family_errors(found, minor) if minor else []
    try:
        check_release(found, release)
    except EksopsError as error:
        errors.append(error)
    return errors
