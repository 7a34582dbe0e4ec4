"""Session tags: what an AssumeRole passes, what a chained session inherits, and what AWS refuses about them. Pure.

https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sandbox.contracts import SessionTag
from sandbox.front.errors import AwsError

#: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html#reference_iam-quotas-entity-length
MOST_TAGS = 50
MOST_KEY_CHARACTERS = 128
MOST_VALUE_CHARACTERS = 256

Tags = tuple[SessionTag, ...]


class SessionTagError(Exception):
    """The tags of a request are not good, and what AWS says to it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.error = AwsError(code, message)


def requested(given: Mapping[str, str]) -> Tags:
    """The tags that an AssumeRole request passes: ``Tags.member.N`` and ``TransitiveTagKeys.member.N``.

    https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
    Raises SessionTagError.
    """
    tags: list[SessionTag] = []
    while (key := given.get(f"Tags.member.{len(tags) + 1}.Key")) is not None:
        tags.append(SessionTag(key, given.get(f"Tags.member.{len(tags) + 1}.Value", "")))
    keys: list[str] = []
    while (key := given.get(f"TransitiveTagKeys.member.{len(keys) + 1}")) is not None:
        keys.append(key.lower())
    _check_sizes(tags)
    names = {tag.key.lower() for tag in tags}
    if len(names) < len(tags):
        raise _invalid("Duplicate tag keys found. Please note that Tag keys are case insensitive.")
    if not set(keys) <= names:
        raise _invalid("The specified transitive tag key must be included in the requested tags.")
    return tuple(replace(tag, transitive=tag.key.lower() in keys) for tag in tags)


def chained(own: Sequence[SessionTag], passed: Tags) -> Tags:
    """The tags of a session that a session with the tags ``own`` opens: the transitive ones, and those passed.

    "If you pass a session tag with the same key as an inherited tag, the operation fails":
    https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
    Raises SessionTagError.
    """
    inherited = tuple(tag for tag in own if tag.transitive)
    if {tag.key.lower() for tag in inherited} & {tag.key.lower() for tag in passed}:
        raise _invalid(
            "One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from "
            "the calling session."
        )
    return inherited + passed


def conditions(passed: Tags) -> dict[str, str | list[str] | None]:
    """The condition keys, in lower case, that tags passed in a request put into its context.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-requesttag
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html#ck_transitivetagkeys
    """
    found: dict[str, str | list[str] | None] = {f"aws:requesttag/{tag.key.lower()}": tag.value for tag in passed}
    found["aws:tagkeys"] = [tag.key for tag in passed] or None
    found["sts:transitivetagkeys"] = [tag.key for tag in passed if tag.transitive] or None
    return found


def principal_conditions(of_identity: Mapping[str, str], session: Sequence[SessionTag]) -> dict[str, str]:
    """``aws:PrincipalTag`` of a caller: the tags of the role or user, and over them those of the session.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-principaltag
    """
    found = {f"aws:principaltag/{key.lower()}": value for key, value in of_identity.items()}
    return found | {f"aws:principaltag/{tag.key.lower()}": tag.value for tag in session}


def _check_sizes(tags: list[SessionTag]) -> None:
    if len(tags) > MOST_TAGS:
        raise _violation("tags", f"less than or equal to {MOST_TAGS}")
    for number, tag in enumerate(tags, 1):
        if not tag.key:
            raise _violation(f"tags.{number}.member.key", "greater than or equal to 1")
        if len(tag.key) > MOST_KEY_CHARACTERS:
            raise _violation(f"tags.{number}.member.key", f"less than or equal to {MOST_KEY_CHARACTERS}")
        if len(tag.value) > MOST_VALUE_CHARACTERS:
            raise _violation(f"tags.{number}.member.value", f"less than or equal to {MOST_VALUE_CHARACTERS}")
        # https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
        if tag.key.lower().startswith("aws:"):
            raise _invalid("Tag keys that begin with aws: are reserved.")


def _violation(place: str, rule: str) -> SessionTagError:
    text = f"1 validation error detected: Value at '{place}' failed to satisfy constraint: Member must have length"
    return SessionTagError("ValidationError", f"{text} {rule}")


def _invalid(message: str) -> SessionTagError:
    return SessionTagError("InvalidParameterValue", message)
