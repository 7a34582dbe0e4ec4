"""CloudFormation as the front sees it."""

from __future__ import annotations

import uuid

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import ministack
from sandbox.emulators.cloudformation.install import install
from sandbox.emulators.services import MinistackService
from sandbox.front import errors
from sandbox.front.catalog import parameters


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
        if parameters(call.request).get("RoleARN"):
            # The stack would be made with the permissions of its caller instead of the role's.
            error = errors.not_implemented("cloudformation", f"{call.action} with RoleARN", "query")
            return errors.render(error, "query", str(uuid.uuid4()))
        if not self._installed:
            await ministack.imported(install)
            self._installed = True
        return await self._ministack.handle(call)
