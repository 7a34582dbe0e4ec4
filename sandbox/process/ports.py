"""Free loopback ports for children that must be told their port before they bind it."""

from __future__ import annotations

import random
import socket
from pathlib import Path

_FIRST, _LAST = 20000, 32767
_given: set[int] = set()


class PortTakenError(RuntimeError):
    """No free port could be found."""


def _ephemeral_start() -> int:
    """The first port that the kernel hands to outgoing connections; below it nobody takes one by accident."""
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return _LAST + 1


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nothing listens on and that this process has not given out before.

    Another program may still take it before the child binds it: callers start the child again with a new port when
    its log says "address already in use".
    """
    last = min(_LAST, _ephemeral_start() - 1)
    candidates = list(range(_FIRST, last + 1)) if last > _FIRST else []
    random.shuffle(candidates)
    for port in candidates or [0]:
        if port in _given:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            found = int(probe.getsockname()[1])
        _given.add(found)
        return found
    raise PortTakenError("no free TCP port between 20000 and 32767 on 127.0.0.1; stop what holds them")


def kept_port(port: int) -> socket.socket:
    """Holds a port of 127.0.0.1 without listening: connections to it are refused, and no probe finds it free."""
    holder = socket.socket()
    try:
        # Connections of who listened there before may still be winding up.
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", port))
    except BaseException:
        holder.close()
        raise
    return holder
