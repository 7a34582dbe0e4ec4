"""Launches and the permissions of whoever asks for them: a fleet meets them launch by launch.

"Resource-level permissions for this action do not include the resources specified in a launch template", says the
reference of CreateFleet, so what they are launched with is a matter of RunInstances:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sandbox.emulators.ec2.launchspec import LaunchSpec
from sandbox.emulators.iam import IamStore
from sandbox.front.errors import AwsError
from sandbox.iam.launching import Launch, launch_needs
from sandbox.iam.operation import Need

#: What refuses needs, of the call that is being answered.
Refuse = Callable[[list[Need]], AwsError | None]
_refuse: ContextVar[Refuse] = ContextVar("refuse", default=lambda _: None)


class UnauthorizedError(Exception):
    """A launch that the caller may not make, with what EC2 says to it."""

    def __init__(self, error: AwsError) -> None:
        super().__init__(error.message)
        self.error, self.code, self.message = error, error.code, error.message


@contextmanager
def deciding(refuse: Refuse) -> Iterator[None]:
    """Let ``refuse`` decide the launches of the call that is answered meanwhile."""
    token = _refuse.set(refuse)
    try:
        yield
    finally:
        _refuse.reset(token)


def require(backend: Any, spec: LaunchSpec, subnet: Any, groups: list[Any], profile_arn: str | None) -> None:
    """Raise UnauthorizedError for a launch that the caller may not make."""
    launch = Launch(
        account=backend.account_id,
        region=backend.region_name,
        image_id=spec.image_id or "",
        subnet_id=subnet.id,
        security_group_ids=tuple(group.id for group in groups),
        instance_type=spec.instance_type or "",
        zone=subnet.availability_zone,
        spot=spec.spot,
        template_id=spec.template[0] if spec.template else None,
        key_name=spec.key_name,
        role_arn=IamStore().role_of_profile(backend.account_id, profile_arn) if profile_arn else None,
        profile_arn=profile_arn,
        tenancy=spec.tenancy,
        tags=spec.tags,
    )
    if error := _refuse.get()(launch_needs(launch)):
        raise UnauthorizedError(error)
