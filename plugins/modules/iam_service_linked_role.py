#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module iam_service_linked_role."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: iam_service_linked_role
short_description: Make sure that an AWS service has its linked role
version_added: 0.1.0
description:
  - Makes the role with which an AWS service acts for the account, once per account. Karpenter needs the one of Spot.
  - The role is shared by everything in the account, so this module never deletes it.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  aws_service_name:
    description: Principal of the service, such as V(spot.amazonaws.com).
    type: str
    required: true
  description:
    description: Description of the role, when it is made.
    type: str
  required:
    description:
      - Whether it is an error when the principal may not make the missing role.
      - With V(false) the consequence is told in RV(notices) and as a warning.
    type: bool
    default: true
  state:
    description: The role is only ever made.
    type: str
    choices: [present]
    default: present
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
attributes:
  check_mode:
    description: Tells whether the role would be made.
    support: full
  diff_mode:
    description: Shows the role that is made.
    support: full
  idempotent:
    description: Leaves an existing role as it is.
    support: full
"""

EXAMPLES = r"""
- name: Let the account use Spot capacity
  eksops.karpenter.iam_service_linked_role:
    aws_service_name: spot.amazonaws.com
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
aws_service_name:
  description: Principal of the service.
  type: str
  returned: always
  sample: spot.amazonaws.com
exists:
  description: Whether the role is there now.
  type: bool
  returned: always
  sample: true
role_name:
  description: Name of the role, null when it is not there (yet).
  type: str
  returned: always
  sample: AWSServiceRoleForEC2Spot
role_arn:
  description: ARN of the role, null when it is not there (yet).
  type: str
  returned: always
  sample: arn:aws:iam::111122223333:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot
plan:
  description: The writes of the run, or what they would be in check mode.
notices:
  description: What the run could not do or see, and what follows from it.
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module, failure
from ..module_utils._core.errors import EksopsError
from ..module_utils._service_linked_role.run import Request, run

ARGUMENT_SPEC = {
    "aws_service_name": {"type": "str", "required": True},
    "description": {"type": "str"},
    "required": {"type": "bool", "default": True},
    "state": {"type": "str", "choices": ["present"], "default": "present"},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC)
    options = module.params
    request = Request(options["aws_service_name"], options["description"], options["required"])
    try:
        result = run(Aws(module).client("iam"), request, check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    for notice in result["notices"]:
        module.warn(notice)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
