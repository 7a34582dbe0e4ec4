# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The IAM calls for service-linked roles. Private to the collection."""

from __future__ import annotations

from .._aws.client import Client
from .._aws.errors import AwsError
from .model import ServiceLinkedRole, path_of


def find_role(client: Client, service: str) -> ServiceLinkedRole | None:
    """The service's role; by its path, since its name follows no rule."""
    found = client.pages("list_roles", "Roles", PathPrefix=path_of(service))
    return ServiceLinkedRole.from_api(found[0]) if found else None


def create_role(client: Client, service: str, description: str | None) -> bool:
    """Make the role; False when somebody else has made it in the meantime.

    IAM answers InvalidInput for a role that exists:
    https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceLinkedRole.html
    """
    extra = {"Description": description} if description else {}
    try:
        client.call("create_service_linked_role", AWSServiceName=service, **extra)
    except AwsError as error:
        if error.code in ("InvalidInput", "InvalidInputException") and "has been taken" in error.what:
            return False
        raise
    return True
