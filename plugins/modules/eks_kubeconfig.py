#!/usr/bin/python
# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Module eks_kubeconfig."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: eks_kubeconfig
short_description: Write a kubeconfig for an EKS cluster that holds no secret
version_added: 0.1.0
description:
  - Writes a kubeconfig for one cluster with mode 0600. Its user is a credential program of this collection, named by
    absolute paths, which makes tokens from the caller's AWS credentials whenever one is needed. The C(aws) command is
    not needed, and no token in the file can expire in the middle of a long run.
  - Variables of the run's environment that name AWS files and endpoints, such as E(AWS_CONFIG_FILE), E(AWS_CA_BUNDLE)
    and E(AWS_ENDPOINT_URL), are written into the file. Variables with secrets never are.
  - A file at the path that the collection did not write is an error, and left alone.
author:
  - Contributors to the eksops.karpenter collection (!UNKNOWN)
options:
  path:
    description: The file. Its folder is made when missing.
    type: path
    required: true
  state:
    description: Whether the file is to be there.
    type: str
    choices: [present, absent]
    default: present
  cluster_name:
    description: Name of the cluster.
    type: str
    required: true
  region:
    description: Region of the cluster.
    type: str
    required: true
    aliases: [aws_region]
  endpoint:
    description: The cluster's endpoint. May be empty in check mode, while there is no cluster.
    type: str
  certificate_authority_data:
    description: The certificate of the cluster's endpoint, base64, as EKS gives it.
    type: str
  context:
    description: Name of context, cluster and user in the file. The name of the cluster when not stated.
    type: str
  namespace:
    description: Namespace of the context.
    type: str
  profile:
    description: AWS profile with which tokens are made. It is stronger than access keys in the environment.
    type: str
    aliases: [aws_profile]
  role_arn:
    description: Role that is assumed for the tokens.
    type: str
  external_id:
    description: External id for assuming O(role_arn).
    type: str
  proxy_url:
    description: Proxy on the way to the endpoint.
    type: str
  extra_ca_path:
    description: File with further certificates, PEM, to be trusted for the endpoint, such as those of a proxy.
    type: path
  interpreter:
    description: Absolute path of the Python that makes the tokens; it needs botocore. The module's own when not stated.
    type: path
  script:
    description: Absolute path of the credential program. The collection's own when not stated.
    type: path
attributes:
  check_mode:
    description: Says what it would do. Works without a cluster too.
    support: full
  diff_mode:
    description: Shows the file. It holds no secret.
    support: full
  idempotent:
    description: A second run with the same options writes nothing.
    support: full
seealso:
  - module: eksops.karpenter.eks_cluster_info
"""

EXAMPLES = r"""
- name: Find the cluster
  eksops.karpenter.eks_cluster_info:
    name: demo
    region: us-west-2
  register: found

- name: Write its kubeconfig
  eksops.karpenter.eks_kubeconfig:
    path: ~/.kube/eksops/demo.json
    cluster_name: demo
    region: us-west-2
    profile: dev
    endpoint: "{{ found.clusters[0].endpoint }}"
    certificate_authority_data: "{{ found.clusters[0].certificate_authority_data }}"
"""

RETURN = r"""
extends_documentation_fragment: [eksops.karpenter.results.planned]
path:
  description: The file.
  type: str
  returned: always
  sample: /home/me/.kube/eksops/demo.json
context:
  description: Name of its context.
  type: str
  returned: always
  sample: demo
exists:
  description: Whether the file is there now, at the end of the run.
  type: bool
  returned: always
  sample: true
plan:
  description: The write of this run, or of the run that check mode predicts.
"""

import os
import sys
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule, env_fallback

from ..module_utils._core.errors import EksopsError
from ..module_utils._core.result import failure
from ..module_utils._kubeconfig.model import KubeconfigSpec
from ..module_utils._kubeconfig.run import run

ARGUMENT_SPEC = {
    "path": {"type": "path", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "cluster_name": {"type": "str", "required": True},
    "region": {
        "type": "str",
        "required": True,
        "aliases": ["aws_region"],
        "fallback": (env_fallback, ["AWS_REGION", "AWS_DEFAULT_REGION"]),
    },
    "endpoint": {"type": "str"},
    "certificate_authority_data": {"type": "str"},
    "context": {"type": "str"},
    "namespace": {"type": "str"},
    "profile": {
        "type": "str",
        "aliases": ["aws_profile"],
        "fallback": (env_fallback, ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]),
    },
    "role_arn": {"type": "str"},
    "external_id": {"type": "str"},
    "proxy_url": {"type": "str"},
    "extra_ca_path": {"type": "path"},
    "interpreter": {"type": "path"},
    "script": {"type": "path"},
}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(ARGUMENT_SPEC, supports_check_mode=True)
    params = dict(module.params)
    state, extra_ca = params.pop("state"), params.pop("extra_ca_path")
    params["interpreter"] = params["interpreter"] or sys.executable
    params["script"] = params["script"] or ""
    try:
        if extra_ca and not Path(extra_ca).is_file():
            raise EksopsError(f"There is no file {extra_ca}", where="extra_ca_path")
        pem = Path(extra_ca).read_text() if extra_ca else None
        spec = KubeconfigSpec(**params, extra_ca_pem=pem, environment=dict(os.environ))
        result = run(spec, state, check_mode=module.check_mode)
    except EksopsError as error:
        module.fail_json(**failure(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
