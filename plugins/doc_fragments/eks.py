# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation that the EKS modules share."""

from __future__ import annotations


class ModuleDocFragment:
    """Options by concern."""

    CLUSTER = r"""
options:
  cluster_name:
    description: Name of the cluster.
    type: str
    required: true
"""

    ITEMS = r"""
options:
  state:
    description: Whether what the list names is to be there.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - With O(state=present), whether what is not in the list is deleted.
      - With O(state=absent), whether all of the cluster is deleted, not only what is in the list.
    type: bool
    default: false
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
