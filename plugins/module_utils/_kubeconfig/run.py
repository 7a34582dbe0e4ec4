# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read, plan, apply, show: the module eks_kubeconfig without its options. Private to the collection."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan
from .._core.result import planned
from .model import MODE, Found, KubeconfigSpec
from .plan import absent_plan, present_plan


def run(spec: KubeconfigSpec, state: str, *, check_mode: bool) -> dict[str, Any]:
    """Bring the file into the state; returns what the module returns. Raises EksopsError."""
    path = Path(spec.path)
    found = read(path)
    if state == "present":
        check_programs(spec)
        plan = present_plan(spec, found, predict=check_mode)
    else:
        plan = absent_plan(spec.path, found)
    if not check_mode:
        apply(plan, spec, path)
    return {
        **planned(plan),
        "path": str(path),
        "context": spec.context or spec.cluster_name,
        "exists": path.exists(),
    }


def read(path: Path) -> Found | None:
    """The file at the path. Raises EksopsError when it cannot be read."""
    try:
        with path.open(encoding="utf-8") as file:
            return Found(file.read(), stat.S_IMODE(os.fstat(file.fileno()).st_mode))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise EksopsError(f"{path} cannot be read: {error}", where="path") from error


def check_programs(spec: KubeconfigSpec) -> None:
    """Raise EksopsError when interpreter or script are not where the file would say they are."""
    for option, value in (("interpreter", spec.interpreter), ("script", spec.script)):
        if not Path(value).is_absolute() or not Path(value).is_file():
            raise EksopsError(
                f"{value!r} is no file with an absolute path",
                where=option,
                next_step="leave the option out, and run the module on the machine that has the collection",
            )


def apply(plan: Plan, spec: KubeconfigSpec, path: Path) -> None:
    """Carry the plan out. Raises EksopsError when the file system refuses."""
    try:
        for step in plan.steps:
            if step.action == "delete":
                path.unlink(missing_ok=True)
            else:
                _write(path, spec.text())
    except OSError as error:
        raise EksopsError(f"{path} cannot be written: {error}", where="path") from error


def _write(path: Path, text: str) -> None:
    """All or nothing, never readable for others: a reader at the same time sees the old file or the new one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(MODE)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
