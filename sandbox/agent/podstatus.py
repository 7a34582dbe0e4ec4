"""Pod status as the kubelet reports it. Pure.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class ContainerState:
    """One container: exactly one of waiting, running and terminated, in the API's form."""

    name: str
    image: str
    state: Mapping[str, Any] = field(default_factory=lambda: {"waiting": {"reason": "ContainerCreating"}})
    last_state: Mapping[str, Any] = field(default_factory=dict)
    ready: bool = False
    started: bool = False
    restarts: int = 0

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return "running" in self.state

    def waiting(self, reason: str, message: str = "") -> ContainerState:
        """Waits; what it was before, if it ended, becomes its last state."""
        detail = {"reason": reason} | ({"message": message} if message else {})
        last = self.state if "terminated" in self.state else self.last_state
        return replace(self, state={"waiting": detail}, last_state=last, ready=False, started=False)

    def runs(self, now: str, *, first: bool, probed: bool) -> ContainerState:
        """Started at ``now``; without a readiness probe it is ready at once."""
        last = self.state if "terminated" in self.state else self.last_state
        return replace(
            self,
            state={"running": {"startedAt": now}},
            last_state=last,
            started=True,
            ready=not probed,
            restarts=self.restarts if first else self.restarts + 1,
        )

    def with_ready(self, ready: bool) -> ContainerState:
        """The same with another answer of its readiness probe."""
        return replace(self, ready=ready)

    def ended(self, now: str, exit_code: int) -> ContainerState:
        """Ended at ``now``; a signal's exit code is 128 plus its number."""
        started = (self.state.get("running") or {}).get("startedAt", now)
        detail = {
            "exitCode": exit_code,
            "reason": "Completed" if exit_code == 0 else "Error",
            "startedAt": started,
            "finishedAt": now,
        }
        return replace(self, state={"terminated": detail}, ready=False, started=False)

    @classmethod
    def restored(cls, name: str, image: str, status: Mapping[str, Any]) -> ContainerState:
        """From a status that a former agent reported: what ran then runs no more."""
        return cls(
            name,
            image,
            status.get("state") or {"waiting": {"reason": "ContainerCreating"}},
            status.get("lastState") or {},
            restarts=int(status.get("restartCount") or 0),
        )

    def reported(self, container_id: str) -> dict[str, Any]:
        """As an entry of ``containerStatuses``."""
        digest = self.image.partition("@")[2]
        return {
            "name": self.name,
            "image": self.image,
            "imageID": self.image if digest else "",
            "containerID": f"containerd://{container_id}" if container_id else "",
            "state": dict(self.state),
            "lastState": dict(self.last_state),
            "ready": self.ready,
            "started": self.started,
            "restartCount": self.restarts,
        }


def phase(states: Sequence[ContainerState], policy: str) -> str:
    """The pod's phase from its containers."""
    if any(state.running for state in states):
        return "Running"
    ends = [state.state.get("terminated") for state in states]
    codes = [end["exitCode"] for end in ends if end]
    if len(codes) == len(states) and policy != "Always":
        failed = any(codes)
        if not failed or policy == "Never":
            return "Failed" if failed else "Succeeded"
    # A container that has run before, or is about to run again, keeps its pod in Running.
    if any(state.last_state or state.restarts or "terminated" in state.state for state in states):
        return "Running"
    return "Pending"


def _condition(kind: str, met: bool, now: str, reason: str = "", message: str = "") -> dict[str, Any]:
    base = {"type": kind, "status": "True" if met else "False", "lastProbeTime": None, "lastTransitionTime": now}
    return base | ({} if met else {"reason": reason, "message": message})


def conditions(states: Sequence[ContainerState], former: Sequence[Mapping[str, Any]], now: str) -> list[dict[str, Any]]:
    """The kubelet's conditions; a condition whose status stays the same keeps its transition time."""
    unready = [state.name for state in states if not state.ready]
    message = f"containers with unready status: [{' '.join(unready)}]"
    wanted = [
        _condition("PodReadyToStartContainers", True, now),
        _condition("Initialized", True, now),
        _condition("Ready", not unready, now, "ContainersNotReady", message),
        _condition("ContainersReady", not unready, now, "ContainersNotReady", message),
        _condition("PodScheduled", True, now),
    ]
    before = {condition["type"]: condition for condition in former}
    for condition in wanted:
        old = before.get(condition["type"])
        if old and old["status"] == condition["status"] and old.get("lastTransitionTime"):
            condition["lastTransitionTime"] = old["lastTransitionTime"]
        elif not condition.get("reason"):
            # Strategic merge keeps what is not named: a condition that is met again says so with empty words.
            condition.update(reason=None, message=None)
    return wanted
