"""Child processes that are recorded, health-checked and stopped, and found again when their supervisor is gone."""

from sandbox.process.ports import PortTakenError, free_port, kept_port
from sandbox.process.supervisor import Child, ComponentFailedError, HealthCheck, Processes

__all__ = ["Child", "ComponentFailedError", "HealthCheck", "PortTakenError", "Processes", "free_port", "kept_port"]
