"""Calls are repeated when throttled, and fail once with one error otherwise: against a local HTTP endpoint."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import boto3
import pytest
from botocore.config import Config

from ansible_collections.eksops.karpenter.plugins.module_utils._aws import client as subject
from ansible_collections.eksops.karpenter.plugins.module_utils._aws.errors import AwsError
from tests.unit.waiting import HANGS_SECONDS


class Endpoint:
    """An HTTP endpoint that gives prepared answers, one per request, the last one for ever."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, Any], str | None]] = []
        self.paths: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.paths.append(self.path)
                status, body, code = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                payload = json.dumps(body).encode()
                self.send_response(status)
                if code:
                    self.send_header("x-amzn-ErrorType", code)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *args: Any) -> None:
                """Keep the test's output quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.server.shutdown()
    made.server.server_close()


def client_of(url: str, pauses: list[float]) -> subject.Client:
    raw = boto3.client(
        "eks",
        region_name="eu-west-1",
        endpoint_url=url,
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="x",
        config=Config(retries={"mode": "standard", "total_max_attempts": 1}),
    )
    return subject.Client(raw, "eks", sleep=pauses.append)


THROTTLE = (429, {"message": "Rate exceeded"}, "ThrottlingException")


def test_a_throttled_call_is_repeated_until_it_is_answered(endpoint: Endpoint) -> None:
    pauses: list[float] = []
    endpoint.answers = [THROTTLE, THROTTLE, (200, {"cluster": {"name": "shop"}}, None)]
    assert client_of(endpoint.url, pauses).call("describe_cluster", name="shop")["cluster"]["name"] == "shop"
    assert len(pauses) == 2


def test_endless_throttling_ends_in_one_error(endpoint: Endpoint) -> None:
    pauses: list[float] = []
    endpoint.answers = [THROTTLE]
    with pytest.raises(AwsError, match="still throttles eks:DescribeCluster in eu-west-1") as caught:
        client_of(endpoint.url, pauses).call("describe_cluster", name="shop")
    assert caught.value.kind == "throttled"
    assert len(pauses) == subject.THROTTLE_ATTEMPTS - 1


def test_only_a_definite_not_found_counts_as_absent(endpoint: Endpoint) -> None:
    endpoint.answers = [(404, {"message": "No cluster found"}, "ResourceNotFoundException")]
    assert client_of(endpoint.url, []).find("describe_cluster", name="shop") is None
    endpoint.answers = [(403, {"message": "no"}, "AccessDeniedException")]
    with pytest.raises(AwsError, match="Access denied"):
        client_of(endpoint.url, []).find("describe_cluster", name="shop")
    endpoint.answers = [THROTTLE]
    with pytest.raises(AwsError, match="throttles"):
        client_of(endpoint.url, []).find("describe_cluster", name="shop")


def test_a_listing_brings_every_page(endpoint: Endpoint) -> None:
    endpoint.answers = [
        (200, {"clusters": ["a"], "nextToken": "more"}, None),
        (200, {"clusters": ["b"]}, None),
    ]
    assert client_of(endpoint.url, []).pages("list_clusters", "clusters") == ["a", "b"]
    assert "nextToken=more" in endpoint.paths[1]


def test_an_endpoint_that_nobody_serves_is_unreachable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(AwsError, match="cannot be reached") as caught:
            client_of(url, []).call("describe_cluster", name="shop")
    assert caught.value.kind == "unreachable"


def test_a_wrong_parameter_is_told_as_such(endpoint: Endpoint) -> None:
    with pytest.raises(AwsError, match="Parameter validation failed"):
        client_of(endpoint.url, []).call("describe_cluster", nome="shop")


@pytest.mark.parametrize("attempt", [0, 3, 20])
def test_the_pause_grows_and_is_capped(attempt: int) -> None:
    assert subject.backoff_seconds(attempt, lambda: 1.0) == min(20.0, 2.0**attempt)
    assert subject.backoff_seconds(attempt, lambda: 0.0) == 0.0


def test_reads_run_side_by_side_and_keep_their_names() -> None:
    barrier = threading.Barrier(2, timeout=HANGS_SECONDS)
    found = subject.side_by_side({"a": lambda: barrier.wait() >= 0, "b": lambda: barrier.wait() >= 0})
    assert found == {"a": True, "b": True}
    assert subject.side_by_side({}) == {}
