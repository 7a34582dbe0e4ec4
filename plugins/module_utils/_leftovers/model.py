# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What may be left of a cluster, as plain data. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Scope:
    """Whose leftovers are looked for."""

    cluster: str
    region: str
    account: str
    partition: str
    issuer: str | None = None

    @property
    def log_group(self) -> str:
        """Where EKS sends the control plane's logs: https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html"""
        return f"/aws/eks/{self.cluster}/cluster"

    @property
    def queue_arn(self) -> str:
        """ARN of the interruption queue."""
        return f"arn:{self.partition}:sqs:{self.region}:{self.account}:{self.cluster}"

    @property
    def profile_path(self) -> str:
        """Where Karpenter keeps the cluster's instance profiles since 1.7: https://karpenter.sh/docs/upgrading/upgrade-guide/"""
        return f"/karpenter/{self.region}/{self.cluster}/"


@dataclass(frozen=True)
class Leftover:
    """One thing that is still there.

    :param why: what links it to the cluster.
    :param owned: whether it exists for the cluster alone; False for a thing of somebody else's that carries a mark.
    :param karpenter: whether its tags or its path prove that Karpenter made it for this cluster.
    :param kept: whether AWS leaves it by design when the cluster is deleted, such as the logs.
    """

    kind: str
    id: str
    why: str
    remedy: str
    name: str | None = None
    state: str | None = None
    owned: bool = True
    karpenter: bool = False
    kept: bool = False

    @property
    def left(self) -> bool:
        """Whether it should not be there any more."""
        return self.owned and not self.kept

    def as_dict(self) -> dict[str, Any]:
        """The thing as a module returns it."""
        return {
            "kind": self.kind,
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "why": self.why,
            "owned": self.owned,
            "karpenter": self.karpenter,
            "remedy": self.remedy,
        }
