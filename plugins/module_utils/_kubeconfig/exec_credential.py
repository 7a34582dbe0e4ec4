# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Prints a token for an EKS cluster, as kubectl and its relatives ask for it; run as a script, not imported by modules.

The token is a presigned GetCallerIdentity URL, which the cluster asks STS with, and good for 15 minutes:
https://docs.aws.amazon.com/eks/latest/userguide/cluster-auth.html,
https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins

Everything comes from the environment, which the kubeconfig sets: EKSOPS_CLUSTER_NAME, AWS_REGION, and, as needed,
AWS_PROFILE, EKSOPS_ROLE_ARN, EKSOPS_EXTERNAL_ID and the AWS_* variables that name files and endpoints. Tokens are kept
in ``$XDG_CACHE_HOME/eksops-karpenter/tokens`` for their owner alone: making one costs half a CPU-second, reading one
nearly nothing. botocore is only imported when a token has to be made.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

API_VERSION = "client.authentication.k8s.io/v1"
PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
# The cluster takes a token for 15 minutes after its signature, whatever the URL says about its own age; it refuses
# URLs that claim more than 15 minutes. One minute is what other clients claim too.
URL_SECONDS = 60
LIFETIME_SECONDS = 14 * 60
REUSE_SECONDS = 2 * 60
CHECK_TIMEOUT_SECONDS = 3
IDENTITY = (
    "EKSOPS_CLUSTER_NAME", "AWS_REGION", "AWS_PROFILE", "EKSOPS_ROLE_ARN", "EKSOPS_EXTERNAL_ID", "AWS_ACCESS_KEY_ID",
    "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_STS", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
)  # fmt: skip
FILES = (("AWS_CONFIG_FILE", "~/.aws/config"), ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"))


class CredentialError(Exception):
    """One sentence for the user of kubectl."""


def main() -> int:
    """Print the ExecCredential; returns the exit code."""
    try:
        name, region = required("EKSOPS_CLUSTER_NAME"), required("AWS_REGION")
        path = cache_path()
        credential = cached(path, time.time())
        if credential is None:
            token, lifetime = make_token(name, region)
            credential = document(token, time.time() + lifetime)
            keep(path, credential)
    except CredentialError as error:
        sys.stderr.write(f"eksops: {error}\n")
        return 1
    json.dump(credential, sys.stdout)
    return 0


def required(name: str) -> str:
    """A variable that the kubeconfig sets. Raises CredentialError without it."""
    value = os.environ.get(name)
    if not value:
        raise CredentialError(f"{name} is not set; write the kubeconfig again with module eks_kubeconfig")
    return value


def document(token: str, expires_at: float) -> dict[str, Any]:
    """The answer that the client expects; ``expires_at`` in seconds since the epoch."""
    stamp = datetime.fromtimestamp(expires_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    status = {"expirationTimestamp": stamp, "token": token}
    return {"apiVersion": API_VERSION, "kind": "ExecCredential", "spec": {}, "status": status}


def cache_path() -> Path:
    """Where the token of this cluster and principal is kept.

    The age of the credential files is part of the name, so that new credentials never meet an old token.
    """
    parts: list[Any] = [os.environ.get(name) for name in IDENTITY]
    # A session token is a secret: only its digest is in the name, with all the rest.
    parts.append(os.environ.get("AWS_SESSION_TOKEN"))
    for variable, default in FILES:
        file = Path(os.environ.get(variable) or default).expanduser()
        with contextlib.suppress(OSError):
            found = file.stat()
            parts.append([str(file), found.st_mtime_ns, found.st_size])
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return base / "eksops-karpenter" / "tokens" / f"{digest[:40]}.json"


def cached(path: Path, now: float) -> dict[str, Any] | None:
    """The kept answer, None when there is none, it ends soon, or others could have written it."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
                return None
            found: dict[str, Any] = json.loads(file.read())
        end = datetime.fromisoformat(found["status"]["expirationTimestamp"]).timestamp()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if found.get("apiVersion") == API_VERSION and end - now > REUSE_SECONDS else None


def keep(path: Path, credential: dict[str, Any]) -> None:
    """Keep the answer for its owner alone. Trouble with the folder costs time, not the answer."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent)  # mode 0600
        with os.fdopen(descriptor, "w") as file:
            json.dump(credential, file)
        Path(temporary).replace(path)


def make_token(cluster_name: str, region: str) -> tuple[str, int]:
    """A token and its lifetime in seconds. Raises CredentialError."""
    try:
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.session import Session
    except ImportError as error:
        raise CredentialError(f"{sys.executable} has no botocore ({error}); install boto3 for it") from error
    try:
        # A profile that is named here is stronger than access keys that happen to be in the environment.
        session = Session(profile=os.environ.get("AWS_PROFILE") or None)
        lifetime = LIFETIME_SECONDS
        if role := os.environ.get("EKSOPS_ROLE_ARN"):
            session = assume(session, role, region)
        else:
            lifetime = credential_lifetime(session)
        url = presign(session, cluster_name, region)
    except (BotoCoreError, ClientError) as error:
        raise CredentialError(explain(error)) from error
    check(url, cluster_name)
    return PREFIX + base64.urlsafe_b64encode(url.encode()).decode().rstrip("="), lifetime


def assume(session: Any, role_arn: str, region: str) -> Any:
    """A session of the role."""
    from botocore.session import Session

    request = {"RoleArn": role_arn, "RoleSessionName": "eksops-karpenter"}
    if external_id := os.environ.get("EKSOPS_EXTERNAL_ID"):
        request["ExternalId"] = external_id
    found = session.create_client("sts", region_name=region).assume_role(**request)["Credentials"]
    assumed = Session()
    assumed.set_credentials(found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])
    return assumed


def credential_lifetime(session: Any) -> int:
    """How long a token may be kept: a token ends with the session that signed it."""
    refresh_needed = getattr(session.get_credentials(), "refresh_needed", None)
    if refresh_needed is None:
        return LIFETIME_SECONDS
    for seconds in (LIFETIME_SECONDS, 9 * 60, 5 * 60):
        if not refresh_needed(seconds):
            return seconds
    return REUSE_SECONDS


def presign(session: Any, cluster_name: str, region: str) -> str:
    """The GetCallerIdentity URL, with the cluster's name among the signed headers."""
    sts = session.create_client("sts", region_name=region)

    def add_header(request: Any, **_: Any) -> None:
        request.headers[CLUSTER_HEADER] = cluster_name

    sts.meta.events.register("before-sign.sts.GetCallerIdentity", add_header)
    url: str = sts.generate_presigned_url("get_caller_identity", Params={}, ExpiresIn=URL_SECONDS, HttpMethod="GET")
    return url


def check(url: str, cluster_name: str) -> None:
    """Ask STS as the cluster will: it only ever says Unauthorized, STS says why. Raises CredentialError.

    STS out of reach from here is no reason to fail: the cluster asks it from where it is.
    """
    from botocore.awsrequest import AWSRequest
    from botocore.exceptions import BotoCoreError
    from botocore.httpsession import URLLib3Session

    request = AWSRequest("GET", url, headers={CLUSTER_HEADER: cluster_name}).prepare()
    http = URLLib3Session(
        timeout=CHECK_TIMEOUT_SECONDS,
        verify=os.environ.get("AWS_CA_BUNDLE") or True,
        proxies={scheme: proxy for scheme in ("http", "https") if (proxy := _proxy(scheme, url))},
    )
    try:
        answer = http.send(request)
    except BotoCoreError:
        return
    if answer.status_code in (400, 401, 403):
        text = answer.content.decode(errors="replace")
        code = text.partition("<Code>")[2].partition("</Code>")[0]
        message = text.partition("<Message>")[2].partition("</Message>")[0]
        raise CredentialError(sentence(code, message or f"STS answered {answer.status_code}"))


def _proxy(scheme: str, url: str) -> str | None:
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    return None if proxy_bypass(urlsplit(url).hostname or "") else getproxies().get(scheme)


def explain(error: Exception) -> str:
    """The sentence for an exception of botocore."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        detail = response.get("Error", {})
        return sentence(str(detail.get("Code", "")), str(detail.get("Message", "")))
    expired = {"SSOTokenLoadError", "UnauthorizedSSOTokenError", "TokenRetrievalError", "LoginError"}
    if {cls.__name__ for cls in type(error).__mro__} & expired or "expired" in str(error).lower():
        return sentence("ExpiredToken", str(error))
    return str(error)


def sentence(code: str, message: str) -> str:
    """Expired, unknown and refused credentials have different remedies."""
    if code in ("ExpiredToken", "ExpiredTokenException", "RequestExpired"):
        return f"the AWS credentials have expired: {message} Renew them ('aws sso login', a new session)."
    if code in ("InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch", "InvalidAccessKeyId"):
        return f"AWS does not know the credentials: {code}: {message}"
    if code.startswith("AccessDenied"):
        return f"access denied: {message} The role's trust policy or the caller's policies do not allow it."
    return f"{code}: {message}" if code else message


if __name__ == "__main__":
    raise SystemExit(main())
