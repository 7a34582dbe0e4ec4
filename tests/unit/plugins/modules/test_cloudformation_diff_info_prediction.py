"""What role karpenter_iam predicts in check mode, by change set and by the comparison alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.clients import REGION

from .aws_twin import refused
from .conftest import Twin
from .test_karpenter_iam_info import make_stack

ROOT = Path(__file__).parents[4]
PLAY = """
- hosts: demo
  gather_facts: false
  tasks:
    - name: Karpenter's IAM
      ansible.builtin.import_role:
        name: eksops.karpenter.karpenter_iam
"""


class Playbook:
    """Runs the role in the twin's account, in processes of its own as users do."""

    def __init__(self, twin: Twin, folder: Path) -> None:
        self._twin, self._folder = twin, folder
        (folder / "play.yml").write_text(PLAY)
        host = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": {"demo": host}}}))

    def run(self, *arguments: str, **variables: Any) -> str:
        """The output of a run that succeeds."""
        keys = self._twin.account.credentials
        given = {"eksops_cluster_name": "demo", "eksops_region": REGION, **variables}
        done = subprocess.run(
            [
                *(sys.executable, "-m", "ansible", "playbook"),
                *("-i", str(self._folder / "hosts.json"), str(self._folder / "play.yml")),
                *("--extra-vars", json.dumps(given), *arguments),
            ],
            cwd=ROOT,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "ANSIBLE_"))},
                "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
                "AWS_ACCESS_KEY_ID": keys.access_key_id,
                "AWS_SECRET_ACCESS_KEY": keys.secret_access_key,
                "AWS_ENDPOINT_URL": self._twin.front.url,
                "AWS_REGION": REGION,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def written(self) -> list[str]:
        """The changing calls of the account so far, in order."""
        entries = self._twin.front.log.select(
            lambda entry: entry.account == self._twin.account.account_id and entry.mutating
        )
        return [f"{entry.service}:{entry.action}" for entry in entries]


@pytest.fixture
def playbook(twin: Twin, tmp_path: Path) -> Playbook:
    return Playbook(twin, tmp_path)


def test_an_existing_stack_that_differs(twin: Twin, playbook: Playbook) -> None:
    """By a change set that is made and deleted; by the comparison alone for who may only read. Both say the same."""
    make_stack(twin)
    twin.boto("iam").create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    before = playbook.written()

    predicted = playbook.run("--check", eksops_tags={"team": "a"})
    assert playbook.written()[len(before) :] == ["cloudformation:CreateChangeSet", "cloudformation:DeleteChangeSet"]
    assert "changed=1" in predicted
    assert "rescued=0" in predicted

    with refused(twin, "cloudformation", "CreateChangeSet", "DeleteChangeSet"):
        fallen_back = playbook.run("--check", eksops_tags={"team": "a"})
    assert "may not make a change set" in fallen_back
    assert "add tag team" in fallen_back
    assert "changed=1" in fallen_back
    assert "failed=0" in fallen_back
