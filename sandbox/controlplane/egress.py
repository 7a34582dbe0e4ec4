"""The way from an API server into its cluster's network: an HTTP CONNECT proxy on a unix socket.

Nodes and pods have addresses of a VPC that does not exist on this machine. The API server's egress selector sends
every connection to them here, and the routes say which loopback port stands for which address.
https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

SOCKET_NAME = "egress.sock"
_HEAD_SECONDS = 10.0
_CHUNK = 64 * 1024


def configuration(socket: str) -> dict[str, object]:
    """The API server's EgressSelectorConfiguration; ``socket`` may be relative to its working folder."""
    connection = {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": socket}}}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [{"name": "cluster", "connection": connection}],
    }


def split_address(address: str) -> tuple[str, int]:
    """``host:port`` or ``[host]:port``. Raises ValueError when it is neither."""
    host, _, port = address.rpartition(":")
    if not host:
        raise ValueError(f"{address!r} is not host:port")
    return host.strip("[]"), int(port)


class EgressProxy:
    """Serves the CONNECT requests of one cluster's API server."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._routes: dict[tuple[str, int], tuple[str, int]] = {}
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def routes(self) -> Mapping[tuple[str, int], tuple[str, int]]:
        """What is reachable now: address and port in the cluster's network to address and port on loopback."""
        return dict(self._routes)

    @property
    def listening(self) -> bool:
        """Whether the socket is there."""
        return (self._folder / SOCKET_NAME).is_socket()

    def route(self, host: str, port: int, target: tuple[str, int] | None) -> None:
        """Add a route, or take it away with ``None``; connections that are open stay open."""
        if target is None:
            self._routes.pop((host, port), None)
        else:
            self._routes[host, port] = target

    async def start(self) -> None:
        """Listen on ``egress.sock`` in the folder.

        The kernel allows 107 bytes for the path of a socket and a checkout may lie deeper than that, so the folder is
        named by a descriptor here, and by the working folder in the API server.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._folder / SOCKET_NAME).unlink(missing_ok=True)
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._server = await asyncio.start_unix_server(self._serve, f"/proc/self/fd/{folder}/{SOCKET_NAME}")
        finally:
            os.close(folder)

    async def stop(self) -> None:
        """Stop listening and close what is open."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._open):
                writer.close()
            await self._server.wait_closed()
            self._server = None
        (self._folder / SOCKET_NAME).unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            await self._answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            pass  # the API server gave up, or spoke something that is not CONNECT: closing is the answer
        finally:
            self._open.discard(writer)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_SECONDS)
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split()
        if len(words) != 3 or words[0] != "CONNECT":
            await _refuse(writer, "405 Method Not Allowed", "only CONNECT is served here")
            return
        target = self._routes.get(split_address(words[1]))
        if target is None:
            await _refuse(writer, "502 Bad Gateway", f"no route to {words[1]}: no running node or pod has this address")
            return
        try:
            there = await asyncio.open_connection(*target)
        except OSError as error:
            await _refuse(writer, "502 Bad Gateway", f"{words[1]} does not answer: {error.strerror}")
            return
        writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
        await writer.drain()
        await self._join(reader, writer, *there)

    async def _join(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        self._open.add(far_writer)
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            self._open.discard(far_writer)
            far_writer.close()


async def _refuse(writer: asyncio.StreamWriter, status: str, reason: str) -> None:
    body = reason.encode()
    writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    await writer.drain()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the one side ends, then end the other side too; a side that breaks off is an end as well."""
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        if writer.can_write_eof() and not writer.is_closing():
            writer.write_eof()
