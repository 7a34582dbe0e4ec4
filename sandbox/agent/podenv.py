"""A container's environment and arguments from its pod, as the kubelet computes them. Pure.

https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import quantity

_REFERENCE = re.compile(r"\$(\$|\(([^)]*)\))")
_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")
_ENV_NAME = re.compile(r"[ -<>-~]+")


class ConfigError(ValueError):
    """The container cannot be made yet: CreateContainerConfigError, with the kubelet's message."""


@dataclass(frozen=True)
class Sources:
    """What a container may refer to.

    :param config_maps: data by name; secrets: decoded data by name. Missing objects are missing keys.
    :param allocatable: of the node, which stands in for limits that are not set.
    """

    config_maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    allocatable: Mapping[str, str] = field(default_factory=dict)
    pod_ip: str = ""
    host_ip: str = ""


def decode_secret(secret: Mapping[str, Any]) -> dict[str, str]:
    """A Secret's data as text."""
    return {key: base64.b64decode(value).decode(errors="replace") for key, value in (secret.get("data") or {}).items()}


def expand(text: str, known: Mapping[str, str]) -> str:
    """``$(NAME)`` replaced where NAME is known, left alone elsewhere; ``$$`` is a plain dollar."""

    def replace(match: re.Match[str]) -> str:
        if match[1] == "$":
            return "$"
        return known.get(match[2], match[0])

    return _REFERENCE.sub(replace, text)


def named(pod: Mapping[str, Any], container: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The config maps and the secrets that the container's environment and the pod's volumes name."""
    maps: set[str] = set()
    secrets: set[str] = set()
    for source in container.get("envFrom") or ():
        maps |= {source["configMapRef"]["name"]} if "configMapRef" in source else set()
        secrets |= {source["secretRef"]["name"]} if "secretRef" in source else set()
    for variable in container.get("env") or ():
        source = variable.get("valueFrom") or {}
        maps |= {source["configMapKeyRef"]["name"]} if "configMapKeyRef" in source else set()
        secrets |= {source["secretKeyRef"]["name"]} if "secretKeyRef" in source else set()
    for volume in pod["spec"].get("volumes") or ():
        for part in [volume, *((volume.get("projected") or {}).get("sources") or ())]:
            maps |= {part["configMap"]["name"]} if "configMap" in part else set()
            secret = part.get("secret") or {}
            secrets |= {name for name in (secret.get("secretName"), secret.get("name")) if name}
    return maps, secrets


def environment(pod: Mapping[str, Any], container: Mapping[str, Any], sources: Sources) -> dict[str, str]:
    """The variables of the container's spec. Raises ConfigError for a reference that leads nowhere."""
    found: dict[str, str] = {}
    for source in container.get("envFrom") or ():
        found |= _from_object(source, sources)
    for variable in container.get("env") or ():
        if "valueFrom" in variable:
            value = _value_from(variable["valueFrom"], pod, container, sources)
            if value is not None:
                found[variable["name"]] = value
        else:
            found[variable["name"]] = expand(str(variable.get("value") or ""), found)
    return found


def _from_object(source: Mapping[str, Any], sources: Sources) -> dict[str, str]:
    prefix = source.get("prefix") or ""
    kind, reference, objects = ("configmap", source.get("configMapRef"), sources.config_maps)
    if reference is None:
        kind, reference, objects = ("secret", source["secretRef"], sources.secrets)
    data = objects.get(reference["name"])
    if data is None:
        if reference.get("optional"):
            return {}
        raise ConfigError(f'{kind} "{reference["name"]}" not found')
    return {prefix + key: value for key, value in data.items() if _ENV_NAME.fullmatch(prefix + key)}


def _value_from(
    source: Mapping[str, Any], pod: Mapping[str, Any], container: Mapping[str, Any], sources: Sources
) -> str | None:
    if "fieldRef" in source:
        return pod_field(pod, source["fieldRef"]["fieldPath"], sources)
    if "resourceFieldRef" in source:
        return _resource_field(pod, container, source["resourceFieldRef"], sources)
    if "configMapKeyRef" in source:
        return _key("configmap", source["configMapKeyRef"], sources.config_maps)
    if "secretKeyRef" in source:
        return _key("secret", source["secretKeyRef"], sources.secrets)
    raise ConfigError(f"unsupported source of an environment variable: {', '.join(source)}")


def _key(kind: str, reference: Mapping[str, Any], objects: Mapping[str, Mapping[str, str]]) -> str | None:
    data, key = objects.get(reference["name"]), reference["key"]
    if data is not None and key in data:
        return data[key]
    if reference.get("optional"):
        return None
    if data is None:
        raise ConfigError(f'{kind} "{reference["name"]}" not found')
    raise ConfigError(f"couldn't find key {key} in {kind.title()} {reference['name']}")


def pod_field(pod: Mapping[str, Any], path: str, sources: Sources) -> str:
    """A field of the downward API. Raises ConfigError for one that it does not have."""
    metadata, spec = pod["metadata"], pod["spec"]
    match = _SUBSCRIPT.fullmatch(path)
    if match:
        return str((metadata.get(match[1]) or {}).get(match[2], ""))
    fields = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "metadata.uid": metadata["uid"],
        "metadata.labels": _lines(metadata.get("labels") or {}),
        "metadata.annotations": _lines(metadata.get("annotations") or {}),
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", "default"),
        "status.hostIP": sources.host_ip,
        "status.hostIPs": sources.host_ip,
        "status.podIP": sources.pod_ip,
        "status.podIPs": sources.pod_ip,
    }
    if path not in fields:
        raise ConfigError(f"unsupported fieldPath: {path}")
    return str(fields[path])


def _lines(values: Mapping[str, str]) -> str:
    return "\n".join(f'{key}="{value}"' for key, value in sorted(values.items()))


def _resource_field(
    pod: Mapping[str, Any], container: Mapping[str, Any], reference: Mapping[str, Any], sources: Sources
) -> str:
    name = reference.get("containerName") or container["name"]
    owner = next((c for c in pod["spec"]["containers"] if c["name"] == name), None)
    if owner is None:
        raise ConfigError(f"container {name} not found")
    kind, _, resource = reference["resource"].partition(".")
    value = ((owner.get("resources") or {}).get(kind) or {}).get(resource)
    if value is None:
        # A limit that is not set is what the node can give; a request that is not set is nothing.
        value = sources.allocatable.get(resource, "0") if kind == "limits" else "0"
    return str(quantity.divided(value, reference.get("divisor") or "0"))
