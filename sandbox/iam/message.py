"""A refusal in AWS's words: https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html"""

from __future__ import annotations

from sandbox.iam.model import Decision, Kind

_ARTICLE: dict[Kind, str] = {"identity-based policy": "an", "permissions boundary": "a", "session policy": "a"}


def refusal(principal_arn: str, action: str, resource: str | None, decision: Decision) -> str:
    """What AWS says to a principal whose request was decided so; without a resource where the service names none."""
    text = f"User: {principal_arn} is not authorized to perform: {action}"
    if resource is not None:
        text += f" on resource: {resource}"
    if decision.explicit:
        return f"{text} with an explicit deny in {_ARTICLE[decision.kind]} {decision.kind}"
    return f"{text} because no {decision.kind} allows the {action} action"
