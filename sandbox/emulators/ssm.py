"""Systems Manager's parameters by moto."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import moto

#: Only parameters are in the sandbox; moto's answers to the rest of the service are not looked after here.
IMPLEMENTED = frozenset(
    {
        "GetParameter",
        "GetParameters",
        "GetParametersByPath",
        "GetParameterHistory",
        "DescribeParameters",
        "PutParameter",
        "DeleteParameter",
        "DeleteParameters",
        "LabelParameterVersion",
        "AddTagsToResource",
        "RemoveTagsFromResource",
        "ListTagsForResource",
    }
)


#: What changes a parameter otherwise than by a new value. Public ones are AWS's and shared by all accounts here:
#: https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters.html
_OWN_ONLY = frozenset(
    {"DeleteParameter", "DeleteParameters", "LabelParameterVersion", "AddTagsToResource", "RemoveTagsFromResource"}
)


def answer(call: Call) -> HttpResponse:
    """Answer an SSM call; blocks. Raises moto.NotInMotoError."""
    if call.action not in IMPLEMENTED or (call.action in _OWN_ONLY and b"/aws/service/" in call.request.body):
        raise moto.NotInMotoError(call.action)
    return moto.dispatch(_responses(), call)


class Parameters:
    """Parameter operations as AWS answers them; mixed into moto's class of SSM answers."""

    ssm_backend: Any
    current_account: str

    def describe_parameters(self) -> Any:
        """Public parameters are nobody's, so no account's list has them.

        https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters.html
        """
        backend = self.ssm_backend
        everything = backend._parameters
        own = type(everything)(everything.account_id, everything.region_name)
        own |= {name: versions for name, versions in everything.items() if not name.startswith("/aws/service/")}
        backend._parameters = own
        try:
            return cast(Any, super()).describe_parameters()
        finally:
            backend._parameters = everything


@cache
def _responses() -> Any:
    moto.load()
    from moto.ssm.responses import SimpleSystemManagerResponse

    return type("SandboxSsmResponse", (Parameters, SimpleSystemManagerResponse), {})
