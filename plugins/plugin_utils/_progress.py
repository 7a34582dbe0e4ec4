# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The action behind every long module: shows the module's progress while it runs. Private to the collection.

An action plugin is two lines: ``class ActionModule(ProgressAction): pass`` in ``plugins/action/<module>.py``.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible import constants as ansible_constants
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils._core.progress import OPTION, Event

POLL_SECONDS = 0.25
QUIET_SECONDS = 5.0
"""At the default verbosity the same phase with the same count is told at most this often."""

constants: Any = ansible_constants  # its names are made at run time
display = Display()


class Filter:
    """Decides which events are shown: all with ``-v``, else news at once and the rest now and then."""

    def __init__(self, everything: bool) -> None:
        self._everything = everything
        self._last: dict[tuple[str, int | None, int | None], tuple[float, str]] = {}

    def wants(self, event: Event) -> bool:
        """Whether the event is to be shown."""
        key = (event.phase, event.done, event.total)
        seen = self._last.get(key)
        counted = event.done is not None
        news = seen is None or (not counted and seen[1] != event.message)
        if self._everything or news or (seen is not None and event.elapsed_seconds - seen[0] >= QUIET_SECONDS):
            self._last[key] = (event.elapsed_seconds, event.message)
            return True
        return False


class Tail(threading.Thread):
    """Reads complete lines of a growing file and hands the events on, until ``stop``."""

    def __init__(self, descriptor: int, show: Callable[[Event], None], poll_seconds: float = POLL_SECONDS) -> None:
        super().__init__(daemon=True, name="progress")
        self._descriptor = descriptor
        self._show = show
        self._poll_seconds = poll_seconds
        self._done = threading.Event()
        self._rest = b""

    def run(self) -> None:
        """Poll the file; the last read comes after the end of the module, so nothing is lost."""
        while not self._done.wait(self._poll_seconds):
            self._drain()
        self._drain()

    def stop(self) -> None:
        """Show what is left and end."""
        self._done.set()
        self.join()

    def _drain(self) -> None:
        while chunk := os.read(self._descriptor, 65536):
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                event = Event.decode(line)
                if event is not None:
                    self._show(event)


class ProgressAction(ActionBase):  # type: ignore[misc]  # ansible-core has no type information
    """Runs the module of the task's own name and shows its progress.

    Nothing is shown, and the module just runs, where no one could read along: with ``no_log``, with ``async``,
    over a connection to another machine, or as another user; also when the caller asked for the file themselves.
    """

    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the module; returns its result as the module gave it."""
        result = super().run(tmp, task_vars)
        wrap_async = bool(self._task.async_val)
        arguments = dict(self._task.args)
        with self._shown(arguments, wrap_async, (task_vars or {}).get("inventory_hostname")):
            module_result = self._execute_module(module_args=arguments, task_vars=task_vars, wrap_async=wrap_async)
        merged: dict[str, Any] = result | module_result
        return merged

    @contextmanager
    def _shown(self, arguments: dict[str, Any], wrap_async: bool, host: str | None) -> Iterator[None]:
        if not self._readable(arguments, wrap_async):
            yield
            return
        # Below the run's own private folder: removed by Ansible at its end, even if this worker is killed.
        descriptor, path = tempfile.mkstemp(prefix="progress-", dir=constants.DEFAULT_LOCAL_TMP)
        tail = Tail(descriptor, _printer(host, Filter(display.verbosity > 0)))
        tail.start()
        arguments[OPTION] = path
        try:
            yield
        finally:
            tail.stop()
            os.close(descriptor)
            Path(path).unlink()

    def _readable(self, arguments: dict[str, Any], wrap_async: bool) -> bool:
        return not (
            wrap_async
            or self._task.no_log
            or arguments.get(OPTION)
            or self._connection.transport != "local"
            or self._connection.become
        )


def _printer(host: str | None, wanted: Filter) -> Callable[[Event], None]:
    prefix = f"{host} " if host else ""

    def show(event: Event) -> None:
        if wanted.wants(event):
            display.display(f"{prefix}{event.render()}", color=constants.COLOR_VERBOSE)

    return show
