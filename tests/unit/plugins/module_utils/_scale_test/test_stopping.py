"""Signals are noted and told at the next look; a reader that has gone is seen."""

from __future__ import annotations

import os
import signal

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.stopping import SIGNALS, Stopper, reader_gone


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_stops_the_test_at_its_next_look(number: signal.Signals) -> None:
    former = signal.getsignal(number)
    with Stopper(output=2) as stopper:
        stopper.check()
        os.kill(os.getpid(), number)
        with pytest.raises(EksopsError, match=number.name):
            stopper.check()
        os.kill(os.getpid(), number)  # a second one does not cut the clean-up short
    assert signal.getsignal(number) is former


def test_a_pipe_without_reader_is_seen() -> None:
    reading, writing = os.pipe()
    assert not reader_gone(writing)
    os.close(reading)
    assert reader_gone(writing)
    with Stopper(output=writing) as stopper, pytest.raises(EksopsError, match="has gone"):
        stopper.check()
    os.close(writing)


def test_a_file_has_always_a_reader(tmp_path_factory: pytest.TempPathFactory) -> None:
    with (tmp_path_factory.mktemp("out") / "out").open("w") as file:
        assert not reader_gone(file.fileno())
