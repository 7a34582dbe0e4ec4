# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What AWS answered, told once and in one form. Private to the collection.

Exceptions are recognised by the names of their classes, so that this file needs no botocore: a machine without boto3
gets the sentence of AnsibleAWSModule, not an import error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .._core.errors import EksopsError

Kind = Literal[
    "no_credentials", "expired", "rejected", "denied", "throttled", "unreachable", "not_found", "conflict", "other"
]

# Codes that every service may answer: https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html,
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
EXPIRED = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"})
REJECTED = frozenset(
    {
        "UnrecognizedClientException", "InvalidClientTokenId", "InvalidAccessKeyId", "AuthFailure",
        "SignatureDoesNotMatch", "InvalidSignatureException", "IncompleteSignature", "MissingAuthenticationToken",
        "MissingAuthenticationTokenException", "NotAuthorized", "OptInRequired",
    }
)  # fmt: skip
DENIED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "UnauthorizedException"})
# https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
THROTTLED = frozenset(
    {
        "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException",
        "RequestLimitExceeded", "TooManyRequestsException", "EC2ThrottledException", "SlowDown",
        "BandwidthLimitExceeded", "PriorRequestNotComplete",
    }
)  # fmt: skip
CONFLICT = frozenset(
    {"ResourceInUseException", "ConflictException", "EntityAlreadyExists", "EntityAlreadyExistsException"}
)
_NOT_FOUND_WORDS = ("NotFound", "NoSuch", "NonExistent", "DoesNotExist")

_NO_CREDENTIALS_CLASSES = frozenset(
    {"NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "CredentialRetrievalError", "ConfigParseError"}
)
_EXPIRED_CLASSES = frozenset({"SSOTokenLoadError", "UnauthorizedSSOTokenError", "TokenRetrievalError", "LoginError"})
_UNREACHABLE_CLASSES = frozenset({"HTTPClientError", "ConnectionError"})

_NEXT: dict[str, str] = {
    "no_credentials": "name a profile that exists (eksops_aws_profile, AWS_PROFILE) or export credentials, then check"
    " with 'aws sts get-caller-identity'",
    "expired": "renew them ('aws sso login', a new session of the role) and run again; finished work is found and kept",
    "rejected": "check the access key, the clock of this machine, and that the account has the region switched on",
    "denied": "let the caller's policies, boundaries and service control policies allow that action",
    "throttled": "run again later, or fewer clusters at a time (serial, forks)",
    "unreachable": "check region, network, proxy (HTTPS_PROXY) and certificate bundle (AWS_CA_BUNDLE)",
}


class AwsError(EksopsError):
    """A call that AWS did not carry out, or that never got there.

    :param kind: the class of trouble, to branch on.
    :param code: AWS's own error code, None when no answer came.
    """

    def __init__(
        self, what: str, *, kind: Kind, code: str | None = None, where: str | None = None, next_step: str | None = None
    ) -> None:
        self.kind: Kind = kind
        self.code = code
        super().__init__(what, where=where, next_step=next_step)


def error_code(error: BaseException) -> str | None:
    """AWS's error code of a botocore ClientError, None for any other exception."""
    response = getattr(error, "response", None)
    if not isinstance(response, Mapping):
        return None
    code = response.get("Error", {}).get("Code")
    return None if code is None else str(code)


def error_kind(error: BaseException) -> Kind:
    """What class of trouble an exception of botocore stands for."""
    code = error_code(error)
    if code is not None:
        return _kind_of_code(code, _message(error))
    names = {cls.__name__ for cls in type(error).__mro__}
    if names & _EXPIRED_CLASSES or (names & _NO_CREDENTIALS_CLASSES and "expired" in str(error).lower()):
        return "expired"
    if names & _NO_CREDENTIALS_CLASSES:
        return "no_credentials"
    if names & _UNREACHABLE_CLASSES:
        return "unreachable"
    return "other"


def _kind_of_code(code: str, message: str) -> Kind:
    # CloudFormation answers ValidationError and "does not exist" for a stack that is not there:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
    if any(word in code for word in _NOT_FOUND_WORDS) or (code == "ValidationError" and "does not exist" in message):
        return "not_found"
    table: tuple[tuple[frozenset[str], Kind], ...] = (
        (EXPIRED, "expired"),
        (REJECTED, "rejected"),
        (DENIED, "denied"),
        (THROTTLED, "throttled"),
        (CONFLICT, "conflict"),
    )
    return next((kind for codes, kind in table if code in codes), "other")


def _message(error: BaseException) -> str:
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        return str(response.get("Error", {}).get("Message", ""))
    return str(error)


def wrap(error: BaseException, *, service: str, operation: str, region: str | None, about: str | None) -> AwsError:
    """The one error that a user sees for an exception of botocore.

    :param service: signing name (``eks``); :param operation: as AWS spells it (``DescribeCluster``), empty for none.
    :param about: the resource the call was about, when it had one.
    """
    kind, code, message = error_kind(error), error_code(error), _message(error).strip().rstrip(".")
    call = f"{service}:{operation}" if operation else service
    place = f" in {region}" if region else ""
    sentences: dict[str, str] = {
        "no_credentials": f"No AWS credentials for {call}: {message}",
        "expired": f"The AWS credentials have expired ({call}: {message})",
        "rejected": f"AWS does not know the credentials of {call}{place}: {code}: {message}",
        "denied": f"Access denied for {call}{place}: {message}",
        "throttled": f"AWS still throttles {call}{place} after all retries: {code}: {message}",
        "unreachable": f"The AWS endpoint of {call}{place} cannot be reached: {message}",
    }
    detail = f"{code}: {message}" if code else message
    what = sentences.get(kind, f"{call}{place} failed: {detail}")
    return AwsError(what, kind=kind, code=code, where=about, next_step=_NEXT.get(kind))
