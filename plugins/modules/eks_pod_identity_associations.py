#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_pod_identity_associations."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_pod_identity_associations
short_description: Create, change and delete pod identity associations of an EKS cluster
version_added: 0.1.0
description:
  - Brings a list of pod identity associations, which give the credentials of IAM roles to service accounts, into the
    wanted state. An association is known by its namespace and service account.
  - Associations that belong to an add-on are left to the add-on.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  associations:
    description: The associations.
    type: list
    elements: dict
    required: true
    suboptions:
      namespace:
        description: Namespace of the service account.
        type: str
        required: true
      service_account:
        description: Name of the service account.
        type: str
        required: true
      role_arn:
        description: Role whose credentials the pods get. Needed for the creation.
        type: str
      target_role_arn:
        description: Role of another account that the first role assumes for the pods.
        type: str
      disable_session_tags:
        description: Whether the session goes without the tags that name cluster, namespace and service account.
        type: bool
      tags:
        description: Tags of the association.
        type: dict
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.eks.cluster
  - eksops.karpenter.eks.items
  - eksops.karpenter.attributes.writes
seealso:
  - module: eksops.karpenter.eks_addons
  - name: EKS Pod Identity
    description: What EKS says about pod identities.
    link: https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html
"""

EXAMPLES = r"""
- name: Credentials for the controller of Karpenter
  eksops.karpenter.eks_pod_identity_associations:
    cluster_name: demo
    region: us-west-2
    associations:
      - namespace: kube-system
        service_account: karpenter
        role_arn: arn:aws:iam::111122223333:role/demo-karpenter
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
associations:
  description: All associations of the cluster as a last read describes them; in check mode also those that would be.
  type: list
  elements: dict
  returned: always
  sample:
    - namespace: kube-system
      service_account: karpenter
      exists: true
      id: a-0a1b
      arn: arn:aws:eks:us-west-2:111122223333:podidentityassociation/demo/a-0a1b
      role_arn: arn:aws:iam::111122223333:role/demo-karpenter
      target_role_arn: null
      disable_session_tags: false
      owner_arn: null
      tags: {}
      created_at: "2026-09-01T12:00:00+00:00"
      modified_at: "2026-09-01T12:00:00+00:00"
plan:
  sample:
    - action: create
      kind: PodIdentityAssociation
      name: kube-system/karpenter
      before: null
      after: {roleArn: "arn:aws:iam::111122223333:role/demo-karpenter"}
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module
from ..module_utils._core.errors import EksopsError
from ..module_utils._core.result import failure
from ..module_utils._eks.options import CLUSTER_OPTIONS, ITEMS_OPTIONS
from ..module_utils._eks_pod_identity.api import AssociationApi
from ..module_utils._eks_pod_identity.model import AssociationSpec
from ..module_utils._eks_pod_identity.run import AssociationsRun

ASSOCIATION_OPTIONS = {
    "namespace": {"type": "str", "required": True},
    "service_account": {"type": "str", "required": True},
    "role_arn": {"type": "str"},
    "target_role_arn": {"type": "str"},
    "disable_session_tags": {"type": "bool"},
    "tags": {"type": "dict"},
}
ARGUMENT_SPEC = {
    "associations": {"type": "list", "elements": "dict", "required": True, "options": ASSOCIATION_OPTIONS},
    **CLUSTER_OPTIONS,
    **ITEMS_OPTIONS,
}


def main() -> None:
    """Entry point."""
    module = aws_module(ARGUMENT_SPEC)
    try:
        params = module.params
        specs = AssociationSpec.many(params["associations"])
        run = AssociationsRun(specs, AssociationApi(Aws(module).client("eks"), params["cluster_name"]))
        result = run.run(params["state"], purge=params["purge"], check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
