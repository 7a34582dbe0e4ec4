"""The small table from which every image and public parameter is derived.

The releases are the sandbox's own: their form is AWS's, their dates lie about five weeks apart.
Images: https://docs.aws.amazon.com/eks/latest/userguide/eks-optimized-amis.html
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

#: Minors that EKS offers: https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html
MINORS = ("1.32", "1.33", "1.34", "1.35", "1.36")

#: EKS's account that owns the Amazon Linux images: https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html
#: names it as the registry of most regions.
AMAZON_EKS = "602401143452"
#: Owners as DescribeImages shows them for the two other families.
BOTTLEROCKET = "092701018921"
WINDOWS = "801119661308"


@dataclass(frozen=True)
class Release:
    """One round of images. ``patches`` is the patch level of kubelet by minor.

    ``bottlerocket`` is that round's Bottlerocket version with its build id, ``windows`` its date of publication.
    """

    day: date
    patches: dict[str, int]
    bottlerocket: str
    windows: date

    @property
    def version(self) -> str:
        """The release as image names carry it, such as v20260904."""
        return f"v{self.day:%Y%m%d}"


RELEASES = (
    Release(
        date(2026, 9, 4),
        {"1.32": 13, "1.33": 10, "1.34": 7, "1.35": 4, "1.36": 1},
        "1.58.0-0d3f5a1e",
        date(2026, 9, 9),
    ),
    Release(
        date(2026, 10, 9),
        {"1.32": 13, "1.33": 11, "1.34": 8, "1.35": 5, "1.36": 2},
        "1.59.0-7be42c90",
        date(2026, 10, 14),
    ),
    Release(
        date(2026, 11, 6),
        {"1.32": 13, "1.33": 12, "1.34": 9, "1.35": 6, "1.36": 3},
        "1.60.0-c51a88d4",
        date(2026, 11, 11),
    ),
)

#: Amazon Linux 2 images ended on 2025-11-26 and exist up to 1.32:
#: https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html
AL2_MINORS = ("1.32",)
AL2_RELEASES = (date(2025, 9, 12), date(2025, 10, 17), date(2025, 11, 20))
AL2_PATCH = {"1.32": 9}

#: (architecture, variant) of Amazon Linux 2023: https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html
AL2023_VARIANTS = (
    ("x86_64", "standard"),
    ("arm64", "standard"),
    ("x86_64", "nvidia"),
    ("arm64", "nvidia"),
    ("x86_64", "neuron"),
)
#: Path, name prefix and architecture of Amazon Linux 2.
AL2_VARIANTS = (
    ("amazon-linux-2", "amazon-eks-node", "x86_64"),
    ("amazon-linux-2-arm64", "amazon-eks-arm64-node", "arm64"),
    ("amazon-linux-2-gpu", "amazon-eks-gpu-node", "x86_64"),
)
#: Suffix of the variant's name and architecture of Bottlerocket:
#: https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id-bottlerocket.html
BOTTLEROCKET_VARIANTS = (("", "x86_64"), ("", "arm64"), ("-nvidia", "x86_64"), ("-nvidia", "arm64"))
#: https://docs.aws.amazon.com/eks/latest/userguide/retrieve-windows-ami-id.html
WINDOWS_YEARS = ("2019", "2022", "2025")

#: A public image is deprecated two years after its creation, at the latest:
#: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ami-deprecate.html
DEPRECATED_AFTER_YEARS = 2
