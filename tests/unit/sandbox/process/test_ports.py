"""Ports that are given out are free and never given out twice."""

from __future__ import annotations

import contextlib
import socket

import pytest

from sandbox.process import PortTakenError, free_port, kept_port, ports


def test_ports_differ_and_can_be_bound() -> None:
    found = [free_port() for _ in range(20)]
    assert len(set(found)) == 20
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", found[0]))


def _with_a_free_one_behind() -> socket.socket:
    """A socket with a port, whose next port nobody has."""
    for port in range(29000, 32000):
        with socket.socket() as behind, contextlib.suppress(OSError), contextlib.ExitStack() as undo:
            behind.bind(("127.0.0.1", port + 1))
            found = undo.enter_context(socket.socket())
            found.bind(("127.0.0.1", port))
            undo.pop_all()
            return found
    raise AssertionError("no two free ports in a row")


def test_a_port_in_use_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with _with_a_free_one_behind() as listening:
        listening.listen()
        taken = listening.getsockname()[1]
        # A range of two ports, the first of which somebody has; the second one may be given once only.
        monkeypatch.setattr(ports, "_FIRST", taken)
        monkeypatch.setattr(ports, "_LAST", taken + 1)
        monkeypatch.setattr(ports, "_ephemeral_start", lambda: 65536)
        assert free_port() == taken + 1
        with pytest.raises(PortTakenError):
            free_port()


def test_a_kept_port_refuses_connections_and_is_not_found_free() -> None:
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as every server written in Go
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = int(listening.getsockname()[1])
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            listening.accept()[0].close()
    with kept_port(port):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=5)
        with socket.socket() as probe, pytest.raises(OSError, match="in use"):
            probe.bind(("127.0.0.1", port))
