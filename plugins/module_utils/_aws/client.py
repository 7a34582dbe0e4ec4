# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Calls to AWS: one session per module run, retries with jitter, errors wrapped once. Private to the collection."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:  # AnsibleAWSModule says so in its own words before anything here is used
    pass

from ansible_collections.amazon.aws.plugins.module_utils.botocore import get_aws_connection_info

from .errors import AwsError, error_kind, wrap

THROTTLE_ATTEMPTS = 8
THROTTLE_CAP_SECONDS = 20.0


class Module(Protocol):
    """What is asked of AnsibleAWSModule."""

    params: dict[str, Any]


def backoff_seconds(attempt: int, jitter: Callable[[], float] = random.random) -> float:
    """The pause before attempt ``attempt + 1``: exponential with full jitter, at most THROTTLE_CAP_SECONDS.

    Full jitter, because many clusters run side by side and would come back in step otherwise:
    https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
    """
    return float(jitter() * min(THROTTLE_CAP_SECONDS, 2.0**attempt))


class Client:
    """One AWS service. Every failure leaves as AwsError.

    :param raw: the boto3 client. :param service: its signing name. :param sleep: for tests.
    """

    def __init__(self, raw: Any, service: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self.raw = raw
        self.service = service
        self.region: str | None = raw.meta.region_name
        self.partition: str = raw.meta.partition
        self._sleep = sleep

    def call(self, operation: str, /, **parameters: Any) -> dict[str, Any]:
        """Call one operation (``describe_cluster``); throttled calls are repeated. Raises AwsError."""
        answer: dict[str, Any] = self._retried(
            operation, parameters, lambda: getattr(self.raw, operation)(**parameters)
        )
        return answer

    def find(self, operation: str, /, **parameters: Any) -> dict[str, Any] | None:
        """Like call, but None when, and only when, AWS says that the thing does not exist."""
        try:
            return self.call(operation, **parameters)
        except AwsError as error:
            if error.kind == "not_found":
                return None
            raise

    def pages(self, operation: str, key: str, /, **parameters: Any) -> list[Any]:
        """All items under ``key`` of a listing, every page of it. Raises AwsError."""

        def collect() -> list[Any]:
            paginator = self.raw.get_paginator(operation)
            return [item for page in paginator.paginate(**parameters) for item in page.get(key, [])]

        items: list[Any] = self._retried(operation, parameters, collect)
        return items

    def _retried(self, operation: str, parameters: Mapping[str, Any], attempt: Callable[[], Any]) -> Any:
        count = 0
        while True:
            try:
                return attempt()
            except (BotoCoreError, ClientError) as error:
                if error_kind(error) != "throttled" or count + 1 >= THROTTLE_ATTEMPTS:
                    raise self._wrap(error, operation, parameters) from error
            self._sleep(backoff_seconds(count))
            count += 1

    def _wrap(self, error: Exception, operation: str, parameters: Mapping[str, Any]) -> AwsError:
        names: Mapping[str, str] = self.raw.meta.method_to_api_mapping
        about = next((str(value) for value in parameters.values() if isinstance(value, str)), None)
        return wrap(
            error, service=self.service, operation=names.get(operation, operation), region=self.region, about=about
        )


class Aws:
    """The clients of one module run, each made on first use, all from one session (a session costs 0.1 CPU-seconds).

    :param module: an AnsibleAWSModule; its connection options decide, as in amazon.aws.
    """

    def __init__(self, module: Module) -> None:
        self._region, self._endpoint_url, self._options = get_aws_connection_info(module)
        self._session: Any = None
        self._clients: dict[str, Client] = {}

    def client(self, service: str) -> Client:
        """The client of a service, such as ``eks``. Raises AwsError without region, profile or credentials."""
        if service not in self._clients:
            try:
                self._clients[service] = Client(self._make(service), service)
            except (BotoCoreError, ValueError) as error:
                raise wrap(error, service=service, operation="", region=self._region, about=None) from error
        return self._clients[service]

    @property
    def region(self) -> str | None:
        """The region of the calls."""
        region: str | None = self._region
        return region

    def _make(self, service: str) -> Any:
        options = dict(self._options)
        profile = options.pop("profile_name", None)
        user_config = options.pop("aws_config", None)
        if self._session is None:
            self._session = boto3.session.Session(profile_name=profile)
        config = Config(
            user_agent_extra="eksops.karpenter",
            connect_timeout=10,
            read_timeout=60,
            retries={"mode": "standard", "total_max_attempts": 3},
        )
        if user_config is not None:
            config = config.merge(user_config)
        return self._session.client(
            service, region_name=self._region, endpoint_url=self._endpoint_url, config=config, **options
        )


def side_by_side(jobs: Mapping[str, Callable[[], Any]], width: int = 8) -> dict[str, Any]:
    """Run reads at the same time and return their results by name; the first error is raised.

    boto3 clients may be shared between threads once made:
    https://docs.aws.amazon.com/boto3/latest/guide/clients.html
    """
    if not jobs:
        return {}
    with ThreadPoolExecutor(max_workers=min(width, len(jobs))) as pool:
        futures = {name: pool.submit(job) for name, job in jobs.items()}
        return {name: future.result() for name, future in futures.items()}
