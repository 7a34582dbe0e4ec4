#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module cloudformation_diff_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: cloudformation_diff_info
short_description: Compare a CloudFormation stack with a template, parameters and tags
version_added: 0.1.0
description:
  - Tells what differs between a stack and what it should be, resource by resource, by reading alone, so that it
    serves a read-only principal and a stack that does not exist yet.
  - Templates are compared by meaning. Order of keys, short or long form of functions, JSON or YAML, and the layout
    of JSON inside of strings make no difference.
  - A change that somebody made to a resource behind the stack's back, which CloudFormation calls drift, is looked for
    with O(drift=true).
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  stack_name:
    description: Name of the stack.
    type: str
    required: true
  template:
    description:
      - Path of the template on the machine that runs the module.
      - Without a template only the facts of the stack are returned.
    type: path
  template_body:
    description: The template itself.
    type: str
  template_parameters:
    description:
      - Values of the template's parameters. Lists become comma-separated text.
      - A parameter that is left out has the template's default.
    type: dict
    default: {}
  tags:
    description: All tags that the stack should have. Left out, tags are not compared.
    type: dict
  capabilities:
    description:
      - The capabilities that will be acknowledged when the stack is written. A missing one is an error here already.
    type: list
    elements: str
    choices: [CAPABILITY_IAM, CAPABILITY_NAMED_IAM, CAPABILITY_AUTO_EXPAND]
    default: [CAPABILITY_IAM, CAPABILITY_NAMED_IAM]
  wait_timeout:
    description:
      - Seconds to wait for the end of an operation that is at work on the stack, such as one that an interrupted run
        has started.
      - With V(0) the stack is reported as it is.
    type: int
    default: 0
  drift:
    description:
      - Whether to read the stack's resources themselves and tell what was changed or deleted by hand.
      - Parts of a network and roles are looked at; other types are named in RV(drift_unseen).
      - Module M(eksops.karpenter.cloudformation_drift) puts right what can be put right.
    type: bool
    default: false
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.attributes.reads
attributes:
  diff_mode:
    description: Returns the differences as data; there is no change to show.
    support: none
  idempotent:
    description: Returns the same as long as the stack stays the same.
    support: full
"""

EXAMPLES = r"""
- name: Compare the stack with the template
  eksops.karpenter.cloudformation_diff_info:
    stack_name: Karpenter-demo
    template: files/karpenter_iam.yml
    template_parameters:
      ClusterName: demo
  register: stack

- name: Refuse a stack that cannot be updated
  ansible.builtin.assert:
    that: stack.blocked is none
    fail_msg: "{{ stack.blocked | default('', true) }}"
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.drift]
exists:
  description: Whether there is a stack of that name.
  type: bool
  returned: always
  sample: true
stack_id:
  description: ARN of the stack.
  type: str
  returned: always
  sample: arn:aws:cloudformation:us-west-2:111122223333:stack/Karpenter-demo/0a1b
status:
  description: Status of the stack, null without one.
  type: str
  returned: always
  sample: CREATE_COMPLETE
status_reason:
  description: The reason that CloudFormation gives for the status.
  type: str
  returned: always
  sample: null
updatable:
  description: Whether the stack can be created or updated now.
  type: bool
  returned: always
  sample: true
blocked:
  description: One sentence for a stack that cannot be updated, with the resources that failed and the next step.
  type: str
  returned: always
  sample: null
next_step:
  description: What to do about a stack that cannot be updated.
  type: str
  returned: always
  sample: null
differs:
  description: Whether a write is needed. True for a stack that does not exist, false without a template.
  type: bool
  returned: always
  sample: true
differences:
  description: What differs on an existing stack.
  type: list
  elements: dict
  returned: always
  contains:
    kind:
      description: One of resource, output, condition, mapping, template, parameter, tag.
      type: str
    name:
      description: Logical id, or name.
      type: str
    action:
      description: One of add, modify, remove.
      type: str
    type:
      description: Type of a resource.
      type: str
    before:
      description: What the stack has.
      type: raw
    after:
      description: What is wanted.
      type: raw
  sample:
    - {kind: parameter, name: ClusterName, action: modify, type: null, before: demo, after: shop}
resources_to_create:
  description: Logical id and type of all that a new stack makes; empty for an existing stack.
  type: list
  elements: dict
  returned: always
  sample:
    - {logical_id: KarpenterNodeRole, type: "AWS::IAM::Role"}
resources:
  description: Resources of the stack with logical_id, physical_id, type, status and status_reason.
  type: list
  elements: dict
  returned: always
  sample: []
outputs:
  description: Outputs of the stack.
  type: dict
  returned: always
  sample: {NodeRoleName: KarpenterNodeRole-demo}
parameters:
  description: Parameters of the stack.
  type: dict
  returned: always
  sample: {ClusterName: demo}
tags:
  description: Tags of the stack.
  type: dict
  returned: always
  sample: {}
template_parameters:
  description: The wanted value of every parameter of the template, as text, defaults included.
  type: dict
  returned: always
  sample: {ClusterName: demo}
drift_unseen:
  description: Types of the stack's resources that are not looked at.
  type: list
  elements: str
  returned: always
  sample: []
lost:
  description: One sentence with the remedy for what was changed by hand and cannot be put right in place.
  type: str
  returned: always
  sample: null
notices:
  description: What the comparison could not see.
  type: list
  elements: str
  returned: always
  sample: []
"""

from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module, failure
from ..module_utils._cloudformation.run import Request, run
from ..module_utils._core.errors import EksopsError

ARGUMENT_SPEC = {
    "stack_name": {"type": "str", "required": True},
    "template": {"type": "path"},
    "template_body": {"type": "str"},
    "template_parameters": {"type": "dict", "default": {}},
    "tags": {"type": "dict"},
    "capabilities": {
        "type": "list",
        "elements": "str",
        "choices": ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
        "default": ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
    },
    "wait_timeout": {"type": "int", "default": 0},
    "drift": {"type": "bool", "default": False},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC, mutually_exclusive=[["template", "template_body"]])
    try:
        result = run(Aws(module), Request.from_params(module.params))
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(changed=False, **result)


if __name__ == "__main__":
    main()
