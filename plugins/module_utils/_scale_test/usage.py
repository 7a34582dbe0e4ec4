# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the controller used, from its own metrics. Pure. Private to the collection.

Names: https://karpenter.sh/docs/reference/metrics/, and the ones of client-go, of the AWS SDK and of Go's process
collector, which carry no prefix.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._karpenter_controller.metrics import samples
from .statistics import nearest_rank

MEMORY = "process_resident_memory_bytes"
CPU = "process_cpu_seconds_total"
AWS_RETRIES = "aws_sdk_go_request_retry_count"
KUBE_CALLS = "client_go_request_total"
CLOUD_ERRORS = "karpenter_cloudprovider_errors_total"
NAMES = (MEMORY, CPU, f"{AWS_RETRIES}_sum", AWS_RETRIES, KUBE_CALLS, CLOUD_ERRORS)
"""What is asked for. A server that knows the parameter name[] (Go's promhttp from 1.24 on) sends these alone."""
EXPECTED_ERRORS = frozenset({"NodeClaimNotFoundError"})
"""How the controller learns that an instance has ended."""


@dataclass(frozen=True)
class Scrape:
    """One look at one pod. ``moment`` is monotonic seconds."""

    pod: str
    moment: float
    memory_bytes: float
    cpu_seconds: float
    counters: dict[str, float]


@dataclass
class Usage:
    """Scrapes of the leader, of one pod or of several after one another."""

    scrapes: list[Scrape] = field(default_factory=list)

    def take(self, pod: str, moment: float, text: str) -> None:
        """Read one scrape."""
        self.scrapes.append(Scrape(pod, moment, _sum(text, MEMORY), _sum(text, CPU), _counters(text)))

    def as_dict(self) -> dict[str, Any]:
        """Memory and CPU of the leader, and how often its calls were throttled or failed while the test ran."""
        memory = sorted(scrape.memory_bytes for scrape in self.scrapes)
        return {
            "samples": len(self.scrapes),
            "memory_p95_bytes": int(nearest_rank(memory, 95)) if memory else None,
            "memory_max_bytes": int(memory[-1]) if memory else None,
            "cpu_cores_average": self._cpu(),
            "aws_retries": self._delta("aws_retries"),
            "kubernetes_throttles": self._delta("kubernetes_429"),
            "cloud_provider_errors": self._delta("cloud_errors"),
        }

    def _cpu(self) -> float | None:
        first, last = self._span()
        if first is None or last is None or last.moment <= first.moment:
            return None
        return round((last.cpu_seconds - first.cpu_seconds) / (last.moment - first.moment), 3)

    def _delta(self, name: str) -> int | None:
        first, last = self._span()
        return int(last.counters[name] - first.counters[name]) if first and last else None

    def _span(self) -> tuple[Scrape | None, Scrape | None]:
        """The first and the last scrape of the pod that led last; counters of two pods cannot be compared."""
        if not self.scrapes:
            return None, None
        own = [scrape for scrape in self.scrapes if scrape.pod == self.scrapes[-1].pod]
        return own[0], own[-1]


def _sum(text: str, name: str) -> float:
    return sum(sample.value for sample in samples(text, name))


def _counters(text: str) -> dict[str, float]:
    refused = (sample.value for sample in samples(text, KUBE_CALLS) if sample.labels.get("code") == "429")
    failed = (
        sample.value for sample in samples(text, CLOUD_ERRORS) if sample.labels.get("error") not in EXPECTED_ERRORS
    )
    return {
        "aws_retries": _sum(text, f"{AWS_RETRIES}_sum"),
        "kubernetes_429": sum(refused),
        "cloud_errors": sum(failed),
    }
