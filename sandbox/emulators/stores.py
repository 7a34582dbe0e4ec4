"""All that the emulators keep of one account, taken at one moment and put back.

ministack runs on one loop, so a call on that loop meets none of its calls half-way, a stack that is being made among
them; moto has a lock for each account. The lock is taken on the loop: ministack waits for moto, never moto for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from sandbox.emulators import ministack, moto
from sandbox.emulators.cloudformation import interrupted

#: ministack's IAM is the sandbox's; moto makes one of its own as soon as something asks for it.
_NOT_OURS = frozenset({"iam"})


#: What has to be done to records whose work nobody goes on with.
_MENDED: dict[str, Callable[[dict[str, Any]], None]] = {
    "ministack.services.cloudformation:_stacks": interrupted.end_stack,
    "ministack.services.cloudformation:_change_sets": interrupted.end_change_set,
}


def snapshot[T](account: str, take: Callable[[dict[str, Any]], T]) -> T:
    """``take`` of everything that the account has, while nothing of it changes. Blocks; not from ministack's loop."""

    def both() -> T:
        return moto.locked(account, lambda: take({"moto": _moto(account), "ministack": _ministack(account)}))

    return ministack.scoped(account, "us-east-1", both)


def restore(account: str, kept: dict[str, Any]) -> None:
    """Put back what ``snapshot`` was given; before the account's first call."""

    def both() -> None:
        _restore_ministack(account, kept["ministack"])
        moto.locked(account, lambda: _restore_moto(account, kept["moto"]))

    ministack.scoped(account, "us-east-1", both)


def _moto(account: str) -> dict[str, dict[str, Any]]:
    """service -> region -> moto's store."""
    from moto.core.base_backend import BackendDict

    return {
        backends.service_name: dict(dict.items(dict.__getitem__(backends, account)))
        for backends in list(BackendDict._instances)
        if dict.__contains__(backends, account) and backends.service_name not in _NOT_OURS
    }


def _restore_moto(account: str, kept: dict[str, dict[str, Any]]) -> None:
    moto.load()
    from moto.backends import get_backend

    for service, regions in kept.items():
        backends: Any = get_backend(service)
        for region, backend in regions.items():
            backends[account][region] = backend


def _stores() -> dict[str, Any]:
    """ministack's stores by module and name, each once: modules import those of others."""
    for name in ministack.MODULES.values():
        ministack.module(f"services.{name}")
    responses = ministack.module("core.responses")
    kinds = (responses.AccountScopedDict, responses.AccountRegionScopedDict)
    ours = tuple(f"ministack.services.{name}" for name in ministack.MODULES.values())
    found: dict[int, tuple[str, Any]] = {}
    for name in sorted(name for name in sys.modules if name.startswith(ours)):
        for variable, value in list(vars(sys.modules[name]).items()):
            if isinstance(value, kinds):
                found.setdefault(id(value), (f"{name}:{variable}", value))
    return dict(found.values())


def _ministack(account: str) -> dict[str, dict[Any, Any]]:
    """store -> the account's part of it. Keys are tuples that begin with the account."""
    parts = {
        name: {key: value for key, value in list(store._data.items()) if key[0] == account}
        for name, store in _stores().items()
    }
    return {name: part for name, part in parts.items() if part}


def _restore_ministack(account: str, kept: dict[str, dict[Any, Any]]) -> None:
    stores = _stores()
    for name, part in kept.items():
        stores[name]._data.update(part)
        if mend := _MENDED.get(name):
            for record in part.values():
                mend(record)
