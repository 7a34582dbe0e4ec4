"""EC2's answers: moto's with our repairs, and a cache for the large ones that never change."""

from __future__ import annotations

import inspect
import re
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto
from sandbox.emulators.ec2 import addresses, permissions, states, tags
from sandbox.emulators.ec2.fleets import Fleets
from sandbox.emulators.ec2.instances import Instances
from sandbox.emulators.ec2.launchtemplates import LaunchTemplates
from sandbox.emulators.ec2.network import Networks
from sandbox.emulators.ec2.profiles import use_ministack_profiles
from sandbox.emulators.ec2.runinstances import Launching
from sandbox.emulators.ec2.volumes import Volumes
from sandbox.faults.launcherrors import LAUNCH_ERRORS
from sandbox.front import errors
from sandbox.front.authorization import Authorizer
from sandbox.front.catalog import is_mutating, parameters
from sandbox.front.errors import AwsError
from sandbox.iam.operation import Need

#: The same for every account: instance types and where they are offered. Rendering them takes moto seconds.
_IMMUTABLE = frozenset({"DescribeInstanceTypes", "DescribeInstanceTypeOfferings"})
_KEPT_ANSWERS = 256
_CODE = re.compile(rb"<Code>([^<]+)</Code>")
_answers: dict[tuple[str, str, bytes, str], HttpResponse] = {}
_answers_lock = threading.Lock()


def answering(authorizer: Authorizer) -> Callable[[Call], HttpResponse]:
    """What answers EC2 calls, and lets ``authorizer`` decide their launches."""

    def answer_call(call: Call) -> HttpResponse:
        def refuse(needs: list[Need]) -> AwsError | None:
            via = call.principal.service
            refusal = authorizer.needs(needs, call.caller, call.region, via)
            return refusal.error("ec2") if refusal else None

        try:
            with permissions.deciding(refuse):
                return answer(call)
        except permissions.UnauthorizedError as refused:
            return errors.render(refused.error, "ec2", str(uuid.uuid4()))

    return answer_call


def answer(call: Call) -> HttpResponse:
    """Answer an EC2 call; blocks. Raises moto.NotInMotoError, permissions.UnauthorizedError."""
    if call.action in _IMMUTABLE:
        return _remembered(call)
    given = parameters(call.request)
    if refusal := _reserved_tag(call, given) or _dry_run(call, given):
        return errors.render(refusal, "ec2", str(uuid.uuid4()))
    response = _with_status(moto.dispatch(responses(), call))
    if call.action in states.CHANGING:
        moto.locked(call.principal.account, lambda: states.announce(_backend(call)))
    if is_mutating(call.action) and tags.takes_away(call.action) and response.status < 300:
        moto.locked(call.principal.account, lambda: tags.forget(_backend(call)))
    return response


def _with_status(response: HttpResponse) -> HttpResponse:
    """moto answers each error with 400; those of a launch that are EC2's own have another status.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html#api-error-codes-table-server
    """
    match = _CODE.search(response.body) if response.status == 400 else None
    known = LAUNCH_ERRORS.get(match[1].decode()) if match else None
    return replace(response, status=known.status) if known else response


def _backend(call: Call) -> Any:
    return moto.ec2_backend(call.principal.account, call.region)


def _reserved_tag(call: Call, given: Mapping[str, str]) -> AwsError | None:
    """AWS services may set tags that users may not."""
    if call.principal.service is not None or call.action not in ("CreateTags", "DeleteTags"):
        return None
    key = tags.reserved_key(given)
    text = f"Tag keys starting with 'aws:' are reserved for internal use: {key}"
    return AwsError("InvalidParameterValue", text) if key else None


def _dry_run(call: Call, given: Mapping[str, str]) -> AwsError | None:
    """Half of moto's operations overlook DryRun and do the thing.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/CommonParameters.html (DryRun)
    """
    if given.get("DryRun", "").lower() != "true" or not moto.implements(responses(), call.action):
        return None
    if _minds_dry_run(call.action):
        return None
    return AwsError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)


@cache
def _minds_dry_run(action: str) -> bool:
    source = inspect.getsource(moto.method(responses(), action))
    return "error_on_dryrun" in source or "dry_run()" in source


def _remembered(call: Call) -> HttpResponse:
    key = (call.action, call.region, call.request.body, call.request.query)
    with _answers_lock:
        known = _answers.get(key)
        if known is None:
            # Not in the caller's name: it would lock the account while moto renders.
            nobody = replace(call, principal=replace(call.principal, account="000000000000"))
            known = moto.dispatch(responses(), nobody)
            if len(_answers) < _KEPT_ANSWERS and known.status < 300:
                _answers[key] = known
    return known


@cache
def responses() -> Any:
    """moto's class of EC2 answers with our repairs mixed in."""
    moto.load()
    from moto.ec2.responses import EC2Response

    tags.mend()
    addresses.use_freed_last()
    use_ministack_profiles()
    return type(
        "SandboxEc2Response", (Launching, Fleets, LaunchTemplates, Instances, Networks, Volumes, EC2Response), {}
    )
