"""Reads the build information that the Go linker puts into a binary (what ``go version -m`` prints), without Go.

Format: the package documentation and source of Go's ``debug/buildinfo`` (https://pkg.go.dev/debug/buildinfo): a
16-byte magic, 16 more bytes of header, then two strings, each after its length as a varint: Go's version and the
modules. The second one stands between two 16-byte sentinels.
"""

from __future__ import annotations

import mmap
from pathlib import Path

_MAGIC = b"\xff Go buildinf:"
_HEADER_BYTES = 32
_SENTINEL_BYTES = 16
_INLINE_STRINGS = 2


def _varint(data: mmap.mmap, offset: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, offset
        shift += 7


def _string(data: mmap.mmap, offset: int) -> tuple[bytes, int]:
    length, offset = _varint(data, offset)
    return data[offset : offset + length], offset + length


def module_lines(path: Path) -> list[str]:
    """The lines of a binary's module information (``path``, ``mod``, ``dep``, ``build``); empty when it has none."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = data.find(_MAGIC)
        if start < 0 or start + _HEADER_BYTES >= len(data) or not data[start + 15] & _INLINE_STRINGS:
            return []
        _, offset = _string(data, start + _HEADER_BYTES)
        text, _ = _string(data, offset)
        return text[_SENTINEL_BYTES:-_SENTINEL_BYTES].decode("utf-8", errors="replace").splitlines()


def main_version(path: Path) -> str:
    """What the binary says about the version of its main module: the ``mod`` line and the linker's flags."""
    return "\n".join(line for line in module_lines(path) if line.startswith(("mod\t", "build\t-ldflags")))
