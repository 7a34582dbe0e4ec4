"""Runs playbooks against an account of the running sandbox, and asks the sandbox what came of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import botocore.session

from sandbox.state import State, read_json

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = "demo"


@dataclass(frozen=True)
class Run:
    """A finished run of ansible-playbook. ``changed``: host and task of everything that changed."""

    code: int
    output: str
    changed: list[list[str]]

    def must_succeed(self) -> Run:
        """Itself; an AssertionError with the end of the output when the run failed."""
        assert self.code == 0, self.output[-6000:]
        return self


@dataclass
class Account:
    """One account of the sandbox."""

    name: str
    state: State
    folder: Path
    environment: dict[str, str] = field(init=False)
    account_id: str = field(init=False)

    def __post_init__(self) -> None:
        made = subprocess.run(
            [".venv/bin/python", "-m", "sandbox", "account", self.name],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stderr
        self.environment = dict(read_json(self.state.accounts / self.name / "environment.json") or {})
        self.account_id = re.findall(r"\b\d{12}\b", made.stdout)[0]

    # Playbooks

    def command(self, playbook: str, *arguments: str, inventory: str = "inventories/sandbox") -> list[str]:
        """The command line that a user would type."""
        return [".venv/bin/ansible-playbook", "-i", inventory, playbook, *arguments]

    def variables(self) -> dict[str, str]:
        """The environment of a run: this account, and the recorder of changed tasks."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "molecule/_shared/callback"),
            "ANSIBLE_CALLBACKS_ENABLED": "run_recorder",
            "EKSOPS_RUN_RECORDS": str(self.folder / "runs.jsonl"),
            "EKSOPS_SANDBOX_ACCOUNT": self.name,
            "EKSOPS_SANDBOX_DIR": str(self.state.root),
        }

    def run(
        self,
        playbook: str,
        *arguments: str,
        inventory: str = "inventories/sandbox",
        environment: Mapping[str, str] | None = None,
        limit_seconds: float = 900,
    ) -> Run:
        """Run a playbook to its end. ``environment``: what the caller's shell has besides."""
        records = self.folder / "runs.jsonl"
        records.unlink(missing_ok=True)
        done = subprocess.run(
            self.command(playbook, *arguments, inventory=inventory),
            cwd=ROOT,
            env={**self.variables(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_seconds,
        )
        lines = records.read_text(encoding="utf-8").splitlines() if records.exists() else []
        changed = [entry for line in lines for entry in json.loads(line)["changed"]]
        return Run(done.returncode, done.stdout + done.stderr, changed)

    def kill_during(self, playbook: str, task: str, delay_seconds: float, *arguments: str) -> bool:
        """Start a playbook and SIGKILL all of it ``delay_seconds`` after a task that matches ``task`` began.

        False when the playbook ended before that.
        """
        process = subprocess.Popen(
            self.command(playbook, *arguments),
            cwd=ROOT,
            # A task is announced when it begins, and not with its first result, only when skipped ones are shown.
            env={**self.variables(), "PYTHONUNBUFFERED": "1", "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "true"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        with process.stdout as output:
            reached = any(re.search(rf"^TASK \[.*{task}", line) for line in output)
            if reached:
                time.sleep(delay_seconds)
                reached = process.poll() is None
                kill_tree(process.pid)
        process.wait()
        return reached

    # What came of it

    def ask(self, route: str, **query: str) -> Any:
        """What the sandbox itself says about this account, on one of its own routes."""
        description = read_json(self.state.description)
        assert description is not None, "the sandbox does not run: make sandbox-up"
        parameters = urllib.parse.urlencode({"account": self.account_id, **query})
        request = urllib.request.Request(
            f"{description['front_url']}/_sandbox/{route}?{parameters}",
            headers={"X-Sandbox-Token": description["admin_token"]},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as answer:
            return json.load(answer)

    def listing(self) -> dict[str, dict[str, list[str]]]:
        """Everything in the account, but for the service-linked role of Spot, which stays by design."""
        found: dict[str, dict[str, list[str]]] = self.ask("listing")
        roles = found.get("global", {}).get("iam:role", [])
        left = [role for role in roles if not role.endswith("/AWSServiceRoleForEC2Spot")]
        found["global"] = {**found.get("global", {}), "iam:role": left}
        filled = {region: {kind: names for kind, names in kinds.items() if names} for region, kinds in found.items()}
        return {region: kinds for region, kinds in filled.items() if kinds}

    def lasting(self) -> dict[str, dict[str, list[str]]]:
        """The listing without what Karpenter removes in its own time: the launch templates of nodes that have gone."""
        return {
            region: {
                kind: [name for name in names if not name.startswith("lt-")]
                for kind, names in kinds.items()
                if kind != "ec2:launch-template"
            }
            for region, kinds in self.listing().items()
        }

    def writes(self, since: float) -> list[str]:
        """The writes that a principal, not an AWS service, made since a moment, as ``service:action``."""
        calls = self.ask("calls", since=str(since), mutating="true")
        return [f"{call['service']}:{call['action']}" for call in calls if self._is_ours(call)]

    @staticmethod
    def _is_ours(call: dict[str, Any]) -> bool:
        return (
            not call["is_aws_service"] and not call["error"] and ":assumed-role/" not in (call["principal_arn"] or "")
        )

    def client(self, service: str) -> Any:
        """A boto3 client of this account's administrator, as ``aws`` in the account's environment would be."""
        values = self.environment
        session = botocore.session.Session(profile=values["AWS_PROFILE"])
        session.set_config_variable("credentials_file", values["AWS_SHARED_CREDENTIALS_FILE"])
        session.set_config_variable("config_file", values["AWS_CONFIG_FILE"])
        return session.create_client(service, region_name=values["AWS_REGION"], endpoint_url=values["AWS_ENDPOINT_URL"])

    def kubectl(self, *arguments: str, limit_seconds: float = 120) -> str:
        """The output of kubectl with the kubeconfig that the playbook wrote."""
        description = read_json(self.state.description)
        assert description is not None
        kubeconfig = self.state.root / "kubeconfigs" / f"{self.name}-{CLUSTER}.json"
        done = subprocess.run(
            [f"{description['binary_dir']}/kubectl", "--kubeconfig", str(kubeconfig), *arguments],
            env={**self.variables(), **self.environment},
            capture_output=True,
            text=True,
            timeout=limit_seconds,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def objects(self, *kinds: str) -> list[dict[str, Any]]:
        """Objects of the cluster, from all namespaces."""
        items: list[dict[str, Any]] = json.loads(self.kubectl("get", ",".join(kinds), "-A", "-o", "json"))["items"]
        return items


def descendants(pid: int) -> list[int]:
    """A process and everything below it, also what has a session of its own."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found


def kill_tree(pid: int) -> None:
    """SIGKILL a process and everything below it."""
    for one in descendants(pid):
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            continue
