"""Waiting for descriptors, also for those with high numbers."""

from __future__ import annotations

import fcntl
import os

from sandbox.process.ready import ready


def test_a_descriptor_beyond_those_of_select() -> None:
    reader, writer = os.pipe()
    high = fcntl.fcntl(reader, fcntl.F_DUPFD, 1024)
    try:
        assert ready([high], 0.01) == []
        os.write(writer, b"x")
        assert set(ready([high, reader], 10)) == {high, reader}
    finally:
        for handle in (reader, writer, high):
            os.close(handle)
