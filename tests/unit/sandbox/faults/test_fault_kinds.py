"""The table of faults: what is taken, what is refused and with which words, what concerns what."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.faults import kinds, labels
from sandbox.faults.kinds import KINDS, parse
from sandbox.faults.model import Fault, FaultError
from sandbox.front.catalog import SERVICES

NODE = {
    "region": "us-west-2",
    "image": "ami-1",
    "instance_type": "m5.large",
    "zone": "us-west-2a",
    "capacity_type": "spot",
}


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (
            "node-never-register",
            {},
            r"there is no fault 'node-never-register'; there are node-never-registers, node-not",
        ),
        ("node-not-ready", {"ami": "ami-1"}, r"node-not-ready has no 'ami'; it takes region, image, instance_type"),
        ("node-not-ready", {"image": "al2023"}, r"image=al2023: image is an AMI id, such as ami-"),
        ("node-not-ready", {"after_seconds": "soon"}, r"after_seconds=soon: after_seconds is .* of at least 0"),
        ("node-not-ready", {"after_seconds": "-1"}, r"of at least 0"),
        ("node-not-ready", {"after_seconds": "inf"}, r"of at least 0"),
        ("node-not-ready", {"capacity_type": "reserved"}, r"capacity_type is one of spot, on-demand"),
        ("pods-never-ready", {}, r"pods-never-ready needs pods: a label selector, such as app=web"),
        ("pods-never-ready", {"pods": "a in (b)"}, r"pods=a in \(b\): pods is a label selector.*KEY=VALUE"),
        ("launch-error", {}, r"launch-error needs code: an error of EC2: one of InsufficientInstanceCapacity, "),
        ("launch-error", {"code": "NoCapacity"}, r"code=NoCapacity: code is an error of EC2: one of Insufficient"),
        ("spot-interruption", {"instance": "web-1"}, r"instance=web-1: instance is the id of .* begins with i-"),
        (
            "scheduled-change",
            {"instance": "i-1", "event": "REBOOT"},
            r"event is .*: one of AWS_EC2_INSTANCE_RETIREMENT",
        ),
        ("throttling", {"service": "s3"}, r"service=s3: service is one of ec2, ssm, "),
        ("throttling", {"rate": "1", "burst": "0"}, r"burst=0: .*; give rate=0 for that"),
        ("server-error", {"status": "404"}, r"status=404: status is the HTTP status: one of 500, 503"),
        ("server-error", {"percent": "101"}, r"a number from 0 to 100"),
        ("time-out", {"done": "maybe"}, r"done=maybe: done is .*: yes or no"),
        ("node-start-duration", {}, r"give seconds=NUMBER, or some of p0_seconds, p50_seconds"),
        ("node-start-duration", {"seconds": "1", "p50_seconds": "2"}, r"give seconds=NUMBER, or some of"),
        (
            "node-start-duration",
            {"p50_seconds": "9", "p90_seconds": "3"},
            r"percentiles grow from p0 to p100; given are 9, 3",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_allowed(kind: str, given: dict[str, str], message: str) -> None:
    with pytest.raises(FaultError, match=message) as caught:
        parse(kind, given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_can_be_set_with_what_it_needs(name: str) -> None:
    examples = {"pods": "app=web", "code": "VcpuLimitExceeded", "instance": "i-0123"}
    given = {one.name: examples[one.name] for one in KINDS[name].allowed if one.required}
    if name.endswith("-duration"):
        given["seconds"] = "3"
    found = parse(name, given | {"for_seconds": "60"})
    assert (found.kind, found.for_seconds, found.selectors) == (name, 60.0, {})


def test_selectors_and_parameters_are_told_apart_and_defaults_filled_in() -> None:
    found = parse("throttling", {"service": "ec2", "action": "Describe*", "rate": "2"})
    assert found.selectors == {"service": "ec2", "action": "Describe*"}
    assert found.parameters == {"rate": 2.0}
    assert parse("time-out", {"done": "yes"}).parameters == {"held_seconds": 90.0, "done": True}
    assert parse("time-out", {}).for_seconds is None


@pytest.mark.parametrize(
    ("selectors", "concerned"),
    [
        ({}, True),
        ({"image": "ami-1"}, True),
        ({"image": "ami-2"}, False),
        ({"instance_type": "m5.*", "zone": "*a"}, True),
        ({"instance_type": "m5.*", "zone": "*b"}, False),
        ({"capacity_type": "on-demand"}, False),
        ({"cluster": "*"}, False),
    ],
)
def test_a_fault_concerns_what_all_its_selectors_match(selectors: dict[str, str], concerned: bool) -> None:
    assert Fault("f1", "1", "launch-error", selectors).concerns(NODE) is concerned


def test_a_fault_ends_at_its_time() -> None:
    fault = Fault("f1", "1", "launch-error", until=10.0)
    assert (fault.over(9.9), fault.over(10.0), Fault("f2", "1", "x").over(1e9)) == (False, True, False)


def test_the_services_are_those_of_the_front() -> None:
    assert set(kinds.SERVICES) == set(SERVICES)


@pytest.mark.parametrize(
    ("text", "expressions"),
    [
        ("app=web", [{"key": "app", "operator": "In", "values": ["web"]}]),
        (
            "app==web, tier!=db",
            [
                {"key": "app", "operator": "In", "values": ["web"]},
                {"key": "tier", "operator": "NotIn", "values": ["db"]},
            ],
        ),
        ("a.b/c,!d", [{"key": "a.b/c", "operator": "Exists"}, {"key": "d", "operator": "DoesNotExist"}]),
        ("app=", [{"key": "app", "operator": "In", "values": [""]}]),
    ],
)
def test_label_selectors(text: str, expressions: list[dict[str, object]]) -> None:
    assert labels.parse(text) == {"matchExpressions": expressions}


@pytest.mark.parametrize("text", ["", "app=web,", "-a=b", "a=b=c", "a b"])
def test_what_is_no_label_selector(text: str) -> None:
    with pytest.raises(ValueError, match="is no label selector"):
        labels.parse(text)


def test_the_documentation_tells_every_fault_and_every_value() -> None:
    text = (Path(__file__).resolve().parents[4] / "docs/docsite/rst/sandbox.rst").read_text(encoding="utf-8")
    missing = [
        name for kind in KINDS.values() for name in (kind.name, *(one.name for one in kind.allowed)) if name not in text
    ]
    assert missing == []
