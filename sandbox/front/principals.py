"""Who an access key stands for: IAM users, STS sessions, and AWS services that act for themselves.

Unique ids and ARNs: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
"""

from __future__ import annotations

import base64
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sandbox.contracts import Credentials, Principal
from sandbox.front import servicelinked


@dataclass(frozen=True)
class Key:
    """An access key and the principal behind it. ``session_of`` is the ARN of the user or role of a session."""

    credentials: Credentials
    principal: Principal
    session_of: str | None = None

    def expired(self, now: float | None = None) -> bool:
        """Whether the session is over; keys of IAM users never are."""
        end = self.credentials.expires_at
        return end is not None and (time.time() if now is None else now) >= end


class UserKeys(Protocol):
    """Where the keys of IAM users are kept."""

    def find(self, access_key_id: str) -> Key | None:
        """The active key with this id, None when there is none or it is inactive."""
        ...


def key_id(prefix: str, seed: bytes | None = None) -> str:
    """An access key id (20 characters, base32); of a ``seed`` always the same one."""
    raw = hmac.digest(b"access key id", seed, "sha256") if seed is not None else secrets.token_bytes(32)
    return prefix + base64.b32encode(raw).decode()[:16]


def secret_key(seed: bytes | None = None) -> str:
    """A secret access key (40 characters); of a ``seed`` always the same one."""
    raw = hmac.digest(b"secret access key", seed, "sha256") if seed is not None else secrets.token_bytes(32)
    return base64.b64encode(raw).decode()[:40]


def unique_id(prefix: str) -> str:
    """An IAM unique id such as AROA… or AIDA…"""
    return key_id(prefix)


class Principals:
    """Every access key that the sandbox knows. Thread-safe."""

    #: Ended sessions are remembered this long, so that they are told apart from keys that never were.
    REMEMBER_SECONDS = 12 * 3600.0

    def __init__(
        self,
        users: UserKeys,
        clock: Callable[[], float] = time.time,
        changed: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``changed`` is told the id of the account that has a new session."""
        self._users = users
        self._clock = clock
        self._changed = changed
        self._sessions: dict[str, Key] = {}
        self._services: dict[tuple[str, str], Key] = {}
        self._lock = threading.Lock()

    def find(self, access_key_id: str) -> Key | None:
        """The key, ended sessions included; None for an id that is unknown or inactive."""
        with self._lock:
            key = self._sessions.get(access_key_id)
        return key or self._users.find(access_key_id)

    def open_session(self, principal: Principal, session_of: str, duration_seconds: float) -> Credentials:
        """New temporary credentials of ``principal``."""
        now = self._clock()
        credentials = Credentials(
            key_id("ASIA"), secret_key(), base64.b64encode(secrets.token_bytes(96)).decode(), now + duration_seconds
        )
        with self._lock:
            self._forget(now)
            self._sessions[credentials.access_key_id] = Key(credentials, principal, session_of)
        self._changed(principal.account)
        return credentials

    def sessions(self, account: str) -> list[Key]:
        """The sessions of the account's users and roles; services open theirs again by themselves."""
        with self._lock:
            keys = list(self._sessions.values())
        return [key for key in keys if key.principal.account == account and key.principal.service is None]

    def restore(self, sessions: list[Key]) -> None:
        """Sessions of an earlier run."""
        with self._lock:
            self._sessions |= {key.credentials.access_key_id: key for key in sessions}

    def service(self, account: str, service: str) -> Credentials:
        """Credentials with which an AWS service (``eks.amazonaws.com``) acts on the account; they do not expire."""
        with self._lock:
            key = self._services.get((account, service))
            if key is None:
                role = servicelinked.session_role(service)
                arn = f"arn:aws:sts::{account}:assumed-role/{role}/{service.partition('.')[0]}"
                principal = Principal(account, arn, unique_id("AROA"), service)
                credentials = Credentials(key_id("ASIA"), secret_key(), secrets.token_urlsafe(48))
                key = self._services[account, service] = Key(credentials, principal)
                self._sessions[credentials.access_key_id] = key
        return key.credentials

    def _forget(self, now: float) -> None:
        over = [
            access_key_id
            for access_key_id, key in self._sessions.items()
            if (end := key.credentials.expires_at) is not None and end + self.REMEMBER_SECONDS < now
        ]
        for access_key_id in over:
            del self._sessions[access_key_id]
