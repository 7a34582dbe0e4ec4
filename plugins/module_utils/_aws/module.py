# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The frame of every AWS module of the collection: options, failure, result. Private to the collection."""

from __future__ import annotations

from typing import Any

from ansible_collections.amazon.aws.plugins.module_utils.modules import AnsibleAWSModule

from .._core.errors import EksopsError
from .._core.plan import Plan


def aws_module(argument_spec: dict[str, Any], **settings: Any) -> Any:
    """An AnsibleAWSModule with the connection options of amazon.aws and ours; check mode is always supported."""
    return AnsibleAWSModule(argument_spec=argument_spec, supports_check_mode=True, **settings)


def failure(error: EksopsError) -> dict[str, Any]:
    """The arguments of fail_json for an error: the sentence, and its parts for a program."""
    parts = {"what": error.what, "where": error.where, "allowed": error.allowed, "next_step": error.next_step}
    found: dict[str, Any] = {"msg": str(error), "error": parts}
    for name in ("kind", "code", "missing"):
        if getattr(error, name, None):
            parts[name] = getattr(error, name)
    return found


def planned(plan: Plan) -> dict[str, Any]:
    """The part of a result that every changing module returns, the same in check mode."""
    return {"changed": plan.changed, "diff": plan.diff(), "plan": plan.as_dicts(), "notices": list(plan.notices)}
