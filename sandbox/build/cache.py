"""Where binaries and charts are kept: by version in the user's cache, shared by every checkout."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sandbox.build.tools import Tool


def cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """``$XDG_CACHE_HOME/eksops-karpenter``, by default below ``~/.cache``."""
    base = environ.get("XDG_CACHE_HOME")
    # The specification says: a relative path is invalid and to be ignored.
    # https://specifications.freedesktop.org/basedir-spec/latest/
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "eksops-karpenter"


def binary_path(cache: Path, tool: Tool) -> Path:
    """Where the built binary of ``tool`` lies."""
    return cache / "bin" / tool.folder / tool.name


def recipe_path(cache: Path, tool: Tool) -> Path:
    """The file that says by which recipe the binary beside it was built."""
    return cache / "bin" / tool.folder / "recipe"


def is_built(cache: Path, tool: Tool) -> bool:
    """Whether the binary is there, finished, and made by the present recipe."""
    binary, recipe = binary_path(cache, tool), recipe_path(cache, tool)
    return os.access(binary, os.X_OK) and recipe.exists() and recipe.read_text(encoding="ascii").strip() == tool.recipe


def keep(cache: Path, tool: Tool, fresh: Path) -> Path:
    """Move a finished binary to its place: whoever looks sees the old one, the new one, or none, never half of one."""
    target = binary_path(cache, tool)
    recipe_path(cache, tool).unlink(missing_ok=True)
    fresh.chmod(0o755)
    fresh.replace(target)
    recipe_path(cache, tool).write_text(tool.recipe + "\n", encoding="ascii")
    return target


@contextmanager
def build_lock(cache: Path) -> Iterator[bool]:
    """Held while something is built into this cache; the value says whether another build had to be waited for."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RuntimeError(
            f"built programs cannot be kept in {cache}: {error.strerror}; set XDG_CACHE_HOME to a folder that this user may write"
        ) from error
    with (cache / "build.lock").open("w", encoding="ascii") as file:
        waited = False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = True
            print("another build is running in this cache; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield waited
