"""Health checks of the control plane's processes, as their own endpoints answer them."""

from __future__ import annotations

import ssl

import aiohttp

from sandbox.controlplane.pki import Pair
from sandbox.process import HealthCheck

_TIMEOUT = aiohttp.ClientTimeout(total=4)


def client_context(ca_pem: bytes, client: Pair | None = None) -> ssl.SSLContext:
    """TLS that trusts the cluster's authority, and shows ``client`` as its own certificate."""
    context = ssl.create_default_context(cadata=ca_pem.decode())
    if client is not None:
        context.load_cert_chain(client.certificate, client.key)
    return context


def answers_as(url: str, context: ssl.SSLContext, version: str) -> HealthCheck:
    """A check of the API server of a version, where another one may listen at the same port.

    The kernel hands each connection to one of them; both questions go over one.
    """

    async def check() -> bool:
        connector = aiohttp.TCPConnector(ssl=context, limit=1)
        async with aiohttp.ClientSession(timeout=_TIMEOUT, connector=connector) as session:
            async with session.get(f"{url}/version") as answer:
                found = (await answer.json())["gitVersion"]
            if found != version:
                raise RuntimeError(f"{url} is answered by {found}")
            async with session.get(f"{url}/readyz") as answer:
                if answer.status != 200:
                    raise RuntimeError(f"{url}/readyz says {answer.status}: {(await answer.text()).strip()[-500:]}")
        return True

    return check


def answers(url: str, context: ssl.SSLContext | None = None) -> HealthCheck:
    """A check that asks ``url`` and is content with status 200; what else it says becomes the reason."""

    async def check() -> bool:
        connector = aiohttp.TCPConnector(ssl=context) if context else None
        async with aiohttp.ClientSession(timeout=_TIMEOUT, connector=connector) as session, session.get(url) as answer:
            if answer.status != 200:
                raise RuntimeError(f"{url} says {answer.status}: {(await answer.text()).strip()[-500:]}")
        return True

    return check
