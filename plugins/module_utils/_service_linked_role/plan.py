# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What has to be done for a service-linked role. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from .._core.plan import Plan, Step
from .model import ServiceLinkedRole


def plan_role(service: str, description: str | None, current: ServiceLinkedRole | None) -> Plan:
    """One role per service and account; an existing one is left as it is."""
    if current is not None:
        return Plan()
    after = {"aws_service_name": service, "description": description}
    return Plan((Step("create", "ServiceLinkedRole", service, after=after),))
