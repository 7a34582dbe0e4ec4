#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module karpenter_controller_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: karpenter_controller_info
short_description: Tell whether Karpenter's controller works, and why not
version_added: 0.1.0
description:
  - Reads the Helm releases, the definitions (CRDs), the Deployment, its pods, their log and metrics, and the Lease of
    the leader.
  - Answers the questions of the install gate from them. Each answer is pass, fail or inconclusive and leads to the
    cause.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  namespace:
    description: Namespace of the controller.
    type: str
    default: kube-system
  cluster_name:
    description: Name of the cluster that the controller should work for.
    type: str
    required: true
  interruption_queue:
    description: Name of the queue that it should read. Without it, whatever queue it reads is right.
    type: str
  karpenter_version:
    description: Version that should run, without a leading C(v). Without it, any is right.
    type: str
  wait:
    description:
      - Whether to look again until every check passes, until a failure has settled that no waiting repairs, or until
        the time is over.
      - A cluster without Karpenter is not waited for.
    type: bool
    default: false
  wait_timeout_seconds:
    description: How long to wait, in seconds.
    type: int
    default: 300
extends_documentation_fragment:
  - eksops.karpenter.kubernetes
  - eksops.karpenter.eks.progress
  - eksops.karpenter.attributes.reads
attributes:
  idempotent:
    description: Returns the same as long as the cluster stays the same.
    support: full
"""

EXAMPLES = r"""
- name: Look at the controller
  eksops.karpenter.karpenter_controller_info:
    kubeconfig: /home/me/.kube/demo
    cluster_name: demo
    interruption_queue: demo
    karpenter_version: 1.14.0
    wait: true
  register: controller

- name: It works
  ansible.builtin.assert:
    that: controller.ready
"""

RETURN = r"""
installed:
  description: Whether there is anything of the controller.
  type: bool
  returned: success
  sample: true
ready:
  description: Whether it is installed and every check passes.
  type: bool
  returned: success
  sample: true
namespace:
  description: Where it was looked for.
  type: str
  returned: success
  sample: kube-system
version:
  description: Version of the installed chart; null without one.
  type: str
  returned: success
  sample: 1.14.0
releases:
  description: The newest revision of Helm releases karpenter and karpenter-crd, by name.
  type: dict
  returned: success
  sample: {karpenter: {name: karpenter, chart_version: 1.14.0, status: deployed, revision: 1, values: {}}}
drift:
  description:
    - What of the live Deployment and of the other objects of chart karpenter is not as it was rendered, as Helm's
      record of the release has it; fields that the chart states, and objects that are gone.
    - Empty without a release that is deployed. Values are told of fields that hold no secrets.
  type: list
  elements: str
  returned: success
  sample: ["spec.replicas is 0, the chart says 2"]
definitions_drift:
  description: Definitions of release karpenter-crd that are gone.
  type: list
  elements: str
  returned: success
  sample: []
drift_unseen:
  description: Objects of the chart that nobody could look at, and why.
  type: list
  elements: str
  returned: success
  sample: []
drift_writers:
  description: Who besides Helm has written the Deployment, as its managed fields tell.
  type: list
  elements: str
  returned: success
  sample: ["kubectl-edit at 2026-11-30T05:58:00Z"]
leader:
  description: Name of the pod that leads; null without one.
  type: str
  returned: success
  sample: karpenter-6d5f9c7b8-abcde
checks:
  description: Every check; empty where nothing is installed.
  type: list
  elements: dict
  returned: success
  contains:
    name:
      description: Name of the check.
      type: str
    status:
      description: C(pass), C(fail) or C(inconclusive).
      type: str
    message:
      description: What was found.
      type: str
    evidence:
      description: Lines and values that show it.
      type: list
      elements: str
    next_step:
      description: What to do about it; null where it passes.
      type: str
  sample: [{name: leader, status: pass, message: karpenter-6d5f9c7b8-abcde leads, evidence: [], next_step: null}]
definitions:
  description: Karpenter's definitions that are installed.
  type: list
  elements: str
  returned: success
  sample: [nodepools.karpenter.sh]
unadopted_definitions:
  description: Those that do not belong to release karpenter-crd.
  type: list
  elements: str
  returned: success
  sample: []
node_claims:
  description: Names of all NodeClaims.
  type: list
  elements: str
  returned: success
  sample: [default-x7k2p]
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._core.errors import EksopsError
from ..module_utils._core.progress import Progress
from ..module_utils._core.result import failure
from ..module_utils._karpenter_controller.model import Wanted
from ..module_utils._karpenter_controller.run import run
from ..module_utils._kubernetes.access import ARGUMENT_SPEC as ACCESS
from ..module_utils._kubernetes.access import client_of

ARGUMENT_SPEC = {
    **ACCESS,
    "namespace": {"type": "str", "default": "kube-system"},
    "cluster_name": {"type": "str", "required": True},
    "interruption_queue": {"type": "str"},
    "karpenter_version": {"type": "str"},
    "wait": {"type": "bool", "default": False},
    "wait_timeout_seconds": {"type": "int", "default": 300},
    "progress_path": {"type": "path"},
}


def main() -> None:
    """Run the module."""
    module = AnsibleModule(ARGUMENT_SPEC, supports_check_mode=True)
    options = module.params
    wanted = Wanted(
        namespace=options["namespace"],
        cluster_name=options["cluster_name"],
        interruption_queue=options["interruption_queue"],
        version=options["karpenter_version"],
    )
    try:
        progress = Progress(options["progress_path"])
        timeout = options["wait_timeout_seconds"]
        result = run(client_of(module), wanted, progress, wait=options["wait"], timeout_seconds=timeout)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(changed=False, **result)


if __name__ == "__main__":
    main()
