"""Saves accounts soon after they changed, and gives them back after a restart.

An account is one file, taken at one moment: EKS' records and faults first, then, while nothing in the emulators moves,
the rest.
What EKS does is written down there before EKS does it, so that EKS finds what is under way when it goes on.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from sandbox.contracts import Credentials
from sandbox.emulators import stores
from sandbox.front.accounts import Account, Accounts
from sandbox.front.principals import Principals
from sandbox.saved import files, pickling
from sandbox.threads import Threads

_LOG = logging.getLogger("sandbox.saved")
_SUFFIX = ".account"
#: Of the time within which a change is saved, this part gathers more changes; the rest is for the work.
_GATHERING = 0.5
_TRY_AGAIN_SECONDS = 5.0


class Records(Protocol):
    """The part of an account that another service keeps as plain data."""

    def dump(self, account: str) -> list[dict[str, Any]]:
        """The account's records; called on the event loop."""
        ...

    def restore(self, records: list[dict[str, Any]]) -> None:
        """Take records back."""
        ...


class Saver:
    """Keeps the files of a sandbox's accounts up to date."""

    def __init__(
        self,
        folder: Path,
        accounts: Accounts,
        principals: Principals,
        parts: Mapping[str, Records],
        *,
        within_seconds: float = 1.0,
    ) -> None:
        """``parts``: what else an account consists of, by name."""
        self._folder, self._accounts, self._principals, self._parts = folder, accounts, principals, parts
        self._pause = within_seconds * _GATHERING
        self._threads = Threads("saving", 1)
        self._changed: set[str] = set()
        self._lock = threading.Lock()
        self._news = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._problems: dict[str, str] = {}

    @property
    def problem(self) -> str | None:
        """Why the last attempt to save some account failed; None when all are saved, or will be in a moment."""
        told = [f"account {account} is not saved: {reason}" for account, reason in sorted(self._problems.items())]
        return "; ".join(told) or None

    def touch(self, account: str) -> None:
        """Something of the account may have changed. From any thread."""
        with self._lock:
            self._changed.add(account)
            loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self._news.set)

    async def restore(self) -> list[Account]:
        """Give back the accounts that were saved. Raises files.OtherVersionError or files.TornError."""
        names = [name for name in files.names(self._folder) if name.endswith(_SUFFIX)]
        return [await self._restore(name) for name in names]

    async def _restore(self, name: str) -> Account:
        kept = await self._threads.run(self._read, name)
        account = Account(**kept["account"] | {"credentials": Credentials(**kept["account"]["credentials"])})
        await self._threads.run(stores.restore, account.account_id, kept)
        self._principals.restore(kept["sessions"])
        self._accounts.restore(account)
        for part, records in self._parts.items():
            records.restore(kept[part])
        return account

    def _read(self, name: str) -> dict[str, Any]:
        content = files.read(self._folder / name)
        if content is None:  # between listing and reading, nobody else writes here
            raise files.TornError(f"{self._folder / name} has gone")
        kept: dict[str, Any] = pickling.loads(content)
        return kept

    def start(self) -> None:
        """Save from now on, first what changed meanwhile."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
        self._news.set()
        self._task = asyncio.create_task(self._run(), name="saving accounts")

    async def stop(self) -> None:
        """Save what has not been saved, then end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
            await self._save_changed()
        self._threads.close()

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            await asyncio.sleep(self._pause)
            if not await self._save_changed():
                await asyncio.sleep(_TRY_AGAIN_SECONDS)
                self._news.set()

    async def _save_changed(self) -> bool:
        """Save every account that changed; False when one could not be saved, which stays marked."""
        with self._lock:
            changed, self._changed = self._changed, set()
        good = True
        for account_id in sorted(changed):
            try:
                await self._save(account_id)
                self._problems.pop(account_id, None)
            except asyncio.CancelledError:
                self._mark(changed)
                raise
            except Exception as error:
                _LOG.exception("account %s could not be saved", account_id)
                self._problems[account_id] = repr(error)
                self._mark({account_id})
                good = False
        return good

    def _mark(self, accounts: set[str]) -> None:
        with self._lock:
            self._changed |= accounts

    async def _save(self, account_id: str) -> None:
        account = self._accounts.by_id(account_id)
        if account is None:
            return
        records = {name: part.dump(account_id) for name, part in self._parts.items()}
        await self._threads.run(self._write, account, records)

    def _write(self, account: Account, records: dict[str, list[dict[str, Any]]]) -> None:
        take: Callable[[dict[str, Any]], bytes] = partial(self._content, account, records)
        content = stores.snapshot(account.account_id, take)
        files.write(self._folder / f"{account.account_id}{_SUFFIX}", content)

    def _content(self, account: Account, records: dict[str, list[dict[str, Any]]], kept: dict[str, Any]) -> bytes:
        sessions = self._principals.sessions(account.account_id)
        return pickling.dumps(kept | records | {"account": asdict(account), "sessions": sessions})
