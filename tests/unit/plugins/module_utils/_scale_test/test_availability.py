"""Pod-seconds that were missing, told by what the Deployment says."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.availability import Availability


def heard(*points: tuple[float, int, int]) -> Availability:
    """The scale call to 5 at 100, then (moment, wanted, available) as the watch told it."""
    found = Availability()
    found.hear({"spec": {"replicas": 0}}, 99)
    found.begin(100, 5)
    for moment, desired, available in points:
        found.hear({"spec": {"replicas": desired}, "status": {"availableReplicas": available}}, moment)
    return found


@pytest.mark.parametrize(
    ("points", "end", "starting", "running"),
    [
        # 5 missing for 10 s, then 2 missing for 5 s, then all there
        ([(101, 5, 0), (110, 5, 3), (115, 5, 5)], 200.0, 60, 0),
        # one of five is lost for 7 s, later two for 2 s
        ([(110, 5, 5), (120, 5, 4), (127, 5, 5), (150, 5, 3), (152, 5, 5)], 200.0, 50, 11),
        # what was lost stays lost until the drop; what comes after it is no loss
        ([(110, 5, 5), (190, 5, 3), (201, 0, 3), (202, 0, 0)], 200.0, 50, 20),
        # more than wanted, as in a roll-out, makes up for nothing
        ([(110, 5, 7), (120, 5, 4), (121, 5, 5)], 200.0, 50, 1),
        # never complete
        ([(110, 5, 3)], 120.0, 70, None),
        # no drop: until the last word
        ([(110, 5, 5), (120, 5, 4), (123, 5, 5)], None, 50, 3),
    ],
)
def test_missing_pods_are_summed_over_time(
    points: list[tuple[float, int, int]], end: float | None, starting: Any, running: Any
) -> None:
    assert heard(*points).as_dict(end) == {"starting": starting, "running": running}


def test_without_a_scale_call_nothing_is_known() -> None:
    assert Availability().as_dict(None) == {"starting": None, "running": None}
