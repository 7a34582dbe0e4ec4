"""Child processes that are recorded, health-checked and stopped, and found again when their supervisor is gone."""

from sandbox.process.ports import PortTaken, free_port
from sandbox.process.supervisor import Child, ComponentFailed, HealthCheck, Processes

__all__ = ["Child", "ComponentFailed", "HealthCheck", "PortTaken", "Processes", "free_port"]
