"""Amazon Linux 2023: NodeConfig documents in the user data, read as the image's ``nodeadm`` reads them. Pure.

https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#launch-template-user-data
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import email
import email.message
import email.policy
import gzip
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from .bootconfig import BootConfig, BootError, Flags

_MEDIA_TYPE = "application/node.eks.aws"
_API_GROUP = "node.eks.aws"
_NO_CONFIG = "no config in chain: could not find NodeConfig within UserData"


def _unpacked(data: bytes) -> bytes:
    """The data itself, when it is base64 of something or compressed."""
    with contextlib.suppress(binascii.Error):
        data = base64.b64decode(data, validate=True)
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise BootError(f"failed to decompress user data: {error}") from error


def _payload(part: email.message.Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _documents(data: bytes) -> list[bytes]:
    """The NodeConfig documents: the parts of that media type, or the whole when it is no MIME archive."""
    message = email.message_from_bytes(data.lstrip(), policy=email.policy.compat32)
    if not message.get_content_type().startswith("multipart/"):
        return [data]
    if not message.is_multipart():
        raise BootError("multipart: boundary is empty")
    parts = (part for part in message.walk() if part.get_content_type() == _MEDIA_TYPE)
    return [_unpacked(_payload(part)) for part in parts]


def _decoded(document: bytes) -> dict[str, Any]:
    try:
        value = yaml.safe_load(document)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BootError(f"no config in chain: failed to decode node config, {error}") from error
    if not isinstance(value, dict) or "kind" not in value or "apiVersion" not in value:
        raise BootError("no config in chain: failed to decode node config, couldn't get version/kind")
    group, _, version = str(value["apiVersion"]).rpartition("/")
    if value["kind"] != "NodeConfig" or group != _API_GROUP or version != "v1alpha1":
        raise BootError(
            f'failed to decode node config, no kind "{value["kind"]}" is registered for version "{value["apiVersion"]}"'
        )
    return value


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Later documents win, maps are merged, and kubelet flags are the one list that is appended."""
    result = dict(base)
    for key, value in over.items():
        former = result.get(key)
        if isinstance(former, Mapping) and isinstance(value, Mapping):
            result[key] = _merged(former, value)
        elif key == "flags" and isinstance(former, list) and isinstance(value, list):
            result[key] = former + value
        elif value not in (None, ""):
            result[key] = value
    return result


def _spec(documents: Iterable[bytes]) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    found = False
    for document in documents:
        found = True
        given = _decoded(document).get("spec") or {}
        if not isinstance(given, dict):
            raise BootError("no config in chain: failed to decode node config, spec is not an object")
        spec = _merged(spec, given)
    if not found:
        raise BootError(_NO_CONFIG)
    return spec


def _authority(cluster: Mapping[str, Any]) -> bytes:
    try:
        return base64.b64decode(str(cluster["certificateAuthority"]), validate=True)
    except binascii.Error as error:
        raise BootError(
            "no config in chain: failed to decode node config, certificateAuthority: illegal base64 data"
        ) from error


def _cluster(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    cluster = spec.get("cluster") or {}
    for key, words in (
        ("name", "Name"),
        ("apiServerEndpoint", "Apiserver endpoint"),
        ("certificateAuthority", "Certificate authority"),
        ("cidr", "CIDR"),
    ):
        if not cluster.get(key):
            raise BootError(f"{words} is missing in cluster configuration")
    return dict(cluster)


def parse(user_data: bytes) -> BootConfig:
    """The boot configuration of an AL2023 instance. Raises BootError with what ``nodeadm`` logs."""
    if not user_data.strip():
        raise BootError(_NO_CONFIG)
    spec = _spec(_documents(_unpacked(user_data)))
    cluster = _cluster(spec)
    options = spec.get("kubelet") or {}
    flags = Flags.parse(str(flag) for flag in options.get("flags") or ())
    config = _merged(options.get("config") or {}, flags.config)
    storage = ((spec.get("instance") or {}).get("localStorage") or {}).get("strategy")
    return BootConfig(
        cluster_name=str(cluster["name"]),
        endpoint=str(cluster["apiServerEndpoint"]).rstrip("/"),
        ca_pem=_authority(cluster),
        kubelet=config,
        labels=flags.labels,
        taints=flags.taints if flags.taints is not None else tuple(config.get("registerWithTaints") or ()),
        instance_store=storage in ("RAID0", "RAID10"),
    )
