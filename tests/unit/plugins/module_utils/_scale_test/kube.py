"""The API server's namespaces and a few objects in memory: enough for what comes before and after a test."""

from __future__ import annotations

from typing import Any

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.errors import KubernetesError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import Object, Resource


class Kube:
    """Objects by plural and name. ``writes`` has every write, in order."""

    def __init__(self, **objects: list[Object]) -> None:
        self.objects = {plural: {item["metadata"]["name"]: item for item in items} for plural, items in objects.items()}
        self.writes: list[str] = []

    def get(self, resource: Resource, name: str, namespace: str | None = None) -> Object | None:
        return self.objects.get(resource.plural, {}).get(name)

    def all(self, resource: Resource, namespace: str | None = None, **_: Any) -> list[Object]:
        if resource.plural not in self.objects:
            raise KubernetesError("no_kind", f"nothing at {resource.plural}")
        return list(self.objects[resource.plural].values())

    def create(self, resource: Resource, manifest: Object, *, manager: str) -> Object:
        name = manifest["metadata"]["name"]
        if self.get(resource, name):
            raise KubernetesError("exists", f"{name} is there")
        self.writes.append(f"create {name}")
        made = {**manifest, "metadata": {**manifest["metadata"], "uid": f"uid-{len(self.writes)}"}}
        self.objects.setdefault(resource.plural, {})[name] = made
        return made

    def patch(self, resource: Resource, name: str, body: Any, *, manager: str) -> Object:
        item = self.get(resource, name)
        if item is None:
            raise KubernetesError("not_found", f"{name} is not there")
        self.writes.append(f"patch {name}")
        item["metadata"]["annotations"].update(body["metadata"]["annotations"])
        return item

    def delete(self, resource: Resource, name: str, namespace: str | None = None, *, uid: str | None = None) -> bool:
        found = self.get(resource, name)
        if found is None or (uid is not None and found["metadata"]["uid"] != uid):
            return False
        self.writes.append(f"delete {name}")
        del self.objects[resource.plural][name]
        return True
