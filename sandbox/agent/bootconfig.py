"""What the user data of an instance tells its kubelet, the same for every image family. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_EFFECTS = frozenset({"NoSchedule", "PreferNoSchedule", "NoExecute"})
_MAPS = {
    "--kube-reserved": ("kubeReserved", "="),
    "--system-reserved": ("systemReserved", "="),
    "--eviction-hard": ("evictionHard", "<"),
    "--eviction-soft": ("evictionSoft", "<"),
}
_NUMBERS = {"--max-pods": "maxPods", "--pods-per-core": "podsPerCore"}


class BootError(ValueError):
    """The instance does not come up as a node; the message is what its bootstrap would log."""


@dataclass(frozen=True)
class BootConfig:
    """Where the kubelet registers, and with what.

    :param ca_pem: the cluster's certificate authority as the user data has it.
    :param kubelet: KubeletConfiguration keys that differ from the image's defaults.
    :param instance_store: whether pods' storage lies on the instance store volumes.
    """

    cluster_name: str
    endpoint: str
    ca_pem: bytes
    kubelet: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Mapping[str, str], ...] = ()
    instance_store: bool = False


def taint(text: str) -> dict[str, str]:
    """``key=value:Effect`` or ``key:Effect`` as a taint. Raises BootError as the kubelet refuses it."""
    spec, _, effect = text.rpartition(":")
    key, _, value = spec.partition("=")
    if not key or effect not in _EFFECTS:
        raise BootError(f'failed to parse kubelet flag: invalid argument "{text}" for "--register-with-taints" flag')
    return {"key": key, "value": value, "effect": effect} if value else {"key": key, "effect": effect}


def pairs(text: str, separator: str = "=") -> dict[str, str]:
    """``a=1,b=2`` as a dict; the kubelet's map flags."""
    items = (item.partition(separator) for item in text.split(",") if item)
    return {key.strip(): value.strip() for key, _, value in items}


@dataclass(frozen=True)
class Flags:
    """Kubelet command line flags that matter here; they win over the configuration file.

    https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/
    """

    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...] | None
    config: Mapping[str, Any]

    @classmethod
    def parse(cls, arguments: Iterable[str]) -> Flags:
        """From arguments in the form ``--name=value``; a flag's text may hold several, quoted as for a shell."""
        labels: dict[str, str] = {}
        taints: list[Mapping[str, str]] | None = None
        config: dict[str, Any] = {}
        for word in (word for argument in arguments for word in shlex.split(argument)):
            name, _, value = word.partition("=")
            if name == "--node-labels":
                labels.update(pairs(value))
            elif name == "--register-with-taints":
                taints = (taints or []) + [taint(item) for item in value.split(",") if item]
            elif name in _NUMBERS:
                config[_NUMBERS[name]] = _number(name, value)
            elif name in _MAPS:
                key, separator = _MAPS[name]
                config[key] = pairs(value, separator)
        return cls(labels, None if taints is None else tuple(taints), config)


def _number(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError as error:
        raise BootError(f'failed to parse kubelet flag: invalid argument "{value}" for "{name}" flag') from error
