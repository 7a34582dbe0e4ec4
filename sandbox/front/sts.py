"""STS: who am I, and becoming someone else. https://docs.aws.amazon.com/STS/latest/APIReference/"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol
from xml.sax.saxutils import escape

from sandbox.contracts import Call, Credentials, HttpResponse, Principal
from sandbox.front import decoded, errors, sessionpolicies, sessiontags
from sandbox.front.authorization import Authorizer
from sandbox.front.catalog import parameters
from sandbox.front.errors import AwsError
from sandbox.front.principals import Principals
from sandbox.front.sessionpolicies import SessionPolicyError
from sandbox.front.sessiontags import SessionTagError, Tags
from sandbox.iam.model import Value
from sandbox.iam.operation import Need
from sandbox.iam.trust import Trust

_NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/"
_ROLE_ARN = re.compile(r"arn:(aws[\w-]*):iam::(\d{12}):role/(?:[\w+=,.@/-]*/)?([\w+=,.@-]{1,64})")
_SESSION_NAME = re.compile(r"[\w+=,.@-]{2,64}")
#: Parameters of AssumeRole that would go unheeded.
_NOT_HERE = {"ProvidedContexts", "SerialNumber", "SourceIdentity", "TokenCode"}

#: The context of a request by condition key; None for a key that it does not have.
Conditions = Mapping[str, str | list[str] | None]


@dataclass(frozen=True)
class Role:
    """What STS needs to know of a role. ``max_session_seconds`` limits AssumeRole."""

    arn: str
    role_id: str
    max_session_seconds: int


class Roles(Protocol):
    """The roles of IAM, and what their trust policies say."""

    def role(self, account: str, name: str) -> Role | None:
        """The role, None when the account has none of that name."""
        ...

    def trusts(
        self, account: str, name: str, principal: Principal, action: str, conditions: Conditions
    ) -> Trust | None:
        """How the role's trust policy lets the principal do ``action``; conditions by lower-case key."""
        ...

    def policy(self, account: str, arn: str) -> str | None:
        """The text of a managed policy."""
        ...


class StsError(Exception):
    """An error that the caller gets to see."""

    def __init__(self, error: AwsError) -> None:
        super().__init__(error.message)
        self.error = error


