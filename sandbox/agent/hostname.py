"""Runs a program with the host name of its pod, where the kernel lets an ordinary user do so.

A container has its pod's name as host name, and Karpenter signs its leader election lease with it. Used as
``python -m sandbox.agent.hostname NAME PROGRAM ARGUMENT...``; it replaces itself by the program.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path


def _enter(name: str) -> None:
    """A host name of its own in a user namespace that maps this user to itself.

    https://man7.org/linux/man-pages/man7/user_namespaces.7.html
    """
    user, group = os.geteuid(), os.getegid()
    os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWUTS)
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny", encoding="ascii")
    (own / "uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    (own / "gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    socket.sethostname(name)


def main(arguments: list[str]) -> None:
    """Become the program; where namespaces are not allowed, under the machine's own name."""
    name, program, *rest = arguments
    child = os.fork()
    if child == 0:  # the namespaces are tried out by a copy: a half-entered one could not be left again
        try:
            _enter(name)
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        _enter(name)
    os.execv(program, [program, *rest])


if __name__ == "__main__":
    main(sys.argv[1:])
