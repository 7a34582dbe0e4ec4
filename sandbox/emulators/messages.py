"""What AWS itself tells EventBridge about instances. Pure."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

#: Spelled like this in AWS Health's events: https://docs.aws.amazon.com/health/latest/ug/aws-health-events-eventbridge-schema.html
_HEALTH_TIME = "%a, %d %b %Y %H:%M:%S GMT"


@dataclass(frozen=True)
class Event:
    """An event of an AWS service."""

    source: str
    detail_type: str
    resources: tuple[str, ...]
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """Where an instance is."""

    account: str
    region: str
    zone: str

    def arn(self, instance: str) -> str:
        """The ARN of an instance."""
        return f"arn:aws:ec2:{self.region}:{self.account}:instance/{instance}"


def spot_interruption(instance: str, place: Place) -> Event:
    """Two minutes before. Its ARN names the zone, and no account.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html#ec2-spot-instance-interruption-warning-event
    """
    arn = f"arn:aws:ec2:{place.zone}:instance/{instance}"
    detail = {"instance-id": instance, "instance-action": "terminate"}
    return Event("aws.ec2", "EC2 Spot Instance Interruption Warning", (arn,), detail)


def rebalance(instance: str, place: Place) -> Event:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/rebalance-recommendations.html#cp-eventbridge"""
    detail = {"instance-id": instance}
    return Event("aws.ec2", "EC2 Instance Rebalance Recommendation", (place.arn(instance),), detail)


def state_change(instance: str, place: Place, state: str) -> Event:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instance-state-changes.html"""
    detail = {"instance-id": instance, "state": state}
    return Event("aws.ec2", "EC2 Instance State-change Notification", (place.arn(instance),), detail)


def scheduled_change(instance: str, place: Place, code: str, what: str, now: float, start: float) -> Event:
    """https://docs.aws.amazon.com/health/latest/ug/aws-health-events-eventbridge-schema.html"""
    told, at = (datetime.fromtimestamp(when, UTC).strftime(_HEALTH_TIME) for when in (now, start))
    text = f"EC2 has scheduled an event for your instance {instance} in {place.region}: it will be {what} at {at}."
    name = f"arn:aws:health:{place.region}::event/EC2/{code}/{code}_{uuid.uuid4()}"
    detail = {
        "eventArn": name,
        "service": "EC2",
        "eventTypeCode": code,
        "eventTypeCategory": "scheduledChange",
        "eventScopeCode": "ACCOUNT_SPECIFIC",
        "communicationId": uuid.uuid4().hex,
        "startTime": at,
        "lastUpdatedTime": told,
        "statusCode": "upcoming",
        "eventRegion": place.region,
        "eventDescription": [{"language": "en_US", "latestDescription": text}],
        "affectedEntities": [{"entityValue": instance, "lastUpdatedTime": told, "status": "PENDING"}],
        "affectedAccount": place.account,
        "page": "1",
        "totalPages": "1",
    }
    return Event("aws.health", "AWS Health Event", (instance,), detail)


#: The states that an instance goes through from one to the other; moto jumps.
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
_PATHS = {
    "running": ("pending", "running"),
    "stopped": ("stopping", "stopped"),
    "terminated": ("shutting-down", "terminated"),
    "shutting-down": ("shutting-down",),
}


def passed(before: str | None, after: str) -> tuple[str, ...]:
    """The states in which an instance has been since it was in ``before`` (None: it is new)."""
    if before == after or (before is None and after == "terminated"):
        return ()
    path = _PATHS.get(after, (after,))
    return path[path.index(before) + 1 :] if before in path else path
