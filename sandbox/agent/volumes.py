"""A pod's volumes as folders on this machine, for the kinds that hold what the API server knows.

https://kubernetes.io/docs/concepts/storage/projected-volumes/
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandbox.state import write_private

from .kube import KubeApi
from .podenv import ConfigError, Sources, pod_field

#: The kubelet renews a projected token when 80 % of its life is over.
_RENEW_AT = 0.8


class Volumes:
    """The volumes of one pod below ``folder``. ``refresh`` writes them, and later renews what ends."""

    def __init__(self, pod: Mapping[str, Any], folder: Path) -> None:
        self._pod, self._folder = pod, folder
        self._tokens: dict[Path, tuple[Mapping[str, Any], float]] = {}

    def mounts(self, container: Mapping[str, Any]) -> dict[str, Path]:
        """Where the container's mount paths lie on this machine; longest paths first."""
        found = {
            mount["mountPath"].rstrip("/"): self._folder / mount["name"]
            for mount in container.get("volumeMounts") or ()
        }
        return dict(sorted(found.items(), key=lambda item: -len(item[0])))

    async def prepare(self, api: KubeApi, sources: Sources) -> None:
        """Write every volume. Raises ConfigError or KubeError when something it needs is not there."""
        for volume in self._pod["spec"].get("volumes") or ():
            target = self._folder / volume["name"]
            target.mkdir(parents=True, exist_ok=True, mode=0o700)
            projected = volume.get("projected")
            for part in (projected.get("sources") or ()) if projected else (volume,):
                await self._write(part, target, api, sources)

    async def _write(self, part: Mapping[str, Any], target: Path, api: KubeApi, sources: Sources) -> None:
        if "serviceAccountToken" in part:
            token = part["serviceAccountToken"]
            await self._token(target / token["path"], token, api)
        elif "configMap" in part:
            _files("configmap", part["configMap"]["name"], part["configMap"], sources.config_maps, target)
        elif "secret" in part:
            secret = part["secret"]
            _files("secret", secret.get("secretName") or secret["name"], secret, sources.secrets, target)
        elif "downwardAPI" in part:
            for item in part["downwardAPI"].get("items") or ():
                if "fieldRef" in item:
                    write_private(target / item["path"], pod_field(self._pod, item["fieldRef"]["fieldPath"], sources))

    async def _token(self, path: Path, wanted: Mapping[str, Any], api: KubeApi) -> None:
        """A token of the pod's service account, bound to the pod: it ends with it."""
        metadata, spec = self._pod["metadata"], self._pod["spec"]
        bound = {"kind": "Pod", "apiVersion": "v1", "name": metadata["name"], "uid": metadata["uid"]}
        request: dict[str, Any] = {
            "expirationSeconds": wanted.get("expirationSeconds") or 3600,
            "boundObjectRef": bound,
        }
        if wanted.get("audience"):
            request["audiences"] = [wanted["audience"]]
        account = spec.get("serviceAccountName") or "default"
        answer = await api.create(
            f"/api/v1/namespaces/{metadata['namespace']}/serviceaccounts/{account}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": request},
        )
        write_private(path, answer["status"]["token"])
        life = float(answer["spec"]["expirationSeconds"])
        self._tokens[path] = (wanted, time.monotonic() + life * _RENEW_AT)

    async def renew(self, api: KubeApi) -> None:
        """Ask for new tokens where the old ones have used up most of their life. Raises KubeError."""
        for path, (wanted, due) in list(self._tokens.items()):
            if time.monotonic() >= due:
                await self._token(path, wanted, api)


def _files(
    kind: str, name: str, source: Mapping[str, Any], objects: Mapping[str, Mapping[str, str]], target: Path
) -> None:
    data = objects.get(name)
    if data is None:
        if source.get("optional"):
            return
        raise ConfigError(f'MountVolume.SetUp failed for volume "{target.name}": {kind} "{name}" not found')
    paths = {item["key"]: item["path"] for item in source.get("items") or ()}
    for key, value in data.items():
        if not paths or key in paths:
            write_private(target / paths.get(key, key), value)
