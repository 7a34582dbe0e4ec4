# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Are the needed tools and Python libraries there, and new enough. Private to the collection."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

from .._core.errors import EksopsError
from .._versions.data import MINIMUM_PYTHON, PYTHON_LIBRARIES, TOOLS, Requirement
from .._versions.parse import dotted, tool_version
from .model import Finding, Outcome

# module.run_command: (return code, standard output, standard error)
RunCommand = Callable[[list[str]], tuple[int, str, str]]
_VERSION_ARGUMENTS = {"helm": ["version", "--short"]}
_INSTALL = {"helm": "https://helm.sh/docs/intro/install/"}


def find_tool(name: str, binary_dir: str | None) -> str | None:
    """The path of a tool: in the given folder first, then on PATH."""
    if binary_dir:
        candidate = Path(binary_dir).expanduser() / name
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    return shutil.which(name)


def check_tools(names: Iterable[str], binary_dir: str | None, run_command: RunCommand) -> Outcome:
    """Each needed tool: found where, in which version, and is that enough. Raises EksopsError for an unknown name."""
    rows, findings = [], []
    for name in names:
        if name not in TOOLS:
            raise EksopsError(f"No role needs a tool called {name!r}", allowed=", ".join(TOOLS))
        path = find_tool(name, binary_dir)
        version = _version(name, path, run_command) if path else None
        problem = _tool_problem(TOOLS[name], path, version)
        rows.append(
            {
                "name": name,
                "path": path,
                "version": version,
                "minimum": TOOLS[name].minimum,
                "ok": problem is None,
                "why": TOOLS[name].why,
            }
        )
        if problem:
            findings.append(problem)
    return Outcome({"tools": rows}, tuple(findings))


def _version(name: str, path: str, run_command: RunCommand) -> str | None:
    code, out, err = run_command([path, *_VERSION_ARGUMENTS[name]])
    found = tool_version(f"{out}\n{err}") if code == 0 else None
    return dotted(found) if found else None


def _tool_problem(requirement: Requirement, path: str | None, version: str | None) -> Finding | None:
    name, minimum = requirement.name, requirement.minimum
    allowed = f"{name} {minimum} or newer: {requirement.why}"
    install = f"install it ({_INSTALL[name]}), or set eksops_binary_dir to the folder that holds it"
    if path is None:
        return Finding("tools", "error", f"{name} is not installed", "PATH, eksops_binary_dir", allowed, install)
    if version is None:
        return Finding("tools", "error", f"{name} does not tell its version", path, allowed, install)
    if (tool_version(version) or (0, 0, 0)) < (tool_version(minimum) or (0, 0, 0)):
        return Finding("tools", "error", f"{name} {version} is too old", path, allowed, install)
    return None


def check_python(libraries: Iterable[str], installed: Callable[[str], str] = metadata.version) -> Outcome:
    """The interpreter that runs the modules, and its libraries."""
    found = tuple(int(part) for part in platform.python_version_tuple()[:2])
    rows: list[dict[str, str | None]] = [
        {"name": "python", "version": platform.python_version(), "minimum": dotted(MINIMUM_PYTHON)}
    ]
    findings = []
    if found < MINIMUM_PYTHON:
        what = f"Python {platform.python_version()} is too old"
        step = "let ansible_python_interpreter point to a newer one"
        findings.append(Finding("python", "error", what, allowed=f"{dotted(MINIMUM_PYTHON)} or newer", next_step=step))
    for name in libraries:
        requirement = PYTHON_LIBRARIES[name]
        try:
            version = installed(name)
        except metadata.PackageNotFoundError:
            version = ""
        rows.append({"name": name, "version": version or None, "minimum": requirement.minimum})
        if (tool_version(version) or (0, 0, 0)) < (tool_version(requirement.minimum) or (0, 0, 0)):
            findings.append(_library_problem(requirement, version))
    return Outcome({"python": rows}, tuple(findings))


def _library_problem(requirement: Requirement, version: str) -> Finding:
    state = f"{version} is too old" if version else "is not installed"
    return Finding(
        "python",
        "error",
        f"Python library {requirement.name} {state}",
        where="the interpreter of ansible_python_interpreter",
        allowed=f"{requirement.minimum} or newer: {requirement.why}",
        next_step=f"pip install '{requirement.name}>={requirement.minimum}' for that interpreter",
    )
