# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation that the EKS modules share."""

from __future__ import annotations


class ModuleDocFragment:
    """Options and attributes by concern."""

    CLUSTER = r"""
options:
  cluster_name:
    description: Name of the cluster.
    type: str
    required: true
"""

    WAIT = r"""
options:
  wait:
    description:
      - Whether to wait until what was started has come to its end, here or in a run before this one.
      - Without it the module returns as soon as EKS has taken the request.
    type: bool
    default: true
  wait_timeout_seconds:
    description: How long each single wait may take, in seconds.
    type: int
    default: 2400
"""

    PROGRESS = r"""
options:
  progress_path:
    description:
      - A private file to which the module appends its progress, one JSON document a line.
      - The module's action plugin sets it and shows the lines while the module runs.
    type: path
"""

    ATTRIBUTES = r"""
attributes:
  check_mode:
    description: Says what it would do, from reads alone. Works without a cluster too.
    support: full
  diff_mode:
    description: Shows the plan, one document per write.
    support: full
  idempotent:
    description: A second run with the same options and an unchanged cluster writes nothing.
    support: full
"""
