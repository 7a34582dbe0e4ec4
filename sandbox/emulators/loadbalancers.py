"""Load balancers by moto: the classic ones and those of the second API, at one address under one signing name.

What makes them in a real account are controllers inside clusters; the sandbox has them to be found and to be deleted.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto
from sandbox.front.catalog import parameters

#: https://docs.aws.amazon.com/elasticloadbalancing/2012-06-01/APIReference/
CLASSIC = "2012-06-01"
#: By API version, the operations that are looked after; moto's answers to the rest are not.
IMPLEMENTED = {
    CLASSIC: frozenset(
        {
            "AddTags",
            "CreateLoadBalancer",
            "DeleteLoadBalancer",
            "DescribeLoadBalancers",
            "DescribeTags",
            "RemoveTags",
        }
    ),
    # https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/
    "2015-12-01": frozenset(
        {
            "AddTags",
            "CreateLoadBalancer",
            "CreateTargetGroup",
            "DeleteLoadBalancer",
            "DeleteTargetGroup",
            "DescribeLoadBalancers",
            "DescribeTags",
            "DescribeTargetGroups",
            "RemoveTags",
        }
    ),
}


def answer(call: Call) -> HttpResponse:
    """Answer a call of either API; blocks. Raises moto.NotInMotoError."""
    version = parameters(call.request).get("Version", "")
    if call.action not in IMPLEMENTED.get(version, ()):
        raise moto.NotInMotoError(f"{call.action} of {version}")
    return moto.dispatch(_classic() if version == CLASSIC else _second(), call)


@cache
def _classic() -> Any:
    moto.load()
    from moto.elb.responses import ELBResponse

    return ELBResponse


class Tags:
    """DescribeTags as AWS answers it; mixed into moto's class of answers of the second API."""

    elbv2_backend: Any
    _get_param: Any

    def describe_tags(self) -> Any:
        """What is gone has no tags any more, it is not found.

        https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html
        """
        for arn in self._get_param("ResourceArns", []):
            self.elbv2_backend._get_resource_by_arn(arn)
        parent: Any = super()
        return parent.describe_tags()


@cache
def _second() -> Any:
    moto.load()
    from moto.elbv2.responses import ELBV2Response

    return type("SandboxElbV2Response", (Tags, ELBV2Response), {})
