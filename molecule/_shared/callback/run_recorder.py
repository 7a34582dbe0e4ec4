# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Records of each playbook run which tasks changed something, so that scenarios can compare predictions with runs."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from ansible import context
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: run_recorder
type: notification
short_description: Record the changed tasks of each run as one line of JSON
description:
  - Appends an object with the keys C(playbook), C(check), C(changed), C(started) and C(ended) to the file named by
    E(EKSOPS_RUN_RECORDS).
  - An entry of C(changed) is a host and a task's name; a loop counts as one task. Moments are seconds since the epoch.
  - At the start of each play the same object is written to C(running.json) beside that file, so that the last play of
    a run can look at what the plays before it have changed.
"""


class CallbackModule(CallbackBase):
    """One instance lives through one run of ansible-playbook."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "run_recorder"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._playbook = ""
        self._started = time.time()
        self._changed: list[list[str]] = []

    def v2_playbook_on_start(self, playbook: Any) -> None:
        self._playbook = Path(playbook._file_name).name

    def v2_runner_on_ok(self, result: Any) -> None:
        if result.result.get("changed"):
            self._changed.append([result.host.get_name(), result.task.get_name()])

    def v2_playbook_on_play_start(self, play: Any) -> None:
        if target := self._target():
            target.with_name("running.json").write_text(self._record(), encoding="utf-8")

    def v2_playbook_on_stats(self, stats: Any) -> None:
        if target := self._target():
            with target.open("a", encoding="utf-8") as file:
                file.write(self._record() + "\n")

    @staticmethod
    def _target() -> Path | None:
        """The file to append to, its folder made."""
        name = os.environ.get("EKSOPS_RUN_RECORDS")
        if not name:
            return None
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        return Path(name)

    def _record(self) -> str:
        record = {"playbook": self._playbook, "check": bool(context.CLIARGS["check"]), "changed": self._changed}
        return json.dumps({**record, "started": self._started, "ended": time.time()})
