# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation that the modules of a cluster's own API share."""

from __future__ import annotations


class ModuleDocFragment:
    """How the cluster is reached."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description: Path of the kubeconfig of the cluster; M(eksops.karpenter.eks_kubeconfig) writes one.
    type: path
    required: true
  context:
    description: Context of the kubeconfig. By default its current one.
    type: str
"""
