"""The accounts of a sandbox. Id, unless given, and keys follow from the sandbox's secret and the name.

So a restart keeps them.
"""

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
#: https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-identifiers.html
_ID = re.compile(r"[0-9]{12}")


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


class AccountTakenError(ValueError):
    """The name has another id, or the id another name."""


def check(name: str, account_id: str | None) -> None:
    """Raise ValueError for a name or an id that no account can have."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"account name {name!r}: use 1 to 63 letters, digits, dots, dashes and underscores")
    if account_id is not None and not _ID.fullmatch(account_id):
        raise ValueError(f"account id {account_id!r}: an AWS account id has 12 digits")


class Accounts:
    """Makes accounts on demand, each name once. ``seed`` fills a new one."""

    def __init__(self, secret: str, seed: Callable[[Account], None]) -> None:
        self._secret = secret.encode()
        self._seed = seed
        self._accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def get_or_create(self, name: str, account_id: str | None = None) -> Account:
        """The account of that name; a new one has the id that is given, or one that follows from the name.

        Raises ValueError for a bad name or id, AccountTakenError for one that another account has.
        """
        check(name, account_id)
        with self._lock:
            account = self._accounts.get(name) or self._make(name, account_id)
            if account_id not in (None, account.account_id):
                raise AccountTakenError(f"account {name} is there already with the id {account.account_id}")
            if name not in self._accounts:
                self._refuse_taken_id(account)
                self._seed(account)
                self._accounts[name] = account
            return account

    def restore(self, account: Account) -> None:
        """An account of an earlier run, which is filled already."""
        with self._lock:
            self._accounts[account.name] = account

    def all(self) -> list[Account]:
        """The accounts made so far."""
        with self._lock:
            return list(self._accounts.values())

    def by_id(self, account_id: str) -> Account | None:
        """The account with this id."""
        return next((account for account in self.all() if account.account_id == account_id), None)

    def _refuse_taken_id(self, account: Account) -> None:
        for other in self._accounts.values():
            if other.account_id == account.account_id:
                raise AccountTakenError(f"the id {account.account_id} is that of the account {other.name}")

    def _make(self, name: str, account_id: str | None) -> Account:
        seed = hmac.digest(self._secret, name.encode(), "sha256")
        number = 10**11 + int.from_bytes(seed[:8]) % (9 * 10**11)
        return Account(name, account_id or str(number), Credentials(key_id("AKIA", seed), secret_key(seed)))


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
