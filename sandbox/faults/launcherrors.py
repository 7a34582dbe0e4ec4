"""The errors with which EC2 refuses a launch, in its words. Pure.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LaunchError:
    """Code and message; ``status`` is that of RunInstances, which answers nothing else. Fleets list their errors."""

    code: str
    message: str
    status: int = 400


_QUOTA = "You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that the "
_SPOT_ROLE = "The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances."
_NO_CAPACITY = "We currently do not have sufficient {type} capacity in the Availability Zone you requested ({zone}). "
_ADDRESSES = "There are not enough free addresses in subnet '{subnet}' to satisfy the requested number of instances."

LAUNCH_ERRORS = {
    one.code: one
    for one in (
        LaunchError("InsufficientInstanceCapacity", _NO_CAPACITY, 500),
        LaunchError("UnfulfillableCapacity", "Unable to fulfill capacity due to your request configuration.", 500),
        LaunchError("VcpuLimitExceeded", _QUOTA + "specified instance type belongs to."),
        LaunchError("InstanceLimitExceeded", "Your request would exceed your current quota of instances."),
        LaunchError("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded"),
        LaunchError("ReservationCapacityExceeded", "The capacity reservation has no capacity left for the request."),
        LaunchError("InsufficientFreeAddressesInSubnet", _ADDRESSES),
        LaunchError(
            "Unsupported",
            "Your requested instance type ({type}) is not supported in your requested Availability Zone ({zone}).",
        ),
        LaunchError("UnauthorizedOperation", "You are not authorized to perform this operation.", 403),
        LaunchError("AuthFailure.ServiceLinkedRoleCreationNotPermitted", _SPOT_ROLE, 403),
        LaunchError("RequestLimitExceeded", "Request limit exceeded.", 503),
        LaunchError("InternalError", "An internal error has occurred", 500),
    )
}


def refusal(code: str, instance_type: str, zone: str, subnet: str) -> LaunchError:
    """The error of this code about one launch."""
    found = LAUNCH_ERRORS[code]
    return LaunchError(code, found.message.format(type=instance_type, zone=zone, subnet=subnet).strip(), found.status)
