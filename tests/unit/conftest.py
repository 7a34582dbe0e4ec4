"""What all unit tests share: no example has a deadline, and botocore does its slow work once in a process."""

from __future__ import annotations

import resource
from functools import cache
from typing import Any, ClassVar

import botocore.client
import botocore.session
from hypothesis import settings

# A machine that is busy with something else makes an example slow, which says nothing about the code.
settings.register_profile("unit", parent=settings(), deadline=None)
settings.load_profile("unit")

# Servers and their clients are in one process here, and each connection takes a descriptor on either side: some shells
# allow a process 1,024 of them.
_soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
_enough = 8192 if _hard == resource.RLIM_INFINITY else min(8192, _hard)
if _soft != resource.RLIM_INFINITY and _soft < _enough:
    resource.setrlimit(resource.RLIMIT_NOFILE, (_enough, _hard))


class ClientCreator(botocore.client.ClientCreator):
    """Makes the class of a service's clients once.

    For EC2 that takes 30 ms and leaves thousands of objects in cycles, and each test has clients of its own.
    """

    models: ClassVar[dict[str, Any]] = {}
    classes: ClassVar[dict[str, Any]] = {}

    def _load_service_model(self, service_name: str, api_version: str | None = None) -> Any:
        if service_name not in self.models:
            self.models[service_name] = super()._load_service_model(service_name, api_version)
        return self.models[service_name]

    def _create_client_class(self, service_name: str, service_model: Any) -> Any:
        if service_name not in self.classes:
            self.classes[service_name] = super()._create_client_class(service_name, service_model)
        return self.classes[service_name]


botocore.client.ClientCreator = ClientCreator
botocore.session.create_loader = cache(botocore.session.create_loader)
