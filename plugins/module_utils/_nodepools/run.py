# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Plan, carry out, present: the module karpenter_nodepools without its options. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.progress import Progress
from .._core.result import planned
from .absent import Absent
from .api import Api
from .cloud import Cloud
from .model import Request
from .present import Present
from .rescue import Rescue
from .result import present


def run(
    request: Request,
    api: Api | None,
    cloud: Callable[[], Cloud],
    progress: Progress,
    *,
    state: str,
    check_mode: bool,
) -> dict[str, Any]:
    """The module's result: the same keys in check mode. Raises EksopsError.

    :param api: the cluster; None where it is still to be made (or gone). :param cloud: makes the AWS side when needed.
    """
    rescue = Rescue(request, cloud, progress)
    removal = Absent(request, api, rescue, progress)
    job = Present(request, api, removal, progress) if state == "present" else removal
    plan = job.plan()
    live = job.predicted()
    if not check_mode:
        job.carry_out(plan)
        live = job.live
    result = planned(plan) | present(request, live)
    result["notices"] += removal.notices + ([rescue.notice] if rescue.notice else [])
    return result | {"unpinned": getattr(job, "unpinned", []), "rescued": rescue.done}
