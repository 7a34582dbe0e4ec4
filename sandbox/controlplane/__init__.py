"""Control planes: etcd, API server, controller manager, scheduler and kwok of each cluster, as local processes."""

from sandbox.controlplane.planes import LocalControlPlanes

__all__ = ["LocalControlPlanes"]
