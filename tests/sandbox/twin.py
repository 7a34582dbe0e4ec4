"""Drives one sandbox by its commands, as a user does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from sandbox.build import resolve
from sandbox.process import procfs
from sandbox.process.sweep import marked_pids
from sandbox.state import State

ROOT = Path(__file__).resolve().parents[2]
#: For boto3's waiters: they look often, and give up after a minute and a half.
WAIT = {"Delay": 0.2, "MaxAttempts": 450}
#: A change is saved within a second; the double, because other tests run at the same time.
SAVED_SECONDS = 2.0
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "eks.amazonaws.com"},
            "Action": ["sts:AssumeRole", "sts:TagSession"],
        }
    ],
}


@dataclass(frozen=True)
class Sandbox:
    """A state folder and the command line for it."""

    state: State

    def command(self, *arguments: str, timeout_seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """Run ``python -m sandbox``."""
        return subprocess.run(
            [sys.executable, "-m", "sandbox", *arguments],
            cwd=ROOT,
            env={**os.environ, "EKSOPS_SANDBOX_DIR": str(self.state.root)},
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            check=False,
        )

    def up(self, *options: str) -> float:
        """Start it; the seconds it took."""
        started = time.monotonic()
        done = self.command("up", *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return time.monotonic() - started

    def kill(self) -> None:
        """SIGKILL every process of it, the daemon too."""
        for pid in (pids := self.pids):
            os.kill(pid, signal.SIGKILL)
        assert wait_gone(pids) == []

    @property
    def description(self) -> dict[str, Any]:
        """What ``sandbox.json`` says."""
        found: dict[str, Any] = json.loads(self.state.description.read_text())
        return found

    @property
    def pids(self) -> list[int]:
        """Every process of the sandbox, the daemon too."""
        return marked_pids(self.state.root)

    @property
    def cpu_seconds(self) -> float:
        """What its processes have worked so far: unlike the time that passed, it is the same on a busy machine."""
        return sum(map(procfs.cpu_seconds, self.pids))

    def status(self) -> dict[str, Any]:
        """What ``status --json`` says."""
        found: dict[str, Any] = json.loads(self.command("status", "--json").stdout)
        return found

    def components(self) -> dict[str, dict[str, Any]]:
        """The child processes by the last part of their name."""
        return {part["name"].rpartition("/")[2]: part for part in self.status()["components"]}

    def client(self, service: str, account: str | None = None) -> Any:
        """A boto3 client of the administrator of an account, by default the default one."""
        folder = self.state.root if account is None else self.state.accounts / account
        environment = json.loads((folder / "environment.json").read_text())
        credentials = Path(environment["AWS_SHARED_CREDENTIALS_FILE"])
        lines = (line.partition("=") for line in credentials.read_text().splitlines() if "=" in line)
        keys = {name.strip(): value.strip() for name, _, value in lines}
        return boto3.session.Session().client(
            service, region_name=environment["AWS_REGION"], endpoint_url=environment["AWS_ENDPOINT_URL"], **keys
        )

    def create_cluster(self, name: str, version: str = "1.36") -> float:
        """An EKS cluster in the default subnets; the seconds until it was ACTIVE."""
        iam, eks = self.client("iam"), self.client("eks")
        role = iam.create_role(RoleName=f"{name}-service", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]
        iam.attach_role_policy(RoleName=role["RoleName"], PolicyArn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy")
        subnets = [subnet["SubnetId"] for subnet in self.client("ec2").describe_subnets()["Subnets"]]
        started = time.monotonic()
        eks.create_cluster(
            name=name, version=version, roleArn=role["Arn"], resourcesVpcConfig={"subnetIds": subnets[:3]}
        )
        eks.get_waiter("cluster_active").wait(name=name, WaiterConfig=WAIT)
        return time.monotonic() - started

    def kubectl(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run kubectl as the administrator of the only cluster."""
        [kubeconfig] = self.state.clusters.glob("*/kubeconfigs/admin")
        return kubectl("--kubeconfig", str(kubeconfig), *arguments, stdin=stdin)


def kubectl(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run kubectl."""
    argv = [str(resolve().path("kubectl")), *arguments]
    return subprocess.run(argv, capture_output=True, text=True, input=stdin, timeout=60, check=False)


def eventually(look: Callable[[], bool], what: str, seconds: float = 10, pause_seconds: float = 0.1) -> None:
    """Wait until ``look`` says yes. Raises AssertionError."""
    deadline = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(pause_seconds)


def wait_gone(pids: list[int], seconds: float = 10) -> list[int]:
    """Those of the processes that are still there after a while."""
    deadline = time.monotonic() + seconds
    while (left := [pid for pid in pids if procfs.is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
