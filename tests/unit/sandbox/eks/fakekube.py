"""A small stand-in for a cluster's API server: objects in memory, and workloads that are as ready as their nodes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from aiohttp import web

_CLUSTER_SCOPED = ("nodes", "namespaces", "clusterroles", "clusterrolebindings", "mutatingwebhookconfigurations")


class FakeKube:
    """Serves http on loopback; ``objects`` maps URL paths to objects, ``users`` tokens to users of token reviews."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.users: dict[str, dict[str, Any]] = {}
        self.managers: dict[str, str] = {}
        self.blocked_evictions: set[str] = set()
        self.evicted: list[str] = []
        self.metrics = ""
        self.url = ""
        self._runner: web.AppRunner | None = None
        for name in ("default", "kube-system"):
            self.put(f"/api/v1/namespaces/{name}", {"metadata": {"name": name}})

    async def start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            await asyncio.sleep(0)

    def kubeconfig(self, path: Path) -> Path:
        config = {
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": {"token": "administrator"}}],
        }
        path.write_text(json.dumps(config))
        return path

    def put(self, path: str, item: dict[str, Any]) -> None:
        item["metadata"].setdefault("resourceVersion", "1")
        self.objects[path] = item

    def add_node(
        self, name: str, instance_id: str, labels: dict[str, str], *, ready: bool = True, kubelet: str = ""
    ) -> None:
        node = {
            "metadata": {"name": name, "labels": labels},
            "spec": {"providerID": f"aws:///zone/{instance_id}"},
            "status": {
                "conditions": [{"type": "Ready", "status": str(ready)}],
                "nodeInfo": {"kubeletVersion": kubelet, "osImage": "Amazon Linux 2023"},
            },
        }
        self.put(f"/api/v1/nodes/{name}", node)

    def add_pod(self, name: str, node: str, owner: str = "ReplicaSet") -> None:
        meta = {"name": name, "namespace": "default", "ownerReferences": [{"kind": owner, "name": "x"}]}
        self.put(f"/api/v1/namespaces/default/pods/{name}", {"metadata": meta, "spec": {"nodeName": node}})

    def nodes(self) -> list[dict[str, Any]]:
        return [item for path, item in self.objects.items() if path.startswith("/api/v1/nodes/")]

    async def _serve(self, request: web.Request) -> web.Response:
        path, body = request.path, await request.text()
        if request.method == "GET":
            return self._get(path, request.query)
        if request.method == "DELETE":
            return _json(200, {}) if self.objects.pop(path, None) else _status(404, "NotFound")
        if request.method == "POST":
            return self._post(path, json.loads(body))
        if request.content_type == "application/apply-patch+yaml":
            return self._apply(path, json.loads(body), request.query)
        return self._merge(path, json.loads(body))

    def _get(self, path: str, query: Any) -> web.Response:
        if path == "/metrics":
            return web.Response(text=self.metrics)
        if path in self.objects:
            return _json(200, self._with_status(self.objects[path]))
        kind = path.rpartition("/")[2]
        if "/namespaces/" not in path and kind not in _CLUSTER_SCOPED:
            found = [item for where, item in self.objects.items() if f"/{kind}/" in where]
        elif kind in (*_CLUSTER_SCOPED, "pods", "rolebindings"):
            found = [item for where, item in self.objects.items() if where.rpartition("/")[0] == path]
        else:
            return _status(404, "NotFound")
        if "labelSelector" in query:
            key, _, value = query["labelSelector"].partition("=")
            found = [item for item in found if item["metadata"].get("labels", {}).get(key) == value]
        if "fieldSelector" in query:
            node = query["fieldSelector"].removeprefix("spec.nodeName=")
            found = [item for item in found if item["spec"].get("nodeName") == node]
        return _json(200, {"items": found})

    def _post(self, path: str, body: dict[str, Any]) -> web.Response:
        if path.endswith("/tokenreviews"):
            user = self.users.get(body["spec"]["token"])
            wanted = body["spec"]["audiences"] == ["pods.eks.amazonaws.com"]
            status = {"authenticated": True, "user": user} if user and wanted else {"error": "unknown token"}
            return _json(201, {"status": status})
        pod = path.removesuffix("/eviction")
        name = pod.rpartition("/")[2]
        if name in self.blocked_evictions:
            return _status(429, "TooManyRequests")
        self.evicted.append(name)
        self.objects.pop(pod, None)
        return _json(201, {})

    def _apply(self, path: str, body: dict[str, Any], query: Any) -> web.Response:
        former = self.objects.get(path)
        foreign = self.managers.get(path, query["fieldManager"]) != query["fieldManager"]
        if former is not None and foreign and query["force"] != "true":
            return _status(409, "Conflict", 'conflict with "kubectl": .spec.replicas')
        body["metadata"]["generation"] = (former or {}).get("metadata", {}).get("generation", 0) + 1
        self.put(path, body)
        return _json(200, body)

    def _merge(self, path: str, body: dict[str, Any]) -> web.Response:
        if path not in self.objects:
            return _status(404, "NotFound")
        _merge_into(self.objects[path], body)
        return _json(200, self.objects[path])

    def _with_status(self, item: dict[str, Any]) -> dict[str, Any]:
        if item.get("kind") not in ("DaemonSet", "Deployment"):
            return item
        ready = sum(node["status"]["conditions"][0]["status"] == "True" for node in self.nodes())
        generation = item["metadata"]["generation"]
        if item["kind"] == "DaemonSet":
            count = len(self.nodes())
            status = {"desiredNumberScheduled": count, "numberReady": ready, "updatedNumberScheduled": count}
        else:
            replicas = item["spec"]["replicas"] if ready else 0
            status = {"readyReplicas": replicas, "updatedReplicas": replicas}
        return item | {"status": status | {"observedGeneration": generation}}


def _merge_into(target: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            _merge_into(target.setdefault(key, {}), value)
        else:
            target[key] = value


def _json(status: int, body: dict[str, Any]) -> web.Response:
    return web.json_response(body, status=status)


def _status(code: int, reason: str, message: str = "no") -> web.Response:
    return _json(code, {"kind": "Status", "reason": reason, "message": message})
