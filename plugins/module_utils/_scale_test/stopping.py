# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Being told to stop: signals, and a playbook that has gone. Private to the collection."""

from __future__ import annotations

import os
import select
import signal
import stat
from types import FrameType
from typing import Any

from .._core.errors import EksopsError

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Stopper:
    """While it is entered, signals are noted instead of ending the process, so that clean-up is never cut short.

    A handler that raises could do so in the middle of the clean-up; one that notes is asked at every look.
    """

    def __init__(self, output: int = 1) -> None:
        self._signal: int | None = None
        self._former: dict[int, Any] = {}
        self._output = output

    def __enter__(self) -> Stopper:
        for number in SIGNALS:
            self._former[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raises EksopsError when it is time to stop."""
        if self._signal is not None:
            raise EksopsError(f"The scale test was stopped by {signal.Signals(self._signal).name}")
        if reader_gone(self._output):
            raise EksopsError("The playbook that started the scale test has gone")

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._signal = number


def reader_gone(descriptor: int) -> bool:
    """Whether a pipe has nobody at its other end any more: Ansible, which reads a module's result, was killed."""
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return False
    except OSError:
        return True
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _descriptor, event in poll.poll(0))
