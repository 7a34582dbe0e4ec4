"""Brings a cluster up and takes it away, in the background of CreateCluster and DeleteCluster."""

from __future__ import annotations

import asyncio
import base64

from botocore.exceptions import ClientError

from sandbox.contracts import ControlPlaneLimitError, ControlPlaneSpec
from sandbox.eks import access, logs, network, policies
from sandbox.eks.addonobjects import install_self_managed
from sandbox.eks.admission import AdmissionServer
from sandbox.eks.context import LOG, Context
from sandbox.eks.kube import KubeError
from sandbox.eks.model import Cluster, Issue

_GROUP_DELETE_TRIES = 30


class Lifecycle:
    """The way from CREATING to ACTIVE or FAILED, and from DELETING to gone."""

    def __init__(self, context: Context, admission: AdmissionServer) -> None:
        self._context = context
        self._admission = admission

    async def create(self, cluster: Cluster) -> None:
        """Make what the cluster needs; whatever goes wrong becomes the cluster's health."""
        try:
            await self._start(cluster)
        except ClientError as error:
            self._fail(cluster, "Other", str(error))
        except (RuntimeError, OSError, KubeError) as error:
            self._fail(cluster, failure_code(error), str(error))
        else:
            cluster.status = "ACTIVE"
            LOG.info("%s is ACTIVE at %s", cluster.arn, cluster.endpoint)
        self._context.store.save(cluster)

    async def delete(self, cluster: Cluster) -> None:
        """Take away the control plane, then the security group, then the record."""
        await self._context.agents.stop(cluster.key)
        await self._context.forget_kube(cluster)
        await self._context.control_planes.stop(cluster.key)
        try:
            await self._delete_security_group(cluster)
        except ClientError as error:
            # EKS leaves a group behind that something else uses, and so does the sandbox.
            LOG.warning("%s: the cluster security group stays: %s", cluster.arn, error)
        self._context.store.remove(cluster.key)
        LOG.info("%s is gone", cluster.arn)

    def give_up(self, cluster: Cluster, text: str) -> None:
        """What was under way ended by a failure that is nobody's but EKS'."""
        self._fail(cluster, "InternalFailure", text)

    def authentication_url(self, cluster: Cluster) -> str:
        """Where the cluster's API server sends its token reviews."""
        place = f"{cluster.account}/{cluster.region}/{cluster.name}/{cluster.secret}"
        return f"{self._context.aws.url}/v1/token-review/{place}"

    async def resume(self, cluster: Cluster) -> None:
        """Bring a cluster of an earlier run back, at the address that its users and nodes know.

        One that does not come is FAILED, keeps its data, and is tried again by the next run.
        """
        assert cluster.endpoint is not None
        try:
            endpoint = await self._context.control_planes.resume(self.spec(cluster, cluster.version), cluster.endpoint)
            await self._context.kube(cluster).apply(self._admission.configuration(cluster))
            await self._context.agents.start(cluster.key, endpoint)
        except (RuntimeError, OSError, KubeError) as error:
            self._fail(cluster, failure_code(error), str(error))
        else:
            if cluster.status == "FAILED":
                cluster.status, cluster.issues = "ACTIVE", []
            LOG.info("%s is back at %s", cluster.arn, cluster.endpoint)
        self._context.store.save(cluster)

    def spec(self, cluster: Cluster, version: str) -> ControlPlaneSpec:
        """What the cluster's control plane is to be in a version."""
        return ControlPlaneSpec(
            key=cluster.key,
            kubernetes_minor=version,
            service_cidr=cluster.service_cidr,
            authentication_url=self.authentication_url(cluster),
            admission_url=self._admission.url(cluster),
            admission_ca_pem=self._admission.ca_pem,
            service_account_issuer=cluster.oidc_issuer,
        )

    async def _start(self, cluster: Cluster) -> None:
        if cluster.cluster_security_group_id is None:
            cluster.cluster_security_group_id = await network.create_cluster_security_group(self._context, cluster)
        self._context.store.save(cluster)
        endpoint = await self._context.control_planes.start(self.spec(cluster, cluster.version))
        cluster.admin_kubeconfig = str(endpoint.admin_kubeconfig)
        access.give_creator_admin(cluster)
        await self._prepare(cluster)
        await self._context.agents.start(cluster.key, endpoint)
        await logs.ensure_group(self._context, cluster)
        cluster.endpoint = endpoint.url
        cluster.ca_data = base64.b64encode(endpoint.ca_pem).decode()

    async def _prepare(self, cluster: Cluster) -> None:
        kube = self._context.kube(cluster)
        objects = [self._admission.configuration(cluster), *policies.cluster_objects()]
        await asyncio.gather(*(kube.apply(one) for one in objects))
        if cluster.self_managed_addons:
            await install_self_managed(kube, cluster)

    async def _delete_security_group(self, cluster: Cluster) -> None:
        """Interfaces of instances that end hold on to the group for a while."""
        for attempt in range(_GROUP_DELETE_TRIES):
            try:
                await network.delete_cluster_security_group(self._context, cluster)
                return
            except ClientError as error:
                last = attempt == _GROUP_DELETE_TRIES - 1
                if error.response["Error"]["Code"] != "DependencyViolation" or last:
                    raise
            await asyncio.sleep(self._context.timings.busy_seconds)

    def _fail(self, cluster: Cluster, code: str, message: str) -> None:
        LOG.error("%s failed: %s", cluster.arn, message)
        cluster.status = "FAILED"
        cluster.issues = [Issue(code, message, [cluster.arn])]


def failure_code(error: Exception) -> str:
    """How EKS names what failed: its own failure, or that there are as many clusters as there may be.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_ClusterIssue.html
    """
    return "ResourceLimitExceeded" if isinstance(error, ControlPlaneLimitError) else "InternalFailure"
