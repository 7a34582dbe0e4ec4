# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The frame of every AWS module of the collection. Private to the collection."""

from __future__ import annotations

from typing import Any

from ansible_collections.amazon.aws.plugins.module_utils.modules import AnsibleAWSModule

from .._core.result import failure, planned

__all__ = ["aws_module", "failure", "planned"]


def aws_module(argument_spec: dict[str, Any], **settings: Any) -> Any:
    """An AnsibleAWSModule with the connection options of amazon.aws and ours; check mode is always supported."""
    return AnsibleAWSModule(argument_spec=argument_spec, supports_check_mode=True, **settings)
