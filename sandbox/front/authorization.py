"""Whether a principal may do what it asks for, and AWS's refusal if not.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from sandbox.contracts import Call, Principal
from sandbox.front import decoded
from sandbox.front.catalog import Api
from sandbox.front.errors import AwsError
from sandbox.front.operations import operation_of
from sandbox.iam import message
from sandbox.iam.evaluate import decide, hinges
from sandbox.iam.model import Decision, Policies, Request, Value
from sandbox.iam.needs import needs
from sandbox.iam.operation import Lookups, Need, Operation, resource_tags

#: Decided by STS itself, together with the trust policy of the role.
_ELSEWHERE = frozenset({"sts:AssumeRole", "sts:TagSession"})
#: Launches are looked at one by one, when it is known what is launched with what (``launch_needs``).
_LATER = frozenset({"ec2:RunInstances"})


class Identities(Protocol):
    """Who the principals are."""

    def policies(self, principal: Principal) -> Policies:
        """All that limits or allows the principal."""
        ...

    def keys(self, principal: Principal) -> dict[str, Value]:
        """The condition keys that say who asks."""
        ...


class Resources(Lookups, Protocol):
    """What the resources are."""

    def tags(self, arn: str) -> Mapping[str, str]:
        """The tags of a resource, none for one that does not exist."""
        ...

    def exists(self, arn: str) -> bool:
        """False for a resource that certainly does not exist."""
        ...


class _Context(Mapping[str, Value]):
    """The keys of a need; the tags of its resource are looked up when a condition asks for them."""

    def __init__(self, known: dict[str, Value], service: str, tags: Callable[[], Mapping[str, str]]) -> None:
        self._known, self._service, self._tags = known, service, tags
        self._complete = False

    def __getitem__(self, key: str) -> Value:
        if key not in self._known and ":resourcetag/" in key:
            self._complete_it()
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        self._complete_it()
        return iter(self._known)

    def __len__(self) -> int:
        self._complete_it()
        return len(self._known)

    def _complete_it(self) -> None:
        if not self._complete:
            self._known = resource_tags(self._tags(), self._service) | self._known
            self._complete = True


@dataclass(frozen=True)
class Refusal:
    """A need that is not allowed, and why."""

    principal: Principal
    request: Request
    decision: Decision

    def error(self, protocol: str) -> AwsError:
        """In the words of a service of ``protocol``."""
        arn, action, resource = self.principal.arn, self.request.action, self.request.resource
        if protocol == "ec2":
            # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html#troubleshooting-unauthorized-operation
            of = None if resource == "*" else resource
            text = (
                f"You are not authorized to perform this operation. {message.refusal(arn, action, of, self.decision)}"
            )
            if of is not None:
                hidden = decoded.encoded(arn, action, resource, self.decision, self.request.context)
                text += f". Encoded authorization failure message: {hidden}"
            return AwsError("UnauthorizedOperation", text, 403)
        text = message.refusal(arn, action, resource, self.decision)
        if protocol == "query":
            return AwsError("AccessDenied", text, 403)
        before = "AccessDenied" if action.startswith("sqs:") else None
        status = 403 if protocol.startswith("rest") else 400
        return AwsError("AccessDeniedException", text, status, query_code=before)


class Authorizer:
    """Decides calls by the policies of those who make them."""

    def __init__(self, identities: Identities, resources: Resources, clock: Callable[[], float] = time.time) -> None:
        self._identities, self.resources, self._clock = identities, resources, clock

    def refusal(self, call: Call, api: Api) -> Refusal | None:
        """The first need of the call that is not allowed."""
        name = f"{call.service}:{call.action}"
        if call.caller.service is not None or name in _ELSEWHERE | _LATER:
            return None
        via = call.principal.service
        return self.operation(operation_of(call, api, call.caller), call.caller, via)

    def operation(self, operation: Operation, principal: Principal, via: str | None = None) -> Refusal | None:
        """The first need of the operation that is not allowed to the principal; ``via``: the service that asks."""
        return self.needs(needs(operation, self.resources), principal, operation.region, via)

    def needs(
        self, wanted: Iterable[Need], principal: Principal, region: str, via: str | None = None
    ) -> Refusal | None:
        """The first need that is not allowed. AWS services act by roles of their own, which are theirs to know."""
        if principal.service is not None:
            return None
        policies = self._identities.policies(principal)
        common = self._identities.keys(principal) | self._request_keys(principal, region) | _via(via)
        for need in wanted:
            decision = decide(request := self._request(need, common), policies)
            if not decision.allowed and not self._is_for_the_service(request, policies, decision):
                return Refusal(principal, request, decision)
        return None

    def _is_for_the_service(self, request: Request, policies: Policies, decision: Decision) -> bool:
        """Whether the service has to say that the resource does not exist, which can meet no condition on its tags.

        AWS's documentation does not say so; Karpenter saw it there. It deletes launch templates once more when it
        forgets them, with a policy that has such conditions, was told InvalidLaunchTemplateId.NotFound, and takes that
        for done: https://github.com/aws/karpenter-provider-aws/issues/5535 and pull request 5665.
        """
        implicit = decision.kind == "identity-based policy" and not decision.explicit
        return implicit and not self.resources.exists(request.resource) and hinges(request, policies)

    def decision(self, need: Need, principal: Principal, region: str) -> Decision:
        """How the policies of the principal decide one need."""
        common = self._identities.keys(principal) | self._request_keys(principal, region)
        return decide(self._request(need, common), self._identities.policies(principal))

    def _request(self, need: Need, common: Mapping[str, Value]) -> Request:
        owner = need.resource.split(":", 5)[4:5]
        keys: dict[str, Value] = {**common, **need.keys}
        if owner and owner[0]:
            keys["aws:resourceaccount"] = owner[0]
        service = need.action.partition(":")[0]
        return Request(need.action, need.resource, _Context(keys, service, lambda: self.resources.tags(need.resource)))

    def _request_keys(self, principal: Principal, region: str) -> dict[str, Value]:
        """https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html"""
        now = self._clock()
        keys: dict[str, Value] = {
            "aws:requestedregion": region,
            "aws:currenttime": datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "aws:epochtime": str(int(now)),
            # AWS is reached by TLS alone; the hop to the front on loopback stands for that.
            "aws:securetransport": "true",
            "aws:sourceip": "127.0.0.1",
            **_via(None),
        }
        # "…not present in requests made using long-term credentials":
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-multifactorauthpresent
        return keys | {"aws:multifactorauthpresent": "false"} if ":assumed-role/" in principal.arn else keys


def _via(service: str | None) -> dict[str, Value]:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/access_forward_access_sessions.html"""
    if service is None:
        return {"aws:viaawsservice": "false"}
    called: dict[str, Value] = {
        "aws:calledvia": (service,),
        "aws:calledviafirst": service,
        "aws:calledvialast": service,
    }
    return called | {"aws:viaawsservice": "true"}
