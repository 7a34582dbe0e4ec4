"""Addresses of the pods that run as processes, out of their node's subnet."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

#: AWS keeps the first four addresses and the last one of every subnet:
#: https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
_KEPT_FIRST = 4


class Addresses:
    """Hands out addresses that no instance and no other pod has, from the end of the range.

    EC2 gives instances addresses from all over the subnet, so each address is compared with those in use.
    """

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def adopt(self, pod: str, address: str) -> None:
        """The pod (by uid) already has this address."""
        self._given[address] = pod

    def take(self, pod: str, cidr: str, in_use: Iterable[str]) -> str:
        """An address for the pod. Raises LookupError when the subnet is full."""
        network = ipaddress.ip_network(cidr)
        used = set(in_use) | self._given.keys()
        for number in range(int(network.broadcast_address) - 1, int(network.network_address) + _KEPT_FIRST - 1, -1):
            address = str(ipaddress.ip_address(number))
            if address not in used:
                self._given[address] = pod
                return address
        raise LookupError(f"failed to assign an IP address to container: no free address in {cidr}")

    def release(self, pod: str) -> None:
        """The pod is gone."""
        self._given = {address: owner for address, owner in self._given.items() if owner != pod}
