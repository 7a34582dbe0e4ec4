"""Amazon Linux 2 (Kubernetes up to 1.32): a shell script that calls ``/etc/eks/bootstrap.sh``. Pure.

https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#launch-template-custom-ami
"""

from __future__ import annotations

import base64
import binascii
import email
import email.policy
import shlex

from .bootconfig import BootConfig, BootError, Flags

_BOOTSTRAP = "/etc/eks/bootstrap.sh"
_NOT_RUN = "cloud-init: user data does not run /etc/eks/bootstrap.sh; kubelet.service is not started"


def _scripts(data: bytes) -> list[str]:
    """The shell scripts: the parts of a MIME archive, or the whole."""
    message = email.message_from_bytes(data.lstrip(), policy=email.policy.compat32)
    if not message.is_multipart():
        return [data.decode(errors="replace")]
    parts = (part.get_payload(decode=True) for part in message.walk() if not part.is_multipart())
    return [part.decode(errors="replace") for part in parts if isinstance(part, bytes)]


def _arguments(scripts: list[str]) -> list[str]:
    """The arguments of the bootstrap call, the last one if there are several: it is what runs last."""
    for script in reversed(scripts):
        text = script.replace("\\\n", " ")
        lines = [line for line in text.splitlines() if _BOOTSTRAP in line and not line.lstrip().startswith("#")]
        if lines:
            try:
                words = shlex.split(lines[-1])
            except ValueError as error:
                raise BootError(f"cloud-init: part-001: syntax error: {error}") from error
            return words[words.index(_BOOTSTRAP) + 1 :] if _BOOTSTRAP in words else []
    raise BootError(_NOT_RUN)


def _options(arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    positional: list[str] = []
    options: dict[str, str] = {}
    rest = iter(arguments)
    for word in rest:
        if word.startswith("--"):
            options[word] = next(rest, "")
        else:
            positional.append(word)
    return positional, options


def parse(user_data: bytes) -> BootConfig:
    """The boot configuration of an AL2 instance. Raises BootError with what its boot logs.

    Unlike the real script this does not look the cluster up when endpoint and authority are missing: it needs both.
    """
    positional, options = _options(_arguments(_scripts(user_data)))
    if not positional:
        raise BootError("ERROR: cluster name is not defined!")
    endpoint, authority = options.get("--apiserver-endpoint"), options.get("--b64-cluster-ca")
    if not endpoint or not authority:
        raise BootError("ERROR: --apiserver-endpoint and --b64-cluster-ca are both needed here")
    try:
        ca_pem = base64.b64decode(authority, validate=True)
    except binascii.Error as error:
        raise BootError("base64: invalid input") from error
    flags = Flags.parse([options.get("--kubelet-extra-args", "")])
    return BootConfig(
        cluster_name=positional[0],
        endpoint=endpoint.rstrip("/"),
        ca_pem=ca_pem,
        kubelet=flags.config,
        labels=flags.labels,
        taints=flags.taints or (),
        instance_store=options.get("--local-disks") == "raid0",
    )
