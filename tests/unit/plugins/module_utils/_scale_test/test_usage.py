"""What the controller used, from scrapes of its metrics."""

from __future__ import annotations

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.usage import Usage


def scrape(memory: float, cpu: float, throttled: int = 0, failed: int = 0) -> str:
    return f"""# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total {cpu}
process_resident_memory_bytes {memory}
client_go_request_total{{code="200",method="GET"}} 500
client_go_request_total{{code="429",method="GET"}} {throttled}
aws_sdk_go_request_retry_count_sum{{service="EC2"}} {throttled}
aws_sdk_go_request_retry_count_count{{service="EC2"}} 900
karpenter_cloudprovider_errors_total{{error="NodeClaimNotFoundError"}} 7
karpenter_cloudprovider_errors_total{{error=""}} {failed}
"""


def test_use_and_trouble_between_the_first_and_the_last_scrape() -> None:
    usage = Usage()
    usage.take("a", 10, scrape(2e8, 5, throttled=1))
    usage.take("a", 20, scrape(3e8, 7, throttled=4, failed=2))
    assert usage.as_dict() == {
        "samples": 2,
        "memory_p95_bytes": 300000000,
        "memory_max_bytes": 300000000,
        "cpu_cores_average": 0.2,
        "aws_retries": 3,
        "kubernetes_throttles": 3,
        "cloud_provider_errors": 2,
    }


def test_counters_of_two_leaders_are_not_mixed() -> None:
    usage = Usage()
    usage.take("a", 10, scrape(2e8, 500, throttled=90))
    usage.take("b", 20, scrape(1e8, 1))
    assert usage.as_dict()["kubernetes_throttles"] == 0
    assert usage.as_dict()["cpu_cores_average"] is None


def test_nothing_scraped_is_null() -> None:
    assert Usage().as_dict()["memory_max_bytes"] is None
    assert Usage().as_dict()["aws_retries"] is None
