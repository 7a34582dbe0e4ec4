# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Service-linked roles as plain data. Pure: standard library only. Private to the collection.

https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create-service-linked-role.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._core.errors import EksopsError

_SERVICE = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.amazonaws\.com(\.cn)?")

# What stops working without the role, in the words of a user; https://karpenter.sh/docs/troubleshooting/
CONSEQUENCES = {
    "spot.amazonaws.com": "Karpenter cannot launch Spot capacity: EC2 answers AuthFailure.ServiceLinkedRoleCreationNot"
    "Permitted and the NodeClaim is retried without end; On-Demand capacity is not affected",
}


@dataclass(frozen=True)
class ServiceLinkedRole:
    """A role that exists."""

    name: str
    arn: str

    @classmethod
    def from_api(cls, data: Mapping[str, Any]) -> ServiceLinkedRole:
        """From a Role of the IAM API."""
        return cls(name=data["RoleName"], arn=data["Arn"])


def check_service(service: str) -> None:
    """Raises EksopsError for what is no service principal."""
    if not _SERVICE.fullmatch(service):
        raise EksopsError(
            f"{service!r} is no service principal", where="aws_service_name", allowed="such as spot.amazonaws.com"
        )


def path_of(service: str) -> str:
    """The path of a service's linked roles."""
    return f"/aws-service-role/{service}/"


def consequence(service: str) -> str:
    """What does not work without the role."""
    return CONSEQUENCES.get(service, f"{service} cannot act for this account")
