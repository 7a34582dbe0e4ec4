"""Where a run of site.yml can be killed: the tasks that write or wait, by role, as the roles' files have them."""

from __future__ import annotations

import re

from tests.acceptance.job import ROOT

ROLES = (
    "eks_preflight",
    "karpenter_iam",
    "eks_network",
    "eks_cluster",
    "karpenter_install",
    "karpenter_nodepool",
    "karpenter_scale_test",
)
# Calls of a module of ours that is no _info, or of a writing module of others.
_WRITES = re.compile(
    r"^\s+(?:eksops\.karpenter\.(?!\w+_info:)\w+|amazon\.aws\.cloudformation|kubernetes\.core\.helm):", re.MULTILINE
)
_TASK = re.compile(r"^TASK \[(?:eksops\.karpenter\.)?(\w+) : (.+?)\] \**$", re.MULTILINE)


def writes_and_waits(role: str) -> set[str]:
    """The names of a role's tasks that write or wait."""
    found = set()
    for path in (ROOT / "roles" / role / "tasks").glob("*.yml"):
        for block in re.split(r"^\s*- name: ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name, _, body = block.partition("\n")
            if _WRITES.search(body):
                found.add(name.strip())
    return found


def task_pattern(role: str) -> str:
    """A regular expression of the first place to kill in a role: a write or wait, or any task where there is none."""
    names = "|".join(re.escape(name) for name in sorted(writes_and_waits(role)))
    return rf"\b{role} : (?:{names})" if names else rf"\b{role} : "


def of_run(output: str) -> list[str]:
    """The writes and waits of a run, in its order, as ``role : name``."""
    known = {role: writes_and_waits(role) for role in ROLES}
    tasks = [(role, name) for role, name in _TASK.findall(output) if name in known.get(role, set())]
    return list(dict.fromkeys(f"{role} : {name}" for role, name in tasks))
