# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Can the kubeconfig be written, which happens long after the first write. Private to the collection."""

from __future__ import annotations

import os
from pathlib import Path

from .._core.errors import EksopsError
from .._kubeconfig.run import read
from .model import Finding, Outcome

_WHERE = "eksops_kubeconfig"
_NEXT = "set eksops_kubeconfig to a file in a folder that this user may write"


def check_kubeconfig(path: str | None) -> Outcome:
    """The file is not there, or ours; and its folder, or the one in which that would be made, can be written."""
    if not path:
        return Outcome()
    file = Path(path).expanduser()
    try:
        problem = _problem(file)
    except OSError as error:
        problem = str(error)
    if problem is None:
        return Outcome()
    return Outcome(findings=(Finding("kubeconfig", "error", problem, _WHERE, None, _NEXT),))


def _problem(file: Path) -> str | None:
    if file.is_dir():
        return f"The kubeconfig {file} is a folder"
    folder = file.parent
    while not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        return f"The kubeconfig {file} cannot be written: {folder} is no folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"The kubeconfig {file} cannot be written: this user may not write in {folder}"
    try:
        found = read(file)
    except EksopsError as error:
        return error.what
    if found is not None and not found.ours:
        return f"The kubeconfig {file} was not written by this collection, and is left alone"
    return None
