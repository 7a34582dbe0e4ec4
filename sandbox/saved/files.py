"""Files that are whole or not used: each has a checksum, takes its place at once, and keeps the one before."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

_LOG = logging.getLogger("sandbox.saved")
#: Raise it when what is saved changes its form.
FORMAT = 2
PREVIOUS = ".previous"


class OtherVersionError(RuntimeError):
    """What is saved was written by other versions of the sandbox or of its emulators."""


class TornError(ValueError):
    """The file is not what was written."""


@cache
def versions() -> dict[str, object]:
    """What the bytes depend on: pickles hold the emulators' own objects."""
    return {
        "format": FORMAT,
        "python": sys.implementation.cache_tag,
        "moto": version("moto"),
        "ministack": version("ministack"),
    }


def write(path: Path, content: bytes) -> None:
    """Write the file, private to its user. What was there becomes ``<name>.previous``."""
    head = {"versions": versions(), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(head).encode() + b"\n" + content)
        with contextlib.suppress(FileNotFoundError):
            path.replace(path.with_name(path.name + PREVIOUS))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read(path: Path) -> bytes | None:
    """The newest content that is whole; None when there never was one.

    Raises TornError when no file is whole, OtherVersionError when the whole one is of other versions.
    """
    torn = None
    for candidate in (path, path.with_name(path.name + PREVIOUS)):
        try:
            content = _whole(candidate.read_bytes())
        except FileNotFoundError:
            continue
        except TornError as error:
            torn = error
            _LOG.warning("%s is not whole (%s) and is not used", candidate, error)
            continue
        if candidate != path:
            _LOG.warning("the state before the last is used: %s", candidate)
        return content
    if torn is not None:
        raise TornError(f"neither {path} nor the one before it is whole: {torn}")
    return None


def _whole(data: bytes) -> bytes:
    line, _, content = data.partition(b"\n")
    try:
        head = json.loads(line)
        wanted = head["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise TornError(f"its first line cannot be read: {error}") from error
    if len(content) != head["bytes"] or hashlib.sha256(content).hexdigest() != wanted:
        raise TornError(f"{len(content)} bytes of {head['bytes']}, or other ones")
    if head["versions"] != versions():
        raise OtherVersionError(f"the saved state is of {head['versions']}, this is {versions()}")
    return content


def names(folder: Path) -> list[str]:
    """The files in the folder, those of which only the one before is left too."""
    if not folder.is_dir():
        return []
    found = {entry.name.removesuffix(PREVIOUS) for entry in folder.iterdir() if not entry.name.startswith(".")}
    return sorted(found)
