"""Instances after their launch: listing, attributes, termination. Mixed into moto's class of EC2 answers."""

from __future__ import annotations

import time
from typing import Any, cast

from sandbox.emulators.ec2 import states
from sandbox.emulators.ec2.errors import client_error, dry_run
from sandbox.emulators.ec2.prices import price_list, spot_price

#: "Terminated instances remain visible for a short while (about one hour)":
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/terminating-instances.html
TERMINATED_VISIBLE_SECONDS = 3600.0


class Instances:
    """Operations on instances."""

    params: Any
    ec2_backend: Any

    def describe_instances(self) -> Any:
        """moto keeps one filter per name, although "filters of the same name" are joined by AND like any others.

        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html
        """
        from moto.ec2.utils import filter_reservations

        forget_terminated(self.ec2_backend, time.time())
        filters = self.params.get("Filters") or []
        names = [one["Name"] for one in filters]
        repeated = [one for index, one in enumerate(filters) if one["Name"] in names[index + 1 :]]
        answer = cast(Any, super()).describe_instances()
        for one in repeated:
            wanted = {one["Name"]: one.get("Values", [])}
            answer.result["Reservations"] = filter_reservations(answer.result["Reservations"], wanted)
        return answer

    def terminate_instances(self) -> Any:
        """Ending an instance twice succeeds on AWS; in moto it fails on the interface that is gone already.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TerminateInstances.html
        """
        from moto.core.responses import ActionResult

        instances = self.ec2_backend.get_multi_instances_by_id(self.params.get("InstanceIds") or [])
        if self.params.get("DryRun"):
            raise dry_run()
        for instance in instances:
            if instance.disable_api_termination:
                text = (
                    f"The instance '{instance.id}' may not be terminated. Modify its 'disableApiTermination' instance "
                )
                raise client_error("OperationNotPermitted", f"{text}attribute and try again.")
        shown = []
        for instance in instances:
            before = {"Code": instance.state_code, "Name": instance.state}
            now = before
            if instance.state != "terminated":
                states.end(self.ec2_backend, instance)
                now = {"Code": 32, "Name": "shutting-down"}
            shown.append({"InstanceId": instance.id, "CurrentState": now, "PreviousState": before})
        return ActionResult({"TerminatingInstances": shown})

    def describe_spot_price_history(self) -> Any:
        """moto has one price for everything, of the year 2006; here a fixed share of the price on demand."""
        from moto.core.responses import ActionResult
        from moto.core.utils import utcnow

        filters = {one["Name"]: one.get("Values", []) for one in self.params.get("Filters") or []}
        if zone := self.params.get("AvailabilityZone"):
            filters["availability-zone"] = [zone]
        offers = self.ec2_backend.describe_spot_price_history(self.params.get("InstanceTypes") or [], filters)
        offers = [one for one in offers if one["InstanceType"] in price_list()]
        products = self.params.get("ProductDescriptions") or ["Linux/UNIX"]
        start = int(self.params.get("NextToken") or 0)
        end = start + int(self.params.get("MaxResults") or 1000)
        history = [
            {
                "InstanceType": one["InstanceType"],
                "ProductDescription": products[0],
                "SpotPrice": f"{spot_price(one['InstanceType'], one['Location']):.6f}",
                "AvailabilityZone": one["Location"],
                "Timestamp": utcnow(),
            }
            for one in offers[start:end]
        ]
        return ActionResult({"SpotPriceHistory": history, "NextToken": str(end) if end < len(offers) else ""})

    def describe_capacity_reservations(self) -> Any:
        """None can be made here, so there are none; an id that is asked for does not exist.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityReservations.html
        """
        from moto.core.responses import ActionResult

        for wanted in self.params.get("CapacityReservationIds") or []:
            text = f"The capacity reservation '{wanted}' does not exist"
            raise client_error("InvalidCapacityReservationId.NotFound", text)
        return ActionResult({"CapacityReservations": []})

    def describe_placement_groups(self) -> Any:
        """None can be made here, so there are none; a group that is asked for by name does not exist.

        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribePlacementGroups.html
        """
        from moto.core.responses import ActionResult

        for wanted in (self.params.get("GroupNames") or []) + (self.params.get("GroupIds") or []):
            raise client_error("InvalidPlacementGroup.Unknown", f"The Placement Group '{wanted}' is unknown.")
        return ActionResult({"PlacementGroups": []})


def forget_terminated(backend: Any, now: float) -> None:
    """Drop instances that were terminated longer than an hour ago, with their tags."""
    for reservation in list(backend.reservations.values()):
        over = [
            instance
            for instance in reservation.instances
            if instance.state == "terminated"
            and getattr(instance, "terminated_at", now) + TERMINATED_VISIBLE_SECONDS < now
        ]
        for instance in over:
            reservation.instances.remove(instance)
            backend.tags.pop(instance.id, None)
        if not reservation.instances:
            backend.reservations.pop(reservation.id, None)
