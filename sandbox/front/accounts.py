"""The accounts of a sandbox. Id and keys follow from the sandbox's secret and the name: a restart keeps them."""

from __future__ import annotations

import hmac
import os
import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox.contracts import Credentials
from sandbox.front.principals import key_id, secret_key

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")


@dataclass(frozen=True)
class Account:
    """An AWS account: its 12-digit id and the keys of its IAM user ``admin``."""

    name: str
    account_id: str
    credentials: Credentials

    @property
    def principal_arn(self) -> str:
        """The ARN of the account's administrator."""
        return f"arn:aws:iam::{self.account_id}:user/admin"


class Accounts:
    """Makes accounts on demand, each name once. ``seed`` fills a new one."""

    def __init__(self, secret: str, seed: Callable[[Account], None]) -> None:
        self._secret = secret.encode()
        self._seed = seed
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def get_or_create(self, name: str) -> Account:
        """The account of that name. Raises ValueError for a bad name."""
        if not _NAME.fullmatch(name):
            raise ValueError("an account's name is 1 to 63 letters, digits, dots, dashes or underscores")
        with self._lock:
            if name not in self._accounts:
                account = self._make(name)
                self._seed(account)
                self._accounts[name] = account
            return self._accounts[name]

    def all(self) -> list[Account]:
        """The accounts made so far."""
        with self._lock:
            return list(self._accounts.values())

    def by_id(self, account_id: str) -> Account | None:
        """The account with this id."""
        return next((account for account in self.all() if account.account_id == account_id), None)

    def _make(self, name: str) -> Account:
        seed = hmac.digest(self._secret, name.encode(), "sha256")
        number = 10**11 + int.from_bytes(seed[:8]) % (9 * 10**11)
        return Account(name, str(number), Credentials(key_id("AKIA", seed), secret_key(seed)))


def sandbox_token(state_dir: Path) -> str:
    """The secret of the sandbox in ``state_dir``/token, made on first use, readable by its owner alone."""
    path = state_dir / "token"
    state_dir.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="utf-8").strip()
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        token = secrets.token_urlsafe(32)
        file.write(token + "\n")
    return token
