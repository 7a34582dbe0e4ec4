"""Drives one sandbox by its commands, as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from sandbox.process import procfs
from sandbox.process.sweep import marked_pids
from sandbox.state import State

ROOT = Path(__file__).resolve().parents[2]
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

    def up(self) -> float:
        """Start it; the seconds it took."""
        started = time.monotonic()
        done = self.command("up")
        assert done.returncode == 0, done.stdout + done.stderr
        return time.monotonic() - started

    @property
    def description(self) -> dict[str, Any]:
        """What ``sandbox.json`` says."""
        found: dict[str, Any] = json.loads(self.state.description.read_text())
        return found

    @property
    def pids(self) -> list[int]:
        """Every process of the sandbox, the daemon too."""
        return marked_pids(self.state.root)

    def status(self) -> dict[str, Any]:
        """What ``status --json`` says."""
        found: dict[str, Any] = json.loads(self.command("status", "--json").stdout)
        return found

    def components(self) -> dict[str, dict[str, Any]]:
        """The child processes by the last part of their name."""
        return {part["name"].rpartition("/")[2]: part for part in self.status()["components"]}

    def client(self, service: str) -> Any:
        """A boto3 client of the default account's administrator."""
        environment = json.loads(self.state.environment.read_text())
        credentials = self.state.aws / "credentials"
        lines = (line.partition("=") for line in credentials.read_text().splitlines() if "=" in line)
        keys = {name.strip(): value.strip() for name, _, value in lines}
        return boto3.session.Session().client(
            service, region_name=environment["AWS_REGION"], endpoint_url=environment["AWS_ENDPOINT_URL"], **keys
        )

    def create_cluster(self, name: str) -> float:
        """An EKS cluster in the default subnets; the seconds until it was ACTIVE."""
        iam, eks = self.client("iam"), self.client("eks")
        role = iam.create_role(RoleName=f"{name}-service", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]
        iam.attach_role_policy(RoleName=role["RoleName"], PolicyArn="arn:aws:iam::aws:policy/AmazonEKSClusterPolicy")
        subnets = [subnet["SubnetId"] for subnet in self.client("ec2").describe_subnets()["Subnets"]]
        started = time.monotonic()
        eks.create_cluster(
            name=name, version="1.36", roleArn=role["Arn"], resourcesVpcConfig={"subnetIds": subnets[:3]}
        )
        eks.get_waiter("cluster_active").wait(name=name, WaiterConfig={"Delay": 1, "MaxAttempts": 90})
        return time.monotonic() - started


def wait_gone(pids: list[int], seconds: float = 10) -> list[int]:
    """Those of the processes that are still there after a while."""
    deadline = time.monotonic() + seconds
    while (left := [pid for pid in pids if procfs.is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
