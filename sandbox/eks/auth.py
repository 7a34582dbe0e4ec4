"""EKS Auth: AssumeRoleForPodIdentity, and the answer that the pod identity agent gives to a pod.

https://docs.aws.amazon.com/eks/latest/APIReference/API_auth_AssumeRoleForPodIdentity.html
https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html
"""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass
from typing import Any

from sandbox.contracts import Call, ClusterKey, Credentials, HttpResponse, SessionTag
from sandbox.eks import iam, injection, podidentity
from sandbox.eks.context import LOG, Caller, Context
from sandbox.eks.errors import EksError
from sandbox.eks.kube import KubeError
from sandbox.eks.model import Cluster, PodIdentityAssociation
from sandbox.eks.wire import Protocol

_DURATION_SECONDS = 21600


@dataclass(frozen=True)
class Pod:
    """Who a service account token was issued to."""

    namespace: str
    service_account: str
    name: str
    uid: str


@dataclass(frozen=True)
class Assumed:
    """The role that a pod got."""

    pod: Pod
    association: PodIdentityAssociation
    session: str
    role_id: str
    credentials: Credentials


class AuthService:
    """The service ``eks-auth``."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._protocol = Protocol("eks-auth")

    async def handle(self, call: Call) -> HttpResponse:
        """Answer AssumeRoleForPodIdentity."""
        try:
            operation, in_path = self._protocol.route(call.request)
            params = self._protocol.parse(operation, in_path, call.request)
            cluster = self._context.store.get(Caller.of(call).key(params["clusterName"]))
            assumed = await self.assume(cluster, params["token"])
            return self._protocol.answer(operation, _view(assumed, cluster))
        except EksError as error:
            return error.response()

    async def container_credentials(self, key: ClusterKey, token: str) -> dict[str, Any]:
        """What the container credentials provider of an SDK reads. Raises EksError.

        https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
        """
        cluster = self._context.store.get(key)
        assumed = await self.assume(cluster, token)
        return {
            "AccessKeyId": assumed.credentials.access_key_id,
            "SecretAccessKey": assumed.credentials.secret_access_key,
            "Token": assumed.credentials.token,
            "AccountId": cluster.account,
            "Expiration": _iso(assumed.credentials.expires_at),
        }

    async def assume(self, cluster: Cluster, token: str) -> Assumed:
        """Exchange a pod's token for credentials of the role that its service account has now. Raises EksError."""
        pod = await self._review(cluster, token)
        association = podidentity.find(cluster, pod.namespace, pod.service_account)
        if association is None:
            raise EksError(
                "ResourceNotFoundException",
                f"No associations found for the service account {pod.namespace}/{pod.service_account} in cluster "
                f"{cluster.name}.",
            )
        role = await iam.look_up(self._context, association.role_arn, cluster.region)
        tags = {} if association.disable_session_tags else session_tags(cluster, pod)
        conditions = {f"aws:RequestTag/{key}": value for key, value in tags.items()}
        conditions |= {"aws:SourceAccount": cluster.account, "aws:SourceArn": cluster.arn}
        actions = podidentity.ACTIONS if tags else podidentity.ACTIONS[:1]
        if role is None or not iam.trusts(role.trust, podidentity.SERVICE, *actions, context=conditions):
            raise EksError(
                "AccessDeniedException",
                "Unauthorized Exception! EKS does not have permissions to assume the associated role.",
            )
        session = session_name(cluster, pod)
        LOG.info("%s: %s/%s becomes %s", cluster.arn, pod.namespace, pod.name, association.role_arn)
        credentials = await self._context.threads.run(
            self._context.aws.mint_session,
            association.role_arn,
            session,
            duration_seconds=_DURATION_SECONDS,
            tags=[SessionTag(key, value, transitive=True) for key, value in tags.items()],
        )
        return Assumed(pod, association, session, role.id, credentials)

    async def _review(self, cluster: Cluster, token: str) -> Pod:
        review = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": token, "audiences": [injection.AUDIENCE]},
        }
        try:
            answer = await self._context.kube(cluster).create("/apis/authentication.k8s.io/v1/tokenreviews", review)
        except KubeError as error:
            raise EksError("ServerException", f"The token could not be reviewed: {error}") from error
        status = answer.get("status", {})
        if not status.get("authenticated"):
            reason = str(status.get("error", "the cluster does not know it"))
            code = "ExpiredTokenException" if "expired" in reason else "InvalidTokenException"
            raise EksError(code, f"The token included in the request is not valid: {reason}")
        return _pod(status["user"])


def session_tags(cluster: Cluster, pod: Pod) -> dict[str, str]:
    """The session tags of EKS Pod Identity, all of them transitive.

    https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html
    """
    return {
        "eks-cluster-arn": cluster.arn,
        "eks-cluster-name": cluster.name,
        "kubernetes-namespace": pod.namespace,
        "kubernetes-service-account": pod.service_account,
        "kubernetes-pod-name": pod.name,
        "kubernetes-pod-uid": pod.uid,
    }


def session_name(cluster: Cluster, pod: Pod) -> str:
    """``eks-<cluster>-<pod>-<uuid>``, shortened as EKS does, because STS allows 64 characters."""
    return f"eks-{cluster.name[:11]}-{pod.name[:11]}-{uuid.uuid4()}"


def _pod(user: dict[str, Any]) -> Pod:
    namespace, _, account = str(user.get("username", "")).rpartition("system:serviceaccount:")[2].partition(":")
    extra = user.get("extra") or {}
    name, uid = (extra.get(f"authentication.kubernetes.io/pod-{part}", [""])[0] for part in ("name", "uid"))
    if not account or not name:
        raise EksError("InvalidTokenException", "The token is not one that was issued to a pod.")
    return Pod(namespace, account, name, uid)


def _view(assumed: Assumed, cluster: Cluster) -> dict[str, Any]:
    role_name = assumed.association.role_arn.rpartition("/")[2]
    partition = assumed.association.role_arn.split(":")[1]
    arn = f"arn:{partition}:sts::{cluster.account}:assumed-role/{role_name}/{assumed.session}"
    return {
        "subject": {"namespace": assumed.pod.namespace, "serviceAccount": assumed.pod.service_account},
        "audience": injection.AUDIENCE,
        "podIdentityAssociation": {
            "associationArn": assumed.association.arn,
            "associationId": assumed.association.id,
        },
        "assumedRoleUser": {"arn": arn, "assumeRoleId": f"{assumed.role_id}:{assumed.session}"},
        "credentials": {
            "sessionToken": assumed.credentials.token,
            "secretAccessKey": assumed.credentials.secret_access_key,
            "accessKeyId": assumed.credentials.access_key_id,
            "expiration": assumed.credentials.expires_at,
        },
    }


def _iso(seconds: float | None) -> str:
    moment = dt.datetime.fromtimestamp(seconds or 0.0, dt.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