class Sts:
    """The operations of STS that clients of the sandbox use; any other is answered as not implemented."""

    def __init__(self, principals: Principals, roles: Roles, authorizer: Authorizer) -> None:
        self._principals = principals
        self._roles = roles
        self._authorizer = authorizer
        self._operations: dict[str, Callable[[Call, dict[str, str]], str]] = {
            "GetCallerIdentity": self._caller_identity,
            "AssumeRole": self._assume_role,
            "GetSessionToken": self._session_token,
            "GetAccessKeyInfo": self._access_key_info,
            "DecodeAuthorizationMessage": self._decode,
        }

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        request_id = str(uuid.uuid4())
        operation = self._operations.get(call.action)
        if operation is None:
            return errors.render(errors.not_implemented("sts", call.action, "query"), "query", request_id)
        try:
            result = operation(call, parameters(call.request))
        except (StsError, SessionTagError, SessionPolicyError) as error:
            return errors.render(error.error, "query", request_id)
        body = (
            f'<{call.action}Response xmlns="{_NAMESPACE}"><{call.action}Result>{result}</{call.action}Result>'
            f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata></{call.action}Response>"
        )
        return HttpResponse(200, {"content-type": "text/xml", "x-amzn-requestid": request_id}, body.encode())

    def session(self, role_arn: str, session_name: str, duration_seconds: float, tags: Tags = ()) -> Credentials:
        """Credentials of a role for someone whose right to it is already clear. Raises LookupError."""
        match = _ROLE_ARN.fullmatch(role_arn)
        role = self._roles.role(match[2], match[3]) if match else None
        if match is None or role is None or role.arn != role_arn:
            raise LookupError(f"no role {role_arn}")
        return self._principals.open_session(_assumed(role, session_name, tags), role.arn, duration_seconds)

    def _caller_identity(self, call: Call, _: dict[str, str]) -> str:
        who = call.principal
        return f"<Arn>{escape(who.arn)}</Arn><UserId>{escape(who.user_id)}</UserId><Account>{who.account}</Account>"

    def _assume_role(self, call: Call, given: dict[str, str]) -> str:
        arn, name = given.get("RoleArn", ""), given.get("RoleSessionName", "")
        if not _ROLE_ARN.fullmatch(arn):
            raise _invalid(f"{arn} is invalid")
        if not _SESSION_NAME.fullmatch(name):
            raise _invalid(f"Value '{name}' at 'roleSessionName' failed to satisfy constraint [\\w+=,.@-]{{2,64}}")
        for wanted in sorted({key.partition(".")[0] for key in given} & _NOT_HERE):
            raise StsError(errors.not_implemented("sts", f"AssumeRole with {wanted}", "query"))
        passed = sessiontags.requested(given)
        tags = sessiontags.chained(call.principal.session_tags, passed)
        context = sessiontags.conditions(passed) | {
            "sts:rolesessionname": name,
            "sts:externalid": given.get("ExternalId"),
        }
        limits = sessionpolicies.requested(given, lambda one: self._roles.policy(arn.split(":")[4], one))
        role = self._trusting(call, arn, "AssumeRole", context)
        if tags:
            # Inherited ones too: the new session is tagged with them.
            # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html#id_session-tags_permissions-required
            self._trusting(call, arn, "TagSession", context)
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_terms-and-concepts.html#iam-term-role-chaining
        limit = 3600 if ":assumed-role/" in call.principal.arn else role.max_session_seconds
        duration = _duration(given, 3600, 900, limit)
        who = replace(_assumed(role, name, tags), session_policies=limits)
        credentials = self._principals.open_session(who, role.arn, duration)
        return (
            f"{_credentials_xml(credentials)}<AssumedRoleUser><AssumedRoleId>{who.user_id}</AssumedRoleId>"
            f"<Arn>{escape(who.arn)}</Arn></AssumedRoleUser><PackedPolicySize>{sessionpolicies.packed(limits)}</PackedPolicySize>"
        )

    def _trusting(self, call: Call, arn: str, operation: str, context: Conditions) -> Role:
        """The role, if it exists and lets the caller do the operation; AWS says the same of both."""
        caller, account, name = call.principal, arn.split(":")[4], arn.rpartition("/")[2]
        role = self._roles.role(account, name)
        known = role is not None and role.arn == arn
        trust = self._roles.trusts(account, name, caller, f"sts:{operation}", context) if known else None
        if role is None or trust is None:
            raise StsError(errors.denied(caller.arn, "sts", operation, arn))
        need = Need(f"sts:{operation}", arn, condition_keys(context))
        refusal = self._authorizer.needs([need], caller, call.region)
        # Named in the trust policy of its own account, a principal needs no policy that allows it, unless one denies.
        enough = trust == "principal" and caller.account == account and not (refusal and refusal.decision.explicit)
        if refusal and not enough:
            raise StsError(refusal.error("query"))
        return role

    def _session_token(self, call: Call, given: dict[str, str]) -> str:
        if ":user/" not in call.principal.arn:
            message = "Cannot call GetSessionToken with session credentials"
            raise StsError(AwsError("AccessDenied", message, 403))
        duration = _duration(given, 43200, 900, 129600)
        return _credentials_xml(self._principals.open_session(call.principal, call.principal.arn, duration))

    def _decode(self, _: Call, given: dict[str, str]) -> str:
        text = decoded.decoded(given.get("EncodedMessage", ""))
        if text is None:
            raise StsError(AwsError("InvalidAuthorizationMessageException", "Message is not valid", 400))
        return f"<DecodedMessage>{escape(text)}</DecodedMessage>"

    def _access_key_info(self, _: Call, given: dict[str, str]) -> str:
        key = self._principals.find(given.get("AccessKeyId", ""))
        if key is None:
            raise _invalid("Access key ID is not valid.")
        return f"<Account>{key.principal.account}</Account>"


def condition_keys(conditions: Conditions) -> dict[str, Value]:
    """The keys that a request has, as policies know them."""
    return {
        key: value if isinstance(value, str) else tuple(value) for key, value in conditions.items() if value is not None
    }


def _assumed(role: Role, session_name: str, tags: Tags) -> Principal:
    _, partition, _, _, account, resource = role.arn.split(":", 5)
    name = resource.rpartition("/")[2]
    arn = f"arn:{partition}:sts::{account}:assumed-role/{name}/{session_name}"
    return Principal(account, arn, f"{role.role_id}:{session_name}", session_tags=tags)


def _duration(given: Mapping[str, str], default: int, least: int, most: int) -> int:
    text = given.get("DurationSeconds") or str(default)
    if not text.isdigit() or int(text) < least:
        raise _invalid(
            f"Value '{text}' at 'durationSeconds' failed to satisfy constraint: Member must have value "
            f"greater than or equal to {least}"
        )
    if int(text) > most:
        raise _invalid("The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
    return int(text)


def _credentials_xml(credentials: Credentials) -> str:
    end = datetime.fromtimestamp(credentials.expires_at or 0.0, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (
        f"<Credentials><AccessKeyId>{credentials.access_key_id}</AccessKeyId>"
        f"<SecretAccessKey>{escape(credentials.secret_access_key)}</SecretAccessKey>"
        f"<SessionToken>{escape(credentials.token or '')}</SessionToken><Expiration>{end}</Expiration></Credentials>"
    )


def _invalid(message: str) -> StsError:
    return StsError(AwsError("ValidationError", message, 400))
