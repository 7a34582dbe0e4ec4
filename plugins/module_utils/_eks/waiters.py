# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What it means that a thing of EKS is ready or gone, by kind, and one wait for all. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._core.errors import EksopsError
from .._core.progress import Progress
from .._core.waiting import Predicates, Waited, Waiter
from .common import health_text

READY = Predicates()
"""Each takes the raw description (None: not found) and answers None or the reason."""

GONE = Predicates()


def _status(kind: str, raw: Mapping[str, Any] | None, *, failed: tuple[str, ...], remedy: str) -> str | None:
    if raw is None:
        return "EKS does not know it yet"
    status = raw.get("status")
    issues = health_text((raw.get("health") or {}).get("issues") or [])
    if status in failed:
        raise EksopsError(f"{kind} has status {status}{': ' + issues if issues else ''}", next_step=remedy)
    if status == "ACTIVE":
        return None
    return f"status {status}{' (' + issues + ')' if issues else ''}"


@READY.of("cluster")
def cluster_ready(raw: Any) -> str | None:
    """ACTIVE. https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html"""
    remedy = "read the cause, delete the cluster (delete_cluster.yml) and run again"
    return _status("The cluster", raw, failed=("FAILED", "DELETING"), remedy=remedy)


@READY.of("nodegroup")
def nodegroup_ready(raw: Any) -> str | None:
    """ACTIVE. https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html"""
    remedy = "read the cause, delete the node group (state absent) and run again"
    return _status(
        "The node group", raw, failed=("CREATE_FAILED", "DELETE_FAILED", "DELETING", "DEGRADED"), remedy=remedy
    )


@READY.of("addon")
def addon_ready(raw: Any) -> str | None:
    """ACTIVE; DEGRADED passes by itself once there are nodes, so it is waited for.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_Addon.html
    """
    remedy = "read the cause, delete the add-on (state absent) and run again"
    return _status(
        "The add-on", raw, failed=("CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED", "DELETING"), remedy=remedy
    )


@READY.of("update")
def update_ready(raw: Any) -> str | None:
    """Successful. https://docs.aws.amazon.com/eks/latest/APIReference/API_Update.html"""
    if raw is None:
        return "EKS does not know it yet"
    status = raw.get("status")
    if status in ("Failed", "Cancelled"):
        errors = [{"code": e.get("errorCode"), "message": e.get("errorMessage"), **e} for e in raw.get("errors") or []]
        raise EksopsError(
            f"EKS did not carry out {raw.get('type')} ({status}): {health_text(errors) or 'no reason given'}",
            next_step="mend the cause and run again",
        )
    return None if status == "Successful" else f"status {status}"


@GONE.of("cluster")
@GONE.of("nodegroup")
@GONE.of("addon")
def gone(raw: Any) -> str | None:
    """Not found any more; a failed deletion ends the wait."""
    if raw is None:
        return None
    status = raw.get("status")
    issues = health_text((raw.get("health") or {}).get("issues") or [])
    if status in ("DELETE_FAILED", "FAILED"):
        raise EksopsError(
            f"The deletion failed (status {status}): {issues or 'no reason given'}",
            next_step="mend the cause and run again",
        )
    return f"status {status}{' (' + issues + ')' if issues else ''}"


class EksWait:
    """Waits for things of EKS.

    :param timeout_seconds: for each wait. :param progress: where it is told.
    """

    def __init__(self, timeout_seconds: float, progress: Progress | None = None, **clocks: Any) -> None:
        self._timeout_seconds = timeout_seconds
        self._progress = progress or Progress()
        self._clocks = clocks

    def ready(self, kind: str, looks: Mapping[str, Callable[[], Any]], *, phase: str | None = None) -> Waited:
        """Until each thing, by name, is ready. Raises EksopsTimeoutError, or EksopsError when it cannot become so."""
        return self._until(READY, kind, looks, phase or f"{kind} ready", "did not become ready")

    def gone(self, kind: str, looks: Mapping[str, Callable[[], Any]]) -> Waited:
        """Until none of the things, by name, is found any more."""
        return self._until(GONE, kind, looks, f"{kind} gone", "was not gone")

    def _until(
        self, predicates: Predicates, kind: str, looks: Mapping[str, Callable[[], Any]], phase: str, outcome: str
    ) -> Waited:
        waiter = Waiter(self._timeout_seconds, max_interval_seconds=15.0, progress=self._progress, **self._clocks)
        done: dict[str, str | None] = {}

        def look() -> Mapping[str, str | None]:
            for name, read in looks.items():
                if done.get(name, "") is not None:
                    done[name] = _named(name, predicates, kind, read())
            return done

        next_step = "run again: finished work is found and kept; raise wait_timeout_seconds if it needs longer"
        return waiter.until(phase, f"{kind} {', '.join(looks)} {outcome}", look, next_step=next_step)


def _named(name: str, predicates: Predicates, kind: str, value: Any) -> str | None:
    try:
        return predicates.reason(kind, value)
    except EksopsError as error:
        raise EksopsError(error.what, where=f"{kind} {name}", next_step=error.next_step) from error
