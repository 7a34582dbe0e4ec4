"""RunInstances and CreateFleet. Mixed into moto's class of EC2 answers."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sandbox.emulators.ec2.errors import client_error, dry_run
from sandbox.emulators.ec2.fleets import record
from sandbox.emulators.ec2.launch import check, launch, template_version
from sandbox.emulators.ec2.launchspec import LaunchSpec, from_data, merged, tag_map
from sandbox.emulators.ec2.prices import on_demand, spot_price

#: Errors of CreateFleet that concern the whole request; others are reported for the override that has them.
_FATAL = ("InvalidLaunchTemplate", "InvalidParameter", "MissingParameter", "InvalidFleet")

_KEPT_TOKENS = 10_000


class Launching:
    """RunInstances and instant fleets."""

    params: Any
    ec2_backend: Any

    def run_instances(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html"""
        from moto.core.responses import ActionResult

        given = dict(self.params)
        data: dict[str, Any] = {}
        template = None
        if wanted := given.pop("LaunchTemplate", None):
            data, template = template_version(self.ec2_backend, wanted)
        spec = from_data(merged(data, given), spot=False, template=template)
        spec = replace(spec, instance_type=spec.instance_type or "m1.small")
        check(self.ec2_backend, spec)
        if given.get("DryRun"):
            raise dry_run()

        def run() -> Any:
            instances = [launch(self.ec2_backend, spec) for _ in range(int(given.get("MaxCount") or 1))]
            return _joined(self.ec2_backend, instances)

        return ActionResult(_once(self.ec2_backend, "RunInstances", given.get("ClientToken"), run))

    def create_fleet(self) -> Any:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFleet.html"""
        from moto.core.responses import ActionResult

        if self.params.get("Type", "maintain") != "instant":
            raise NotImplementedError("only instant fleets are implemented")
        candidates = _candidates(self.ec2_backend, self.params)
        if self.params.get("DryRun"):
            raise dry_run()

        def fill() -> dict[str, Any]:
            fleet = _Launches(self.ec2_backend, candidates)
            fleet.fill(int(self.params["TargetCapacitySpecification"]["TotalTargetCapacity"]))
            own = tag_map(self.params.get("TagSpecifications")).get("fleet", {})
            record(self.ec2_backend, fleet.fleet_id, self.params, own)
            return {"FleetId": fleet.fleet_id, "Instances": fleet.instances, "Errors": fleet.errors}

        return ActionResult(_once(self.ec2_backend, "CreateFleet", self.params.get("ClientToken"), fill))


def _once(backend: Any, action: str, token: str | None, make: Callable[[], Any]) -> Any:
    """What ``make`` makes, or made when the same client token was here before: a repeated call launches nothing new.

    https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    """
    known: dict[tuple[str, str], Any] = vars(backend).setdefault("sandbox_client_tokens", {})
    if not token:
        return make()
    if (action, token) not in known:
        if len(known) >= _KEPT_TOKENS:
            known.pop(next(iter(known)))
        known[action, token] = make()
    return known[action, token]


def _joined(backend: Any, instances: list[Any]) -> Any:
    """The instances of one call in one reservation, as AWS reports them."""
    first, *others = [
        reservation for reservation in backend.reservations.values() if reservation.instances[0] in instances
    ]
    for other in others:
        first.instances.extend(other.instances)
        del backend.reservations[other.id]
    for index, instance in enumerate(first.instances):
        instance.ami_launch_index = index
    return first


def _candidates(backend: Any, params: dict[str, Any]) -> list[tuple[LaunchSpec, dict[str, Any]]]:
    """Every launch that the fleet may use, best first, each with how the answer describes it."""
    target = params["TargetCapacitySpecification"]
    spot = target.get("DefaultTargetCapacityType", "on-demand") == "spot"
    tags = tag_map(params.get("TagSpecifications"))
    tags.pop("fleet", None)
    found = []
    for config in params.get("LaunchTemplateConfigs") or []:
        wanted = config["LaunchTemplateSpecification"]
        data, template = template_version(backend, wanted)
        shown = {"LaunchTemplateId": template[0], "Version": str(template[1])}
        for override in config.get("Overrides") or [{}]:
            over = {"TagSpecifications": [_specification(kind, values) for kind, values in tags.items()]} | override
            spec = from_data(merged(data, over), spot=spot, template=template)
            # Without groups of their own, overrides keep the template's: an override has a subnet, not an interface.
            found.append((spec, {"LaunchTemplateSpecification": shown, "Overrides": override}))
    if not found:
        raise client_error("MissingParameter", "The request must contain the parameter LaunchTemplateConfigs")
    return sorted(found, key=lambda one: _preference(backend, one[0], params))


def _specification(kind: str, tags: dict[str, str]) -> dict[str, Any]:
    return {"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}


def _preference(backend: Any, spec: LaunchSpec, params: dict[str, Any]) -> tuple[float, str]:
    """Allocation strategies: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-allocation-strategy.html"""
    options = params.get("SpotOptions" if spec.spot else "OnDemandOptions") or {}
    if "prioritized" in str(options.get("AllocationStrategy")).lower():
        return (spec.priority if spec.priority is not None else float("inf"), spec.subnet_id or "")
    name = spec.instance_type or ""
    zone = spec.zone or _zone(backend, spec)
    return (spot_price(name, zone) if spec.spot else on_demand(name), spec.subnet_id or "")


def _zone(backend: Any, spec: LaunchSpec) -> str:
    subnet = backend.subnets.get(spec.subnet_id or "", {})
    return next(iter(subnet), f"{backend.region_name}a")


class _Launches:
    """Launches from the best candidate that works; errors of the others are kept, as an instant fleet reports them."""

    def __init__(self, backend: Any, candidates: list[tuple[LaunchSpec, dict[str, Any]]]) -> None:
        self._backend = backend
        self._candidates = candidates
        self.fleet_id = f"fleet-{uuid.UUID(bytes=secrets.token_bytes(16), version=4)}"
        self.instances: list[dict[str, Any]] = []
        self.errors: list[dict[str, Any]] = []

    def fill(self, capacity: int) -> None:
        """Launch ``capacity`` instances, or none and say why."""
        for spec, shown in self._candidates:
            lifecycle = "spot" if spec.spot else "on-demand"
            try:
                check(self._backend, spec)
            except Exception as error:
                code, message = getattr(error, "code", ""), getattr(error, "message", str(error))
                if not code or code.startswith(_FATAL):
                    raise
                self.errors.append(
                    {
                        "LaunchTemplateAndOverrides": shown,
                        "Lifecycle": lifecycle,
                        "ErrorCode": code,
                        "ErrorMessage": message,
                    }
                )
                continue
            ids = [launch(self._backend, spec, fleet_id=self.fleet_id).id for _ in range(capacity)]
            self.instances.append(
                {
                    "LaunchTemplateAndOverrides": shown,
                    "Lifecycle": lifecycle,
                    "InstanceIds": ids,
                    "InstanceType": spec.instance_type,
                }
            )
            return
