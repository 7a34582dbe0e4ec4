"""The kinds of faults: what each can be narrowed to and what it takes. Pure; the one table that the command, the
admin routes and the documentation share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandbox.faults.durations import PERCENTILES, points
from sandbox.faults.launcherrors import LAUNCH_ERRORS
from sandbox.faults.model import FaultError, Value
from sandbox.faults.values import Parameter, choice, flag, identifier, label_selector, number, pattern

#: Signing names of the services that the sandbox has.
SERVICES = (
    "ec2",
    "ssm",
    "pricing",
    "iam",
    "sts",
    "cloudformation",
    "sqs",
    "events",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "logs",
)
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instances-status-check_sched.html#types-of-scheduled-events
CHANGES = {
    "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED": "retired",
    "AWS_EC2_INSTANCE_STOP_SCHEDULED": "stopped",
    "AWS_EC2_INSTANCE_REBOOT_MAINTENANCE_SCHEDULED": "rebooted",
    "AWS_EC2_SYSTEM_REBOOT_MAINTENANCE_SCHEDULED": "rebooted with its host",
    "AWS_EC2_INSTANCE_POWER_MAINTENANCE_SCHEDULED": "without power",
    "AWS_EC2_INSTANCE_NETWORK_MAINTENANCE_SCHEDULED": "without network",
}

REGION = pattern("region", "a region", "us-west-2")
CLUSTER = pattern("cluster", "a cluster", "demo")
ON_NODES = (
    REGION,
    pattern("image", "an AMI id", "ami-0123456789abcdef0", prefix="ami-"),
    pattern("instance_type", "an instance type", "m5.large"),
    pattern("zone", "a zone", "us-west-2a"),
    pattern("capacity_type", "a capacity type", "spot", known=("spot", "on-demand")),
)
ON_CALLS = (
    REGION,
    pattern("service", "a service", "ec2", known=SERVICES),
    pattern("action", "an operation of the API", "CreateFleet"),
    pattern("principal", "the ARN of who calls", "arn:aws:sts::*:assumed-role/controller/*", prefix="arn:"),
)
INSTANCE = identifier("instance", "i-", "the id of an instance")
DURATION = (
    number("seconds", "the same duration for all"),
    *(number(name, f"the percentile {name.removesuffix('_seconds')} of all durations") for name in PERCENTILES),
    number("seed", "what the draws begin with; the same seed draws the same durations", default=0.0),
)
FOR_SECONDS = number("for_seconds", "after how long the fault clears itself")


@dataclass(frozen=True)
class Kind:
    """A kind of fault. ``check`` raises FaultError when its parameters do not fit each other.

    ``outlives``: whether it goes on when the sandbox is started again.
    """

    name: str
    does: str
    selectors: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...] = ()
    check: Callable[[Mapping[str, Value]], None] = lambda _: None
    outlives: bool = True

    @property
    def allowed(self) -> tuple[Parameter, ...]:
        """Everything that can be said of it."""
        return (*self.selectors, *self.parameters, FOR_SECONDS)


def _duration(values: Mapping[str, Value]) -> None:
    known = points(values)
    if ("seconds" in values) == bool(known):
        raise FaultError(f"give seconds=NUMBER, or some of {', '.join(PERCENTILES)}")
    if sorted(value for _, value in known) != [value for _, value in known]:
        raise FaultError(f"percentiles grow from p0 to p100; given are {', '.join(f'{value:g}' for _, value in known)}")


def _bucket(values: Mapping[str, Value]) -> None:
    if values["rate"] and values.get("burst") == 0:
        raise FaultError("burst=0: a bucket that holds nothing lets nothing through; give rate=0 for that")


KINDS = {
    kind.name: kind
    for kind in (
        Kind("node-never-registers", "instances boot, their kubelets never register", ON_NODES),
        Kind(
            "node-not-ready",
            "nodes register, become Ready, and are NotReady some time later",
            ON_NODES,
            (number("after_seconds", "how long they are Ready before", default=0.0),),
        ),
        Kind(
            "pods-never-ready",
            "the chosen pods run and never become ready",
            (*ON_NODES, CLUSTER, pattern("namespace", "a namespace", "default")),
            (label_selector("pods"),),
        ),
        Kind("node-start-duration", "from launch until the kubelet registers", ON_NODES, DURATION, _duration),
        Kind("node-termination-duration", "from TerminateInstances until terminated", ON_NODES, DURATION, _duration),
        Kind(
            "launch-error",
            "RunInstances and CreateFleet have this error for the launches concerned",
            ON_NODES,
            (choice("code", "an error of EC2", tuple(LAUNCH_ERRORS)),),
        ),
        Kind(
            "spot-interruption",
            "the two-minute warning of a Spot Instance, then its end; cleared before, it goes on",
            (),
            (INSTANCE, number("notice_seconds", "from the warning until EC2 ends the instance", default=120.0)),
        ),
        Kind("rebalance-recommendation", "the message that a Spot Instance is at risk", (), (INSTANCE,)),
        Kind(
            "scheduled-change",
            "AWS Health's message that something is to happen to an instance",
            (),
            (
                INSTANCE,
                choice("event", "what is to happen", tuple(CHANGES), "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED"),
                number("in_seconds", "from the message until then", default=14 * 86400.0),
            ),
        ),
        Kind(
            "throttling",
            "calls beyond the rate are throttled, a bucket for each region, service and action",
            ON_CALLS,
            (
                number("rate", "calls a second that get through", default=0.0),
                number("burst", "calls that get through at once, by default those of a second"),
            ),
            _bucket,
        ),
        Kind(
            "server-error",
            "calls are answered with the service's own error of this status, and not done",
            ON_CALLS,
            (
                choice("status", "the HTTP status", ("500", "503"), "500"),
                number("percent", "how many of a hundred calls", most=100.0, default=100.0),
                number("seed", "what the draws begin with", default=0.0),
            ),
        ),
        Kind(
            "time-out",
            "calls get no answer; the connection is held, then cut",
            ON_CALLS,
            (number("held_seconds", "how long it is held", default=90.0), flag("done", "does the call take effect")),
        ),
        Kind("expired-credentials", "calls are refused as if their credentials had expired", ON_CALLS),
        Kind(
            "controller-killed",
            "the processes of Karpenter's pods are killed; the kubelet starts them again",
            (REGION, CLUSTER, pattern("pod", "the name of a pod", "karpenter-6d8f9c7b5-abcde")),
            (number("every_seconds", "again and again, this far apart; 0 is once", default=0.0),),
        ),
        Kind(
            "api-server-stopped",
            "the API server ends; it starts again when the fault ends",
            (REGION, CLUSTER),
            # The start of a sandbox starts all API servers; without its own, nothing of a cluster comes back.
            outlives=False,
        ),
    )
}


@dataclass(frozen=True)
class Wanted:
    """A fault as it was asked for, checked."""

    kind: str
    selectors: Mapping[str, str]
    parameters: Mapping[str, Value]
    for_seconds: float | None


def parse(name: str, given: Mapping[str, str]) -> Wanted:
    """Check what is asked for. Raises FaultError: one line that names what is allowed."""
    kind = KINDS.get(name)
    if kind is None:
        raise FaultError(f"there is no fault {name!r}; there are {', '.join(KINDS)}")
    known = {one.name: one for one in kind.allowed}
    for key in given:
        if key not in known:
            raise FaultError(f"{name} has no {key!r}; it takes {', '.join(known)}")
    missing = [one for one in kind.allowed if one.required and one.name not in given]
    if missing:
        raise FaultError(f"{name} needs {missing[0].name}: {missing[0].allowed}")
    values = {key: known[key].parse(text) for key, text in given.items()}
    selectors = {one.name: str(values[one.name]) for one in kind.selectors if one.name in values}
    filled = {one.name: values.get(one.name, one.default) for one in kind.parameters}
    parameters = {key: value for key, value in filled.items() if value is not None}
    kind.check(parameters)
    until = values.get(FOR_SECONDS.name)
    return Wanted(name, selectors, parameters, None if until is None else float(until))
