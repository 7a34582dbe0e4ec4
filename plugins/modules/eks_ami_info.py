#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_ami_info."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_ami_info
short_description: Look up EKS optimized images and check them
version_added: 0.1.0
description:
  - Finds the ids of EKS optimized images through the public parameters of SSM, by Kubernetes minor, architecture,
    variant and release, and checks each against EC2.
  - Every wanted image has to be published, since Karpenter leaves out a missing architecture of an alias silently.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  family:
    description: Family of the images, as in a Karpenter alias or in an EC2NodeClass.
    type: str
    default: al2023
  kubernetes_version:
    description: Kubernetes minor version as text, such as V("1.36"). A number is refused.
    type: raw
    required: true
  architectures:
    description: Architectures, as EC2 calls them.
    type: list
    elements: str
    default: [x86_64, arm64]
  variants:
    description: Variants of the family. Amazon Linux 2023 has V(standard), V(nvidia) and V(neuron).
    type: list
    elements: str
    default: [standard]
  release:
    description: V(latest), or a dated release such as V(v20261106).
    type: str
    default: latest
  allow_missing:
    description: Whether an image that is not published is listed in RV(missing) instead of being an error.
    type: bool
    default: false
extends_documentation_fragment:
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
  - eksops.karpenter.attributes.reads
attributes:
  idempotent:
    description: Returns the same as long as AWS publishes nothing newer.
    support: full
"""

EXAMPLES = r"""
- name: Find the newest Amazon Linux 2023 for both architectures
  eksops.karpenter.eks_ami_info:
    kubernetes_version: "1.36"
  register: newest

- name: Look at one dated release for GPU nodes
  eksops.karpenter.eks_ami_info:
    kubernetes_version: "1.36"
    architectures: [x86_64]
    variants: [nvidia]
    release: v20261106
"""

RETURN = r"""
images:
  description: The images, in the order of variants and architectures.
  type: list
  elements: dict
  returned: success
  contains:
    ssm_name:
      description: The parameter that holds the id.
      type: str
    image_id:
      description: Id of the image.
      type: str
    name:
      description: Name of the image.
      type: str
    release:
      description: The dated release.
      type: str
    alias:
      description: Alias that pins the release in an EC2NodeClass.
      type: str
    family:
      description: Family, as in an alias.
      type: str
    architecture:
      description: Architecture, as EC2 calls it.
      type: str
    variant:
      description: Variant of the family.
      type: str
    kubernetes_version:
      description: Kubernetes minor version.
      type: str
    owner:
      description: Alias or account of the owner.
      type: str
    state:
      description: State of the image.
      type: str
    creation_date:
      description: When the image was made, in UTC.
      type: str
    deprecation_date:
      description: When the image is deprecated, in UTC.
      type: str
    age_days:
      description: Full days since the image was made.
      type: int
    checks:
      description: Each question asked about the image, with ok, message and fatal.
      type: list
      elements: dict
  sample:
    - ssm_name: /aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id
      image_id: ami-0123456789abcdef0
      name: amazon-eks-node-al2023-x86_64-standard-1.36-v20261106
      release: v20261106
      alias: al2023@v20261106
missing:
  description: Wanted images that are not published, with ssm_name, architecture and variant.
  type: list
  elements: dict
  returned: success
  sample: []
release:
  description: The release of all images, null when they differ.
  type: str
  returned: success
  sample: v20261106
alias:
  description: The alias of all images, null when they differ.
  type: str
  returned: success
  sample: al2023@v20261106
notices:
  description: What is worth knowing, such as a deprecated image.
  type: list
  elements: str
  returned: success
  sample: []
"""

from ..module_utils._ami.run import Request, run
from ..module_utils._aws.client import Aws
from ..module_utils._aws.module import aws_module, failure
from ..module_utils._core.errors import EksopsError

ARGUMENT_SPEC = {
    "family": {"type": "str", "default": "al2023"},
    "kubernetes_version": {"type": "raw", "required": True},
    "architectures": {"type": "list", "elements": "str", "default": ["x86_64", "arm64"]},
    "variants": {"type": "list", "elements": "str", "default": ["standard"]},
    "release": {"type": "str", "default": "latest"},
    "allow_missing": {"type": "bool", "default": False},
}


def main() -> None:
    """Run the module."""
    module = aws_module(ARGUMENT_SPEC)
    aws = Aws(module)
    try:
        result = run(aws.client("ssm"), aws.client("ec2"), Request.from_params(module.params))
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(changed=False, **result)


if __name__ == "__main__":
    main()
