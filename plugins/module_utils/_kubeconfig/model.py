# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""A kubeconfig of the collection as wanted and as found. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._core.errors import EksopsError

MARKER = "eksops.karpenter/kubeconfig"
"""An extension of this name is in every kubeconfig that we write, and makes it ours to write again."""

MODE = 0o600
PASSED_ON = (
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CA_BUNDLE",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_STS",
    "AWS_STS_REGIONAL_ENDPOINTS",
    "AWS_USE_FIPS_ENDPOINT",
)
"""Variables that name files and endpoints. Never one that holds a secret."""


@dataclass(frozen=True)
class KubeconfigSpec:
    """The kubeconfig as wanted.

    :ivar endpoint, certificate_authority_data: None while there is no cluster.
    :ivar environment: the environment of the run, of which PASSED_ON is taken over.
    """

    path: str
    cluster_name: str
    region: str
    interpreter: str
    script: str
    endpoint: str | None = None
    certificate_authority_data: str | None = None
    context: str | None = None
    namespace: str | None = None
    profile: str | None = None
    role_arn: str | None = None
    external_id: str | None = None
    proxy_url: str | None = None
    extra_ca_pem: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The kubeconfig as data. Raises EksopsError without endpoint and certificate."""
        if not self.endpoint or not self.certificate_authority_data:
            raise EksopsError(
                f"Cluster {self.cluster_name} has no endpoint yet",
                where="endpoint, certificate_authority_data",
                next_step="take them from eks_cluster or eks_cluster_info once the cluster is ACTIVE",
            )
        name = self.context or self.cluster_name
        cluster: dict[str, Any] = {"server": self.endpoint, "certificate-authority-data": self._authority()}
        if self.proxy_url:
            cluster["proxy-url"] = self.proxy_url
        context: dict[str, Any] = {"cluster": name, "user": name}
        if self.namespace:
            context["namespace"] = self.namespace
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "extensions": [{"name": MARKER, "extension": {"cluster": self.cluster_name, "region": self.region}}],
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"exec": self._exec()}}],
            "contexts": [{"name": name, "context": context}],
            "current-context": name,
            "preferences": {},
        }

    def _exec(self) -> dict[str, Any]:
        variables = {
            "EKSOPS_CLUSTER_NAME": self.cluster_name,
            "AWS_REGION": self.region,
            "AWS_PROFILE": self.profile,
            "EKSOPS_ROLE_ARN": self.role_arn,
            "EKSOPS_EXTERNAL_ID": self.external_id,
            **{name: self.environment.get(name) for name in PASSED_ON},
        }
        return {
            "apiVersion": "client.authentication.k8s.io/v1",
            "interactiveMode": "Never",
            "command": self.interpreter,
            "args": [self.script],
            "env": [{"name": name, "value": value} for name, value in variables.items() if value],
            "installHint": "The Python or the collection behind this file is gone: run module eks_kubeconfig again.",
        }

    def _authority(self) -> str:
        """The cluster's CA, base64, with the extra one behind it when a proxy on the way has its own."""
        data = str(self.certificate_authority_data)
        if not self.extra_ca_pem:
            return data
        try:
            pem = base64.b64decode(data, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise EksopsError("The certificate is not PEM in base64", where="certificate_authority_data") from error
        return base64.b64encode(f"{pem.rstrip()}\n{self.extra_ca_pem.strip()}\n".encode()).decode()

    def text(self) -> str:
        """The file's content: JSON, which every reader of kubeconfigs takes, in a stable order."""
        return json.dumps(self.document(), indent=2) + "\n"


@dataclass(frozen=True)
class Found:
    """A file at the path. ``mode``: permission bits."""

    text: str
    mode: int

    @property
    def ours(self) -> bool:
        """Whether this collection wrote it."""
        return MARKER in self.text
