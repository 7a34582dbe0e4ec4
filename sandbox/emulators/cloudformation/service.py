"""CloudFormation as the front sees it."""

from __future__ import annotations

import asyncio

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

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        await asyncio.to_thread(install)
        return await self._ministack.handle(call)
