"""Bottlerocket: settings in TOML as user data. Pure.

https://bottlerocket.dev/en/os/latest/api/settings/kubernetes/
"""

from __future__ import annotations

import base64
import binascii
import tomllib
from collections.abc import Mapping
from typing import Any

from .bootconfig import BootConfig, BootError

_COMMANDS = "bootstrap-commands"
_KUBELET = {
    "max-pods": "maxPods",
    "kube-reserved": "kubeReserved",
    "system-reserved": "systemReserved",
    "eviction-hard": "evictionHard",
    "eviction-soft": "evictionSoft",
}


def _settings(user_data: bytes) -> Mapping[str, Any]:
    try:
        document = tomllib.loads(user_data.decode()).get("settings", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BootError(f"early-boot-config: Error parsing TOML user data: {error}") from error
    settings = document.get("kubernetes")
    if not isinstance(settings, dict):
        raise BootError("pluto: Unable to retrieve cluster name: settings.kubernetes is missing")
    return settings | {_COMMANDS: document.get(_COMMANDS)}


def _taints(settings: Mapping[str, Any]) -> tuple[Mapping[str, str], ...]:
    """``node-taints`` maps a key to ``value:Effect`` entries."""
    found: list[Mapping[str, str]] = []
    for key, entries in (settings.get("node-taints") or {}).items():
        for entry in [entries] if isinstance(entries, str) else entries:
            value, _, effect = entry.rpartition(":")
            found.append({"key": key, "effect": effect} | ({"value": value} if value else {}))
    return tuple(found)


def parse(user_data: bytes) -> BootConfig:
    """The boot configuration of a Bottlerocket instance. Raises BootError with what its boot logs."""
    settings = _settings(user_data)
    for key in ("cluster-name", "api-server", "cluster-certificate"):
        if not settings.get(key):
            raise BootError(f"kubelet.service: settings.kubernetes.{key} is missing")
    try:
        authority = base64.b64decode(str(settings["cluster-certificate"]), validate=True)
    except binascii.Error as error:
        raise BootError("kubelet.service: settings.kubernetes.cluster-certificate: invalid base64") from error
    return BootConfig(
        cluster_name=str(settings["cluster-name"]),
        endpoint=str(settings["api-server"]).rstrip("/"),
        ca_pem=authority,
        kubelet={name: settings[key] for key, name in _KUBELET.items() if key in settings},
        labels={str(key): str(value) for key, value in (settings.get("node-labels") or {}).items()},
        taints=_taints(settings),
        instance_store="ephemeral-storage" in str(settings.get(_COMMANDS)),
    )
