"""Insights: what readiness checks said when they were last refreshed.

https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from sandbox.eks import facts, minors, readiness, versionrules, versions
from sandbox.eks.context import Caller, Context, now, page
from sandbox.eks.errors import invalid_request, not_found
from sandbox.eks.minors import Minor
from sandbox.eks.model import Cluster, Insight, Refresh
from sandbox.eks.readiness import Check, Verdict

#: EKS refreshes insights by itself once a day.
_REFRESH_SECONDS = 86400.0
_SUMMARY = ("name", "category", "kubernetesVersion", "description", "insightStatus")


class Insights:
    """The operations."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def list_insights(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_ListInsights.html."""
        cluster = await self._up_to_date(caller, params)
        chosen = [one for one in cluster.insights.values() if _passes(one.view, params.get("filter", {}))]
        return page(params, [_times(one) | {key: one.view[key] for key in _SUMMARY} for one in chosen], "insights")

    async def describe_insight(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeInsight.html."""
        cluster = await self._up_to_date(caller, params)
        found = cluster.insights.get(params["id"])
        if found is None:
            raise not_found(f"No insight found for ID: {params['id']}", clusterName=cluster.name)
        return {"insight": _times(found) | found.view}

    async def start_insights_refresh(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_StartInsightsRefresh.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        _require_active(cluster)
        running = cluster.insights_refresh
        if running is None or running.status != "IN_PROGRESS":
            running = cluster.insights_refresh = Refresh("IN_PROGRESS", now(), "Insights are being refreshed.")
            give_up = partial(_failed, running)
            work = self._refresh_on_demand(cluster, running)
            self._context.spawn(work, f"refreshing insights of {cluster.arn}", give_up, cluster)
        return {"message": running.message, "status": running.status}

    async def describe_insights_refresh(self, caller: Caller, params: dict[str, Any]) -> dict[str, Any]:
        """https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeInsightsRefresh.html."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        latest = cluster.insights_refresh
        if latest is None:
            raise not_found("No insights refresh has been started.", clusterName=cluster.name)
        times = {"startedAt": latest.started_at, "endedAt": latest.ended_at}
        return {"message": latest.message, "status": latest.status, **times}

    async def refresh(self, cluster: Cluster) -> None:
        """Make all checks now. Insights keep the time of their last change."""
        known = await facts.gather(self._context, cluster)
        found: list[tuple[str, Check, Minor, Verdict]] = []
        # A cluster in the newest version has nowhere to go.
        if minors.dotted(minors.moved(minors.known(cluster.version), 1)) in versions.MINORS:
            found += [(readiness.UPGRADE, *one) for one in readiness.upgrade(known)]
        if versionrules.may_roll_back(cluster, now()):
            found += [(readiness.ROLLBACK, *one) for one in readiness.rollback(known)]
        before, stamp = cluster.insights, now()
        cluster.insights = {}
        for category, check, minor, verdict in found:
            view = _view(category, check, minor, verdict)
            key = _id(cluster, view)
            former = before.get(key)
            same = former is not None and former.view["insightStatus"]["status"] == verdict.status
            since = former.transitioned_at if former is not None and same else stamp
            cluster.insights[key] = Insight(key, stamp, since, view)
        self._context.store.save(cluster)

    async def _up_to_date(self, caller: Caller, params: dict[str, Any]) -> Cluster:
        """The cluster, with insights of the last day where it can be asked at all."""
        cluster = self._context.store.get(caller.key(params["clusterName"]))
        oldest = min((one.refreshed_at for one in cluster.insights.values()), default=0.0)
        if cluster.status == "ACTIVE" and now() - oldest > _REFRESH_SECONDS:
            await self.refresh(cluster)
        return cluster

    async def _refresh_on_demand(self, cluster: Cluster, running: Refresh) -> None:
        await self.refresh(cluster)
        running.status, running.message, running.ended_at = "COMPLETED", "Insights have been refreshed.", now()
        self._context.store.save(cluster)


def _require_active(cluster: Cluster) -> None:
    if cluster.status != "ACTIVE":
        raise invalid_request(f"Cluster is in status {cluster.status}.", clusterName=cluster.name)


def _failed(running: Refresh, text: str) -> None:
    running.status, running.message, running.ended_at = "FAILED", text, now()


def _id(cluster: Cluster, view: dict[str, Any]) -> str:
    """The same check of a cluster for a version keeps its id."""
    name = f"{cluster.arn}/{cluster.created_at}/{view['category']}/{view['name']}/{view['kubernetesVersion']}"
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def _passes(view: dict[str, Any], wanted: dict[str, list[str]]) -> bool:
    values = {
        "categories": view["category"],
        "kubernetesVersions": view["kubernetesVersion"],
        "statuses": view["insightStatus"]["status"],
    }
    return all(values[name] in allowed for name, allowed in wanted.items())


def _times(insight: Insight) -> dict[str, Any]:
    return {
        "id": insight.id,
        "lastRefreshTime": insight.refreshed_at,
        "lastTransitionTime": insight.transitioned_at,
    }


def _view(category: str, check: Check, minor: Minor, verdict: Verdict) -> dict[str, Any]:
    summary = {"deprecationDetails": [], "addonCompatibilityDetails": []} | verdict.summary
    return {
        "name": check.name,
        "category": category,
        "kubernetesVersion": minors.dotted(minor),
        "description": check.description,
        "insightStatus": _status(verdict),
        "recommendation": check.recommendation,
        "additionalInfo": check.links,
        "resources": [_resource(where, one) for where, one in verdict.resources],
        "categorySpecificSummary": summary if category == readiness.UPGRADE else {},
    }


def _status(verdict: Verdict) -> dict[str, str]:
    return {"status": verdict.status, "reason": verdict.reason}


def _resource(where: str, verdict: Verdict) -> dict[str, Any]:
    key = "arn" if where.startswith("arn:") else "kubernetesResourceUri"
    return {"insightStatus": _status(verdict), key: where}
