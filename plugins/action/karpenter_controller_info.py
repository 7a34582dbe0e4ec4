# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Shows the progress of module karpenter_controller_info."""

from __future__ import annotations

from ..plugin_utils._progress import ProgressAction


class ActionModule(ProgressAction):
    """The module, with its progress shown."""
