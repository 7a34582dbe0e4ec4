"""Private addresses: one that was given back is given again last.

moto gives it to the next instance. A node's name is made of its address, so the next node would find the Node of the
one before while that is still being deleted, go on with it, and be gone with it. EC2 picks any free address of the
subnet, of which there are thousands:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-instance-addressing.html
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sandbox.emulators.ec2.errors import client_error


@cache
def use_freed_last() -> None:
    """Make moto's subnets give addresses that nobody has had yet, as long as there are any."""
    from moto.ec2.models.subnets import Subnet

    lowest = Subnet.get_available_subnet_ip

    def get_available_subnet_ip(self: Any, instance: Any) -> str:
        freed, self._unused_ips = self._unused_ips, set()
        try:
            return str(lowest(self, instance))
        except (StopIteration, RuntimeError):
            if not freed:
                # https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
                text = f"There are not enough free addresses in subnet '{self.id}' to satisfy the request."
                raise client_error("InsufficientFreeAddressesInSubnet", text) from None
            self._unused_ips = freed
            return str(lowest(self, instance))
        finally:
            self._unused_ips = freed

    Subnet.get_available_subnet_ip = get_available_subnet_ip
