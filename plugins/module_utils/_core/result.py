# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What modules answer: the arguments of fail_json and the common part of exit_json. Pure. Private to the collection."""

from __future__ import annotations

from typing import Any

from .errors import EksopsError
from .plan import Plan


def failure(error: EksopsError) -> dict[str, Any]:
    """The arguments of fail_json for an error: the sentence, and its parts for a program."""
    parts: dict[str, Any] = {
        "what": error.what,
        "where": error.where,
        "allowed": error.allowed,
        "next_step": error.next_step,
    }
    for name in ("kind", "code", "missing"):
        if getattr(error, name, None):
            parts[name] = getattr(error, name)
    return {"msg": str(error), "error": parts}


def planned(plan: Plan) -> dict[str, Any]:
    """The part of a result that every changing module returns, the same in check mode."""
    return {"changed": plan.changed, "diff": plan.diff(), "plan": plan.as_dicts(), "notices": list(plan.notices)}
