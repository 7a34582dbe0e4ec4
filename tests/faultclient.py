"""Sets and clears faults of one account of a sandbox, by the sandbox's own routes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sandbox.commands.common import ask


@dataclass(frozen=True)
class FaultClient:
    """``url`` and ``token`` are the front's."""

    url: str
    token: str
    account: str

    def _ask(self, path: str, body: dict[str, Any] | None = None, method: str | None = None) -> Any:
        description = {"front_url": self.url, "admin_token": self.token}
        return ask(description, f"/_sandbox/faults{path}", body, method=method, timeout_seconds=120)

    def set(self, kind: str, **values: str | float) -> dict[str, Any]:
        """Set a fault. Raises CommandError with what is allowed."""
        found: dict[str, Any] = self._ask("", {"account": self.account, "kind": kind, "values": values})
        return found

    def clear(self, number: str) -> None:
        """Clear a fault."""
        self._ask(f"/{number}", method="DELETE")

    def all(self) -> list[dict[str, Any]]:
        """The account's faults."""
        found: list[dict[str, Any]] = self._ask(f"?account={self.account}")
        return found

    @contextmanager
    def fault(self, kind: str, **values: str | float) -> Iterator[dict[str, Any]]:
        """A fault that is set inside of the block."""
        made = self.set(kind, **values)
        try:
            yield made
        finally:
            if any(one["id"] == made["id"] for one in self.all()):
                self.clear(made["id"])
