"""When a container that ended starts again, by the kubelet's rules. Pure.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Backoff:
    """The back-off of one container. Times in seconds on any one clock.

    The first restart is at once, later ones wait ``base``, doubled up to ``cap``, counted from the end of the
    container; the kubelet forgets after twice the cap without a restart.
    """

    base: float = 10.0
    cap: float = 300.0
    _delay: float = 0.0
    _updated: float | None = None

    def wait(self, ended_at: float) -> float:
        """How long after ``ended_at`` the container has to stay down."""
        if self._updated is None or ended_at - self._updated > 2 * self.cap:
            return 0.0
        return self._delay

    def restarted(self, now: float, ended_at: float) -> None:
        """The container starts again now, after it ended at ``ended_at``."""
        forgotten = self._updated is None or ended_at - self._updated > 2 * self.cap
        self._delay = self.base if forgotten else min(self._delay * 2, self.cap)
        self._updated = now


def restarts(policy: str, exit_code: int) -> bool:
    """Whether a pod's restart policy starts a container again that ended with this code."""
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)
