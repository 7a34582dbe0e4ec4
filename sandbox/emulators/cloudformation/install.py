"""Puts our resource types into ministack's tables, and takes out those whose service the sandbox does not have."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from sandbox.emulators import ministack
from sandbox.emulators.cloudformation import conditions, groups, iam, network, permissions, routing
from sandbox.emulators.cloudformation.types import ResourceType

#: Types of services that the sandbox has; any other fails its stack instead of making something nobody can see.
KEPT = ("AWS::IAM::", "AWS::SQS::", "AWS::Events::", "AWS::CloudFormation::")
TYPES: dict[str, ResourceType] = network.TYPES | routing.TYPES | groups.TYPES


_INSTALLING = threading.Lock()


def install() -> None:
    """Once per process: ministack's tables are the process's."""
    with _INSTALLING:
        _install()


@cache
def _install() -> None:
    code = ministack.module("services.cloudformation.provisioners")
    handlers: dict[str, dict[str, Any]] = code._RESOURCE_HANDLERS
    for name in [name for name in handlers if not name.startswith(KEPT)]:
        del handlers[name]
    for name, kind in TYPES.items():
        handlers[name] = {"create": kind.create, "delete": kind.delete}
        if kind.update is not None:
            handlers[name]["update"] = kind.update
        code._REPLACING_PROPERTIES[name] = kind.replacing
        if kind.tagged:
            code._STACK_TAG_PROPERTY[name] = ("Tags", "list")
    iam.guarded(handlers)
    permissions.guard(handlers)
    conditions.install(ministack.module)
