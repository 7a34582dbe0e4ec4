"""Back-off, probes, container states, and the pod status made of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from sandbox.agent import images
from sandbox.agent.backoff import Backoff, restarts
from sandbox.agent.podstatus import ContainerState, conditions, phase
from sandbox.agent.probes import ProbeSpec, Verdict, ask, container_port


def delays(backoff: Backoff, crashes: int, ran_seconds: float = 1.0) -> list[float]:
    now, found = 0.0, []
    for _ in range(crashes):
        ended = now + ran_seconds
        found.append(backoff.wait(ended))
        now = ended + found[-1]
        backoff.restarted(now, ended)
    return found


@pytest.mark.parametrize(
    ("backoff", "expected"),
    [
        (Backoff(), [0, 10, 20, 40, 80, 160, 300, 300]),
        (Backoff(1, 4), [0, 1, 2, 4, 4]),
    ],
)
def test_restarts_are_delayed_as_by_a_kubelet(backoff: Backoff, expected: list[float]) -> None:
    assert delays(backoff, len(expected)) == expected


def test_a_long_run_is_forgiven() -> None:
    backoff = Backoff()
    assert delays(backoff, 4) == [0, 10, 20, 40]
    assert delays(Backoff(), 3, ran_seconds=601) == [0, 0, 0]


@pytest.mark.parametrize(
    ("policy", "code", "again"),
    [("Always", 0, True), ("Always", 1, True), ("OnFailure", 0, False), ("OnFailure", 2, True), ("Never", 1, False)],
)
def test_the_restart_policy_decides(policy: str, code: int, again: bool) -> None:
    assert restarts(policy, code) is again


CONTAINER: dict[str, Any] = {
    "name": "controller",
    "ports": [{"name": "http", "containerPort": 8081}],
    "livenessProbe": {"httpGet": {"path": "healthz", "port": "http"}, "initialDelaySeconds": 30},
    "readinessProbe": {"httpGet": {"port": 8081}, "failureThreshold": 2, "successThreshold": 2},
}


def test_probes_have_the_defaults_of_the_api() -> None:
    liveness = ProbeSpec.of("liveness", CONTAINER)
    assert liveness is not None
    assert (liveness.port, liveness.path, liveness.initial_delay_seconds) == (8081, "/healthz", 30)
    assert (liveness.period_seconds, liveness.timeout_seconds) == (10, 1)
    assert (liveness.success_threshold, liveness.failure_threshold) == (1, 3)
    assert ProbeSpec.of("startup", CONTAINER) is None
    assert ProbeSpec.of("startup", {"startupProbe": {"exec": {"command": ["x"]}}}) is None


def test_a_port_without_a_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="no port named metrics"):
        container_port(CONTAINER, "metrics")


@pytest.mark.parametrize(
    ("kind", "answers", "reached", "passed"),
    [
        ("liveness", [False, False], [False, False], True),
        ("liveness", [False, False, False], [False, False, True], False),
        ("liveness", [False, False, True, False], [False, False, True, False], True),
        ("readiness", [True], [False], False),
        ("readiness", [True, True], [False, True], True),
        ("readiness", [True, True, False, True, False], [False, True, False, False, False], True),
        ("readiness", [True, True, False, False], [False, True, False, True], False),
    ],
)
def test_a_row_of_answers_makes_a_verdict(kind: Any, answers: list[bool], reached: list[bool], passed: bool) -> None:
    spec = ProbeSpec.of(kind, CONTAINER)
    assert spec is not None
    verdict = Verdict(spec)
    assert [verdict.answer(answer) for answer in answers] == reached
    assert verdict.passed is passed


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


async def test_probes_are_really_asked(session: aiohttp.ClientSession) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=int(request.path.strip("/")))

    app = web.Application()
    app.router.add_get("/{status}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]

    async def asked(path: str, at: int = port) -> str | None:
        spec = ProbeSpec.of("liveness", CONTAINER | {"livenessProbe": {"httpGet": {"port": "http", "path": path}}})
        assert spec is not None
        return await ask(session, spec, at, "10.0.0.9")

    assert await asked("/200") is None
    assert await asked("/302") is None
    assert await asked("/500") == "HTTP probe failed with statuscode: 500"
    await runner.cleanup()
    refused = 'Get "http://10.0.0.9:8081/200": dial tcp 10.0.0.9:8081: connect: connection refused'
    assert await asked("/200") == refused


NEW = ContainerState("controller", "karpenter/controller:1.14.0")


def test_a_container_goes_through_its_states() -> None:
    running = NEW.runs("t1", first=True, probed=True)
    assert (running.running, running.ready, running.started, running.restarts) == (True, False, True, 0)
    crashed = running.with_ready(True).ended("t2", 137)
    assert crashed.state["terminated"] == {"exitCode": 137, "reason": "Error", "startedAt": "t1", "finishedAt": "t2"}
    waiting = crashed.waiting("CrashLoopBackOff", "back-off 10s")
    assert waiting.last_state == crashed.state
    again = waiting.runs("t3", first=False, probed=False)
    assert (again.restarts, again.ready, again.last_state) == (1, True, crashed.state)


def test_states_survive_the_agent() -> None:
    shown = NEW.runs("t1", first=True, probed=True).ended("t2", 1).runs("t3", first=False, probed=True).reported("id")
    back = ContainerState.restored("controller", NEW.image, shown)
    assert (back.state, back.last_state, back.restarts) == (shown["state"], shown["lastState"], 1)
    assert ContainerState.restored("controller", NEW.image, {}) == NEW


@pytest.mark.parametrize(
    ("state", "policy", "expected"),
    [
        (NEW, "Always", "Pending"),
        (NEW.waiting("ErrImagePull"), "Always", "Pending"),
        (NEW.runs("t", first=True, probed=True), "Always", "Running"),
        (NEW.runs("t", first=True, probed=True).ended("t", 1), "Always", "Running"),
        (NEW.runs("t", first=True, probed=True).ended("t", 1).waiting("CrashLoopBackOff"), "Always", "Running"),
        (NEW.runs("t", first=True, probed=True).ended("t", 0), "OnFailure", "Succeeded"),
        (NEW.runs("t", first=True, probed=True).ended("t", 1), "OnFailure", "Running"),
        (NEW.runs("t", first=True, probed=True).ended("t", 1), "Never", "Failed"),
    ],
)
def test_the_phase_follows_the_containers(state: ContainerState, policy: str, expected: str) -> None:
    assert phase([state], policy) == expected


def test_conditions_keep_the_time_of_their_last_change() -> None:
    before = conditions([NEW], [], "t1")
    ready = NEW.runs("t2", first=True, probed=False)
    after = {condition["type"]: condition for condition in conditions([ready], before, "t2")}
    assert after["Initialized"]["lastTransitionTime"] == "t1"
    assert after["Ready"] == {
        "type": "Ready",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": "t2",
        "reason": None,
        "message": None,
    }
    assert {c["type"]: c["reason"] for c in before if c["status"] == "False"} == {
        "Ready": "ContainersNotReady",
        "ContainersReady": "ContainersNotReady",
    }


@pytest.mark.parametrize(
    ("image", "runs"),
    [
        ("public.ecr.aws/karpenter/controller:1.14.0", True),
        ("public.ecr.aws/karpenter/controller:1.14.0@sha256:0a", True),
        ("registry.example:5000/mirror/karpenter/controller:1.14.0", True),
        ("karpenter/controller", True),
        ("public.ecr.aws/karpenter/controller-debug:1.14.0", False),
        ("public.ecr.aws/notkarpenter/controller:1.14.0", False),
        ("public.ecr.aws/eks-distro/kubernetes/pause:3.7", False),
    ],
)
def test_only_the_controllers_image_runs_as_a_process(image: str, runs: bool) -> None:
    assert images.is_process(image) is runs


def test_the_tag_chooses_the_binary(tmp_path: Path) -> None:
    program = tmp_path / "controller"
    program.touch()
    binaries = {"karpenter-controller-1.14.0": program, "helm-3": program}
    assert images.binary("public.ecr.aws/karpenter/controller:1.14.0@sha256:0a", binaries) == program
    with pytest.raises(LookupError, match=r"1\.13\.0.*not found; the sandbox has built karpenter-controller-1\.14\.0"):
        images.binary("public.ecr.aws/karpenter/controller:1.13.0", binaries)
