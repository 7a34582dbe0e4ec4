# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The schema of each Karpenter version, vendored. Pure. Private to the collection."""

from __future__ import annotations

import functools
import json
from typing import Any

from .._vendor.karpenter_crds.index import PACKAGES
from .._vendor.karpenter_crds.v1_13_0 import ec2nodeclasses as v1_13_0_classes
from .._vendor.karpenter_crds.v1_13_0 import nodepools as v1_13_0_pools
from .._vendor.karpenter_crds.v1_14_0 import ec2nodeclasses as v1_14_0_classes
from .._vendor.karpenter_crds.v1_14_0 import nodepools as v1_14_0_pools

DEFAULT_VERSION = "1.14.0"

# Named one by one: only what is imported by name travels with a module.
_TEXTS = {
    ("v1_13_0", "EC2NodeClass"): v1_13_0_classes.TEXT,
    ("v1_13_0", "NodePool"): v1_13_0_pools.TEXT,
    ("v1_14_0", "EC2NodeClass"): v1_14_0_classes.TEXT,
    ("v1_14_0", "NodePool"): v1_14_0_pools.TEXT,
}


@functools.cache
def spec_schema(kind: str, karpenter_version: str = DEFAULT_VERSION) -> dict[str, Any]:
    """The schema of ``spec`` of a kind. An unknown version is checked by the newest known one.

    Raises KeyError for a kind other than NodePool and EC2NodeClass.
    """
    package = PACKAGES.get(karpenter_version.removeprefix("v"), PACKAGES[DEFAULT_VERSION])
    schema: dict[str, Any] = json.loads(_TEXTS[package, kind])
    return schema
