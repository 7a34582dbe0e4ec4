"""The API server's way into its cluster's network: only routes lead somewhere."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.controlplane import egress
from sandbox.controlplane.egress import EgressProxy
from tests.unit.waiting import HANGS_SECONDS

KUBELET = ("10.0.1.7", 10250)


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[EgressProxy]:
    # Deeper than the 107 bytes that the path of a unix socket may have.
    found = EgressProxy(tmp_path / ("deep" * 30) / "egress")
    await found.start()
    yield found
    await found.stop()


@pytest.fixture
async def echo() -> AsyncIterator[tuple[str, int]]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data.upper())
        writer.write(b"<end>")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()


async def _open(proxy: EgressProxy, request: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect as the API server does: with the folder of the socket as working folder."""
    folder = os.open(proxy._folder, os.O_RDONLY)
    try:
        reader, writer = await asyncio.open_unix_connection(f"/proc/self/fd/{folder}/{egress.SOCKET_NAME}")
    finally:
        os.close(folder)
    writer.write(request)
    return reader, writer


async def _ask(proxy: EgressProxy, request: bytes) -> str:
    reader, writer = await _open(proxy, request)
    answer = await asyncio.wait_for(reader.read(), HANGS_SECONDS)
    writer.close()
    return answer.decode()


def _connect(address: str) -> bytes:
    return f"CONNECT {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


async def test_a_route_joins_both_sides(proxy: EgressProxy, echo: tuple[str, int]) -> None:
    proxy.route(*KUBELET, echo)
    reader, writer = await _open(proxy, _connect("10.0.1.7:10250"))
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection Established\r\n\r\n"
    writer.write(b"logs, please")
    assert await reader.readexactly(12) == b"LOGS, PLEASE"
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), HANGS_SECONDS) == b"<end>", "the end of one side reaches the other one"
    writer.close()


async def test_ipv6_addresses_are_understood(proxy: EgressProxy, echo: tuple[str, int]) -> None:
    proxy.route("2001:db8::7", 10250, echo)
    reader, writer = await _open(proxy, _connect("[2001:db8::7]:10250"))
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_no_route_no_connection(proxy: EgressProxy, echo: tuple[str, int]) -> None:
    proxy.route(*KUBELET, echo)
    assert "502 Bad Gateway" in await _ask(proxy, _connect("10.0.1.7:8080"))
    assert "no route to 10.0.1.8:10250" in await _ask(proxy, _connect("10.0.1.8:10250"))
    assert "no route to 127.0.0.1" in await _ask(proxy, _connect(f"127.0.0.1:{echo[1]}")), "loopback is no way around"
    proxy.route(*KUBELET, None)
    proxy.route(*KUBELET, None)
    assert "no route to 10.0.1.7:10250" in await _ask(proxy, _connect("10.0.1.7:10250"))


async def test_a_target_that_is_gone_is_told(proxy: EgressProxy) -> None:
    proxy.route(*KUBELET, ("127.0.0.1", 1))
    assert "10.0.1.7:10250 does not answer" in await _ask(proxy, _connect("10.0.1.7:10250"))


@pytest.mark.parametrize(
    ("request_bytes", "answer"),
    [
        (b"GET http://10.0.1.7:10250/ HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"CONNECT 10.0.1.7:port HTTP/1.1\r\n\r\n", ""),
        (b"CONNECT 10250 HTTP/1.1\r\n\r\n", ""),
        (b"x" * 100_000 + b"\r\n\r\n", ""),
    ],
)
async def test_what_is_not_connect_ends(proxy: EgressProxy, request_bytes: bytes, answer: str) -> None:
    try:
        assert answer in await _ask(proxy, request_bytes)
    except ConnectionError:
        assert not answer
    assert "no route" in await _ask(proxy, _connect("10.0.1.7:10250")), "and the next one is served"


async def test_stop_closes_what_is_open(tmp_path: Path, echo: tuple[str, int]) -> None:
    proxy = EgressProxy(tmp_path)
    await proxy.start()
    proxy.route(*KUBELET, echo)
    reader, writer = await _open(proxy, _connect("10.0.1.7:10250"))
    await reader.readuntil(b"\r\n\r\n")
    await asyncio.wait_for(proxy.stop(), HANGS_SECONDS)
    with contextlib.suppress(ConnectionError):
        assert await asyncio.wait_for(reader.read(), HANGS_SECONDS) == b""
    writer.close()
    assert not proxy.listening
