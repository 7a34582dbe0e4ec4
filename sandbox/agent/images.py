"""Which container images run as processes, and from which binary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

#: Kept in step with the stages that tell kwok to leave such pods alone (stages/pod-*.yml).
_CONTROLLER = re.compile(r"(?:[^/]+/)*karpenter/controller(?::(?P<tag>[\w][\w.-]*))?(?:@(?P<digest>sha256:[0-9a-f]+))?")


PROGRAM = "karpenter-controller"


@runtime_checkable
class Growing(Protocol):
    """Programs that become more while the sandbox runs."""

    def coming(self, name: str) -> str | None:
        """Begin to make a program that is not there; how that goes, or None when it cannot be made."""
        ...


def is_process(image: str) -> bool:
    """Whether containers of this image run as processes."""
    return _CONTROLLER.fullmatch(image) is not None


def pod_is_process(pod: Mapping[str, Any]) -> bool:
    """Whether a pod has a container that runs as a process."""
    return any(is_process(container.get("image", "")) for container in pod["spec"]["containers"])


def binary(image: str, binaries: Mapping[str, Path]) -> Path:
    """The program of an image. Raises LookupError with what a container runtime would say to a missing image."""
    match = _CONTROLLER.fullmatch(image)
    tag = match["tag"] if match else None
    name = f"{PROGRAM}-{(tag or '').removeprefix('v')}"
    found = binaries.get(name)
    if found is None or not found.exists():
        coming = binaries.coming(name) if isinstance(binaries, Growing) else None
        if coming:
            raise LookupError(f'failed to pull and unpack image "{image}": not yet; {coming}')
        built = sorted(name for name in binaries if name.startswith(f"{PROGRAM}-"))
        raise LookupError(
            f'failed to pull and unpack image "{image}": not found; '
            f"the sandbox has built {', '.join(built) or 'no controller'}"
        )
    return found
