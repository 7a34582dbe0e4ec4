"""Instant fleets after their launch: a record with tags, which outlives the instances. Mixed into moto's EC2 answers.

The record holds nothing up and costs nothing. Only who knows its id is shown it, yet DescribeTags lists its tags.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from sandbox.emulators.ec2.errors import client_error

#: As many as a day of scale tests makes; AWS takes the records away by itself after some days.
_KEPT = 10_000


def _records(backend: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = vars(backend).setdefault("sandbox_fleets", {})
    return found


def record(backend: Any, fleet_id: str, params: Any, tags: dict[str, str]) -> None:
    """Keep what DescribeFleets tells of a fleet, and its tags."""
    known = _records(backend)
    if len(known) >= _KEPT:
        oldest = next(iter(known))
        known.pop(oldest)
        backend.tags.pop(oldest, None)
    known[fleet_id] = {
        "FleetId": fleet_id,
        "FleetState": "active",
        "Type": "instant",
        "CreateTime": dt.datetime.now(dt.UTC),
        "TargetCapacitySpecification": params["TargetCapacitySpecification"],
        "LaunchTemplateConfigs": [],
    }
    if tags:
        backend.create_tags([fleet_id], tags)


class Fleets:
    """The reading of fleets."""

    params: Any
    ec2_backend: Any

    def describe_fleets(self) -> Any:
        """An instant fleet is only shown when it is asked for by its id.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeFleets.html
        """
        from moto.core.responses import ActionResult

        known = _records(self.ec2_backend)
        wanted = self.params.get("FleetIds") or []
        for one in wanted:
            if one not in known:
                raise client_error("InvalidFleetId.NotFound", f"The fleet ID '{one}' does not exist")
        tags = self.ec2_backend.tags
        return ActionResult(
            {
                "Fleets": [
                    known[one] | {"Tags": [{"Key": key, "Value": value} for key, value in tags.get(one, {}).items()]}
                    for one in wanted
                ]
            }
        )
