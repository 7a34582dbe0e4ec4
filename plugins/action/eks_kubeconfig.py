# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Tells the module eks_kubeconfig where the collection's credential script is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.vars import merge_hash

SCRIPT = Path(__file__).resolve().parents[1] / "module_utils" / "_kubeconfig" / "exec_credential.py"


class ActionModule(ActionBase):  # type: ignore[misc]  # ansible-core has no type information
    """Runs the module; only here is it known where the collection lies, a module runs from a copy."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the module with ``script`` filled in; returns its result."""
        result = super().run(tmp, task_vars)
        arguments = {"script": str(SCRIPT), **self._task.args}
        merged: dict[str, Any] = merge_hash(result, self._execute_module(module_args=arguments, task_vars=task_vars))
        self._remove_tmp_path(self._connection._shell.tmpdir)
        return merged
