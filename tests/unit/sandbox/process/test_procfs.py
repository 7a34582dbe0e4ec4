"""What is read from /proc is what the kernel means."""

from __future__ import annotations

import os
import socket

import pytest

from sandbox.process import procfs


def test_a_process_is_recognised_by_its_start_time() -> None:
    ticks = procfs.start_time(os.getpid())
    assert ticks is not None
    assert procfs.is_running(os.getpid(), ticks)
    assert not procfs.is_running(os.getpid(), ticks + 1), "another process that got the same pid later"


def test_a_process_that_is_gone_has_nothing() -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    assert procfs.start_time(child) is None
    assert procfs.environment(child) == {}
    assert procfs.resident_bytes(child) == 0
    assert not procfs.is_running(child)


def test_memory_is_in_bytes() -> None:
    assert procfs.resident_bytes(os.getpid()) > 2**20
    assert procfs.available_memory_bytes() > 2**20


@pytest.mark.parametrize(
    ("family", "address", "loopback"),
    [
        (socket.AF_INET, "127.0.0.1", True),
        (socket.AF_INET, "0.0.0.0", False),
        (socket.AF_INET6, "::1", True),
        (socket.AF_INET6, "::", False),
    ],
)
def test_listeners_are_found_with_their_address(family: socket.AddressFamily, address: str, loopback: bool) -> None:
    with socket.socket(family) as listening:
        listening.bind((address, 0))
        place = (address, listening.getsockname()[1])
        # Another address of this process may have the same port.
        assert place not in {(one.address, one.port) for one in procfs.listeners([os.getpid()])}, "bound, not listening"
        listening.listen()
        [found] = [one for one in procfs.listeners([os.getpid()]) if (one.address, one.port) == place]
    assert (found.pid, found.address, found.loopback) == (os.getpid(), address, loopback)
