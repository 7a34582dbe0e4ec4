# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the controller's own lines say about its queue and its credentials. Pure. Private to the collection.

The messages are those of Karpenter 1.14 in aws/karpenter-provider-aws: pkg/operator/operator.go (connectivity) and
pkg/controllers/interruption/controller.go (queue); and the credential errors of the AWS SDK for Go v2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_QUEUE = re.compile(r"QueueDoesNotExist|NonExistentQueue|queue does not exist", re.IGNORECASE)
_DENIED = re.compile(r"AccessDenied|UnauthorizedOperation|is not authorized to perform|status code: 403", re.IGNORECASE)
_NO_CREDENTIALS = re.compile(
    r"failed to refresh cached credentials|no EC2 IMDS role found|failed to load credentials|NoCredentialProviders"
    r"|get identity: get credentials",
    re.IGNORECASE,
)
_LEVELS = frozenset({"ERROR", "DPANIC", "PANIC", "FATAL"})
_INTERRUPTION = re.compile(r"sqs provider|interruption|getting messages from queue|\bsqs:", re.IGNORECASE)


def sentence(entry: Mapping[str, Any]) -> str:
    """One line for a person: the message and its error."""
    error = entry.get("error")
    return f"{entry.get('message', '')}: {error}" if error else str(entry.get("message", ""))


def errors(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """The errors among the lines, each once, in order."""
    return list(
        dict.fromkeys(
            sentence(entry) for entry in entries if entry.get("level") in ("ERROR", "panic", "fatal", "FATAL")
        )
    )


def queue_missing(lines: Iterable[str]) -> list[str]:
    """The lines that say that the interruption queue does not exist."""
    return [line for line in lines if _QUEUE.search(line)]


def queue_denied(lines: Iterable[str]) -> list[str]:
    """The lines that say that the controller may not use the interruption queue."""
    return [line for line in lines if _INTERRUPTION.search(line) and _DENIED.search(line)]


def credentials_missing(lines: Iterable[str]) -> list[str]:
    """The lines that say that the controller has no AWS credentials."""
    return [line for line in lines if _NO_CREDENTIALS.search(line)]


def denied(lines: Iterable[str]) -> list[str]:
    """The lines that say that AWS refused a call, but for those of the queue."""
    return [line for line in lines if _DENIED.search(line) and not _INTERRUPTION.search(line)]
