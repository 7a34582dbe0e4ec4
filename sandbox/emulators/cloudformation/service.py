"""CloudFormation as the front sees it."""

from __future__ import annotations

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import ministack
from sandbox.emulators.cloudformation.install import install
from sandbox.emulators.services import MinistackService


def preload() -> None:
    """Import ministack's services, which takes seconds, before someone waits for them."""
    for name in ministack.MODULES.values():
        ministack.module(f"services.{name}")
    install()


class CloudFormation:
    """ministack's CloudFormation with our resource types."""

    def __init__(self) -> None:
        self._ministack = MinistackService("cloudformation", "query")
        self._installed = False

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        if not self._installed:
            await ministack.imported(install)
            self._installed = True
        return await self._ministack.handle(call)
