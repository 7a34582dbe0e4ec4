# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Runs the module eks_nodegroup and shows its progress."""

from __future__ import annotations

from ..plugin_utils._progress import ProgressAction


class ActionModule(ProgressAction):
    """See plugins/plugin_utils/_progress.py."""
