# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Checks, tests, cleans up, tells: the module karpenter_scale_test without its options. Private to the collection."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from .._core.errors import EksopsError
from .._core.progress import Progress
from .._core.result import planned
from .._kubernetes.client import Client
from . import api, plan
from .figures import Moments, figures
from .model import Spec
from .plan import Found, NotYetError
from .recording import Recording
from .session import Session
from .stopping import Stopper
from .summary import summary
from .verdict import sentence, verdicts

SPOILED_PERCENT = 10.0
"""kube-burner drops a result with a greater share of errors; so do we."""


def run(
    client: Client, spec: Spec, progress: Progress, *, check_mode: bool
) -> tuple[dict[str, Any], EksopsError | None]:
    """The result, and the error when the test did not pass; figures are told in both cases.

    Raises EksopsError for what makes a test impossible, before the first write.
    """
    found = api.observe(client, spec.controller_namespace)
    if plan.alive(found.former, time.time()):
        found = Found(found.pools, found.leader, None)  # a living run removes its namespace itself
    if check_mode:
        return _predict(spec, found), None
    taints = plan.check(spec, found)
    with Stopper() as stopper:
        session = Session(client, spec, progress, stopper, plan.consolidate_after(found))
        error = _perform(session, taints)
    found = Found(found.pools, found.leader, session.claim.removed)
    result = _present(spec, found, session.recording, session.moments, error)
    return result, error or _spoiled(result) or _missed(result)


def _predict(spec: Spec, found: Found) -> dict[str, Any]:
    """What would be done. What is not there yet may be made by the same run; it is told, and no error."""
    result = _present(spec, found, Recording(), Moments(), None)
    try:
        plan.check(spec, found)
    except NotYetError as missing:
        result["notices"].append(f"The scale test could not run now: {missing}")
    return result


def _perform(session: Session, taints: Any) -> EksopsError | None:
    error: EksopsError | None = None
    try:
        session.prepare(taints)
        session.scale_up()
        session.scale_down()
    except EksopsError as trouble:
        error = trouble
    finally:
        try:
            session.close()
        except EksopsError as trouble:
            error = error or trouble
    return error


def _present(
    spec: Spec, found: Found, recording: Recording, moments: Moments, error: EksopsError | None
) -> dict[str, Any]:
    """The same keys whether the test ran, failed, or was only planned."""
    measured = figures(recording, moments, spec)
    ran = moments.up is not None
    checks = verdicts(measured, spec.thresholds) if ran else []
    error = error or (_spoiled(measured) if ran else None)
    passed = error is None and all(check["status"] == "pass" for check in checks) if ran else None
    change = planned(plan.lasting(found))
    result = {
        **change,
        "notices": change["notices"] + _notices(spec, measured, ran=ran),
        "passed": passed,
        "steps": plan.passing(spec),
        "replicas": spec.replicas,
        "node_pool": spec.node_pool,
        "started_at": datetime.fromtimestamp(moments.up, UTC).isoformat() if moments.up else None,
        "thresholds": checks,
        "nodes_left": [claim["node"] or claim["name"] for claim in measured["node_claims"] if not claim["gone"]],
        **measured,
    }
    return {**result, "summary": summary(result)}


def _notices(spec: Spec, measured: dict[str, Any], *, ran: bool) -> list[str]:
    notices = []
    if ran and not measured["node_claims"]:
        notices.append("No node was launched: the pods fitted on nodes that Karpenter had already")
    left = [claim["name"] for claim in measured["node_claims"] if not claim["gone"]]
    if left:
        notices.append(
            f"Nodes that were launched for the test are left to Karpenter's consolidation: {', '.join(left)}"
        )
    if measured["consolidation"]["stable"] is False:
        notices.append(
            f"The cluster did not stay at rest for {spec.stability_seconds:g} seconds: some node of Karpenter was being"
            " disrupted all the time, of the test or of others"
        )
    if ran and measured["packing"] and measured["packing"]["cost_per_hour"] is None:
        notices.append("The controller has no price for a launched type yet, so costs are unknown")
    return notices


def _spoiled(result: dict[str, Any]) -> EksopsError | None:
    failed = result["churn"]["pods_failed_percent"]
    if failed <= SPOILED_PERCENT:
        return None
    return EksopsError(
        f"{failed:g} % of the test's pods failed or were lost while they were needed, so the figures say nothing",
        where="churn",
        allowed=f"at most {SPOILED_PERCENT:g} %",
        next_step="look at disruption_reasons and the nodes' events for what took the pods away",
    )


def _missed(result: dict[str, Any]) -> EksopsError | None:
    missed = [sentence(check) for check in result["thresholds"] if check["status"] != "pass"]
    if not missed:
        return None
    return EksopsError(
        f"The scale test did not meet its thresholds: {'; '.join(missed)}",
        where="thresholds",
        next_step="look at the latencies and node claims of the result, or change the thresholds",
    )
