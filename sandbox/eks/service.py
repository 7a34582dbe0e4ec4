"""The EKS service of the sandbox: routes API calls to the operations, serves the webhooks, keeps things up to date."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox.contracts import Agents, Aws, Call, ClusterKey, ControlPlanes, HttpResponse
from sandbox.eks import tokens
from sandbox.eks.accessentries import AccessEntries
from sandbox.eks.addonkeeper import AddonKeeper
from sandbox.eks.addons import Addons
from sandbox.eks.admission import AdmissionServer
from sandbox.eks.auth import AuthService
from sandbox.eks.authentication import Authentication
from sandbox.eks.clusterconfig import ClusterConfig
from sandbox.eks.clusters import Clusters
from sandbox.eks.clusterversion import ClusterVersion
from sandbox.eks.context import Caller, Context, Timings
from sandbox.eks.errors import EksError, unimplemented
from sandbox.eks.insights import Insights
from sandbox.eks.lifecycle import Lifecycle
from sandbox.eks.model import Cluster
from sandbox.eks.nodegroupkeeper import NodegroupKeeper
from sandbox.eks.nodegroups import Nodegroups
from sandbox.eks.nodegroupversion import NodegroupVersion
from sandbox.eks.podidentity import PodIdentity
from sandbox.eks.rbac import bind_namespaces
from sandbox.eks.resumption import Resumption
from sandbox.eks.store import Store
from sandbox.eks.tags import Tagging
from sandbox.eks.updates import Updates
from sandbox.eks.versions import DEFAULT_VERSION
from sandbox.eks.webhooks import cluster_of_path
from sandbox.eks.wire import Protocol

_LOG = logging.getLogger("sandbox.eks")
Operation = Callable[[Caller, dict[str, Any]], Awaitable[dict[str, Any]]]


class EksService:
    """Service for the signing name ``eks``; ``auth`` is the one for ``eks-auth``."""

    def __init__(
        self,
        aws: Aws,
        control_planes: ControlPlanes,
        agents: Agents,
        state_dir: Path,
        *,
        timings: Timings | None = None,
        startable_minors: frozenset[str] = frozenset({DEFAULT_VERSION}),
        changed: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``startable_minors``: the Kubernetes minors that ``control_planes`` has binaries for.

        ``changed`` is told the id of each account whose clusters change.
        """
        store = Store(changed)
        self.context = Context(aws, control_planes, agents, store, state_dir, timings or Timings(), startable_minors)
        self.auth = AuthService(self.context)
        self._protocol = Protocol("eks")
        self._admission = AdmissionServer(store, state_dir / "eks-admission")
        self._authentication = Authentication(self.context)
        self._addons = AddonKeeper(self.context)
        self._nodegroups = NodegroupKeeper(self.context)
        life, insights = Lifecycle(self.context, self._admission), Insights(self.context)
        self._resumption = Resumption(self.context, life, self._nodegroups, self._addons)
        self._parts = (
            Clusters(self.context, life),
            ClusterConfig(self.context),
            ClusterVersion(self.context, life, insights),
            insights,
            Nodegroups(self.context, self._nodegroups),
            NodegroupVersion(self.context, self._nodegroups),
            Addons(self.context, self._addons),
            AccessEntries(self.context),
            PodIdentity(self.context),
            Updates(self.context),
            tagging := Tagging(self.context),
        )
        #: The tags of a resource, by its ARN.
        self.tags_of = tagging.look_up

    async def start(self) -> None:
        """Serve admission reviews, go on with what an earlier run left, and begin to look after what runs."""
        await self._admission.start()
        await self._resumption.all()
        self.context.spawn(self._keep(), "looking after EKS", _LOG.critical)

    async def stop(self) -> None:
        """End what is under way. Clusters stay as they are."""
        await self.context.close()
        await self._admission.stop()

    async def handle(self, call: Call) -> HttpResponse:
        """Answer one call of the EKS API."""
        try:
            operation, in_path = self._protocol.route(call.request)
            params = self._protocol.parse(operation, in_path, call.request)
            implementation = self._find(operation.name)
            caller = Caller.of(call)
            earlier = self._earlier(caller, operation.name, params)
            result = earlier if earlier is not None else await implementation(caller, params)
            return self._protocol.answer(operation, result)
        except EksError as error:
            return error.response()
        except Exception as error:
            _LOG.exception("%s %s", call.request.method, call.request.path)
            return EksError("ServerException", f"The sandbox failed: {error!r}").response()

    def routes(self) -> list[web.RouteDef]:
        """What the front serves for EKS beside the API: token reviews, and the credentials of pods."""
        return [
            web.post("/v1/token-review/{account}/{region}/{cluster}/{secret}", self._review_token),
            web.get("/v1/pod-identity/{account}/{region}/{cluster}/credentials", self._credentials),
        ]

    def _find(self, operation: str) -> Operation:
        # CreateCluster -> create_cluster; the parts have nothing else in public.
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in operation).lstrip("_")
        for part in self._parts:
            found: Operation | None = getattr(part, name, None)
            if found is not None:
                return found
        raise unimplemented(operation)

    def _earlier(self, caller: Caller, operation: str, params: dict[str, Any]) -> dict[str, Any] | None:
        name = params.get("clusterName") or params.get("name")
        cluster = self.context.store.find(caller.key(name)) if name else None
        return tokens.known(cluster, operation, params)

    async def _review_token(self, request: web.Request) -> web.Response:
        cluster = cluster_of_path(self.context.store, request)
        return web.json_response(await self._authentication.review(cluster, await request.json()))

    async def _credentials(self, request: web.Request) -> web.Response:
        part = request.match_info
        key = ClusterKey(part["account"], part["region"], part["cluster"])
        token = request.headers.get("Authorization", "").strip()
        try:
            if not token:
                raise EksError("AccessDeniedException", "Service account token cannot be empty")
            return web.json_response(await self.auth.container_credentials(key, token))
        except EksError as error:
            # The agent passes EKS Auth's refusals on as text.
            return web.Response(status=error.status, text=f"({error.code}): {error.message}\n")

    async def _keep(self) -> None:
        while True:
            busy = [await self._keep_cluster(cluster) for cluster in self.context.store]
            timings = self.context.timings
            await self.context.rest(timings.busy_seconds if any(busy) else timings.idle_seconds)

    async def _keep_cluster(self, cluster: Cluster) -> bool:
        if cluster.status not in ("ACTIVE", "UPDATING"):
            return False
        try:
            busy = await self._nodegroups.watch(cluster)
            busy = await self._addons.watch(cluster) or busy
            await bind_namespaces(self.context, cluster)
        except Exception:
            # One bad round must not end the loop that all clusters need.
            _LOG.exception("looking after %s", cluster.arn)
            return False
        return busy
