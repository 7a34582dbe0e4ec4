"""An HTTP server on loopback that gives prepared answers and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.credentials import Credentials
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import Connection


@dataclass(frozen=True)
class Asked:
    """One request; ``query`` has the last value of each name, ``target`` all as they were sent."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    target: str


@dataclass(frozen=True)
class Answer:
    """One answer; several ``lines`` are sent as a stream, and the connection is cut after them when ``cut``."""

    status: int = 200
    body: Any = None
    lines: tuple[Any, ...] = ()
    cut: bool = False


def status(code: int, message: str, reason: str = "", **details: Any) -> Answer:
    """A Status object, as the API server writes it."""
    body = {"kind": "Status", "code": code, "message": message, "reason": reason, "details": details}
    return Answer(code, body)


@dataclass
class Server:
    """The answers still to give, in order; the last one is given again and again."""

    answers: list[Answer]
    asked: list[Asked] = field(default_factory=list)
    sleeps: list[float] = field(default_factory=list)
    url: str = ""

    def next(self) -> Answer:
        """The answer to the next request."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def client(self, **user: Any) -> Client:
        """A client that does not really sleep."""
        connection = Connection(server=self.url, source="kubeconfig", **user)
        return Client(connection, Credentials(connection, lambda *_: (1, "", "")), sleep=self.sleeps.append)


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    """The server, until the end of the block."""
    server = Server(list(answers))
    http = _Http(server)
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


class _Http(ThreadingHTTPServer):
    """Knows the answers that its handlers give."""

    def __init__(self, script: Server) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        asked = Asked(self.command, parts.path, dict(parse_qsl(parts.query)), dict(self.headers), body, self.path)
        self.server.script.asked.append(asked)
        answer = self.server.script.next()
        self.close_connection = True
        if answer.cut and not answer.lines:
            return
        self.send_response(answer.status)
        self.send_header("Connection", "close")
        if answer.lines:
            self._stream(answer)
            return
        text = answer.body.encode() if isinstance(answer.body, str) else json.dumps(answer.body).encode()
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _stream(self, answer: Answer) -> None:
        """Chunked, as the API server streams watches and logs."""
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in answer.lines:
            text = json.dumps(line).encode() + b"\n"
            self.wfile.write(f"{len(text):x}\r\n".encode() + text + b"\r\n")
        if not answer.cut:
            self.wfile.write(b"0\r\n\r\n")
