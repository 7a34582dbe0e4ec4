# SPDX-License-Identifier: Apache-2.0
# From github.com/aws/karpenter-provider-aws@v1.14.1, folder pkg/apis/crds (licence: LICENSE in the folder above).
# Written by scripts/refresh_karpenter_crds.py: do not edit.
"""Which schemas a Karpenter version has, and the fingerprints of all its CRDs."""

PACKAGES: dict[str, str] = {
    "1.13.0": "v1_13_0",
    "1.14.0": "v1_14_0",
    "1.14.1": "v1_14_0",
}

DIGESTS: dict[str, dict[str, str]] = {
    "1.13.0": {
        "ec2nodeclasses.karpenter.k8s.aws": "fbdcbde94e8eb2c4",
        "nodeclaims.karpenter.sh": "5c80a22dba878fee",
        "nodeoverlays.karpenter.sh": "741ceae01be65621",
        "nodepools.karpenter.sh": "466eaba0ac615789",
    },
    "1.14.0": {
        "capacitybuffers.autoscaling.x-k8s.io": "217303b305017adb",
        "ec2nodeclasses.karpenter.k8s.aws": "fbdcbde94e8eb2c4",
        "nodeclaims.karpenter.sh": "5c80a22dba878fee",
        "nodeoverlays.karpenter.sh": "741ceae01be65621",
        "nodepools.karpenter.sh": "ee2e5eed8b34ff64",
    },
    "1.14.1": {
        "capacitybuffers.autoscaling.x-k8s.io": "217303b305017adb",
        "ec2nodeclasses.karpenter.k8s.aws": "fbdcbde94e8eb2c4",
        "nodeclaims.karpenter.sh": "5c80a22dba878fee",
        "nodeoverlays.karpenter.sh": "741ceae01be65621",
        "nodepools.karpenter.sh": "ee2e5eed8b34ff64",
    },
}
