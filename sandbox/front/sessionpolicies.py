"""Session policies: what an AssumeRole passes to limit the session that it opens.

https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session
https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandbox.front.errors import AwsError
from sandbox.iam.parse import MalformedPolicyError, parse

#: "The plaintext that you use for both inline and managed session policies can't exceed 2,048 characters."
MOST_CHARACTERS = 2048
#: "You can provide up to 10 managed policy ARNs."
MOST_ARNS = 10


class SessionPolicyError(Exception):
    """The policies of a request are not good, and what AWS says to it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.error = AwsError(code, message)


def requested(given: Mapping[str, str], managed: Callable[[str], str | None]) -> tuple[str, ...] | None:
    """The texts of the policies that a request passes, None when it passes none; ``managed`` finds one by its ARN.

    Raises SessionPolicyError.
    """
    arns: list[str] = []
    while (arn := given.get(f"PolicyArns.member.{len(arns) + 1}.arn")) is not None:
        arns.append(arn)
    inline = given.get("Policy")
    if inline is None and not arns:
        return None
    if len(arns) > MOST_ARNS:
        raise SessionPolicyError("ValidationError", f"A session has {MOST_ARNS} managed session policies at most.")
    texts = [] if inline is None else [_checked(inline)]
    for arn in arns:
        text = managed(arn)
        if text is None:
            raise SessionPolicyError("InvalidParameterValue", f"PolicyArns: {arn} does not exist or is not attachable.")
        texts.append(text)
    return tuple(texts)


def packed(texts: tuple[str, ...] | None) -> int:
    """How much of the room for session policies they take, in percent."""
    return min(100, round(100 * sum(map(len, texts or ())) / MOST_CHARACTERS))


def _checked(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        rule = f"less than or equal to {MOST_CHARACTERS}"
        where = "1 validation error detected: Value at 'policy' failed to satisfy constraint: Member must have length"
        raise SessionPolicyError("ValidationError", f"{where} {rule}")
    try:
        parse(text)
    except MalformedPolicyError as error:
        raise SessionPolicyError("MalformedPolicyDocument", str(error)) from error
    return text
