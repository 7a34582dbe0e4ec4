"""What is known of a control plane that runs."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field

from sandbox.build.tools import KUBERNETES_VERSION, KUBERNETES_VERSIONS
from sandbox.controlplane.components import Plane
from sandbox.controlplane.egress import EgressProxy


@dataclass
class Running:
    """Its files and ports.

    ``stopped``: its API server has been stopped, and ``kept_port`` keeps others from its port.
    """

    plane: Plane
    proxy: EgressProxy
    url: str = ""
    ports: dict[str, int] = field(default_factory=dict)
    stopped: bool = False
    kept_port: socket.socket | None = None

    @property
    def version(self) -> str:
        """The version of its Kubernetes components."""
        return KUBERNETES_VERSIONS[self.plane.spec.kubernetes_minor]

    @property
    def title(self) -> str:
        """The same for people, with the version that it is built from where that is another."""
        built = "" if self.version == KUBERNETES_VERSION else f" (built from {KUBERNETES_VERSION})"
        return f"Kubernetes {self.version}{built}"

    def give_port_up(self) -> None:
        """Let somebody else listen at the port of the API server."""
        if self.kept_port is not None:
            self.kept_port.close()
            self.kept_port = None
