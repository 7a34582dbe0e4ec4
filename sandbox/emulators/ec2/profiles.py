"""Instance profiles live in ministack's IAM; moto asks its own, which is empty. This lets it ask the right one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Any

from sandbox.emulators.ec2.errors import client_error
from sandbox.emulators.iam import IamStore


@dataclass(frozen=True)
class Profile:
    """What moto wants to know of an instance profile."""

    arn: str
    id: str


class _Profiles:
    """Looks like moto's IAM store of one account, as far as EC2 asks it."""

    def __init__(self, account: str) -> None:
        self._account = account

    def get_instance_profile(self, name: str) -> Profile:
        """https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateIamInstanceProfile.html"""
        return self._found(name, IamStore().instance_profile(self._account, name=name))

    def get_instance_profile_by_arn(self, arn: str) -> Profile:
        """As above, by ARN."""
        return self._found(arn, IamStore().instance_profile(self._account, arn=arn))

    def _found(self, wanted: str, arn: str | None) -> Profile:
        if arn is None:
            text = f"Value ({wanted}) for parameter iamInstanceProfile is invalid. Invalid IAM Instance Profile"
            raise client_error("InvalidParameterValue", text)
        return Profile(arn, IamStore().profile_id(self._account, arn))


class _Accounts(dict[str, Any]):
    """account -> partition -> profiles, as moto indexes its IAM stores."""

    def __missing__(self, account: str) -> Any:
        self[account] = defaultdict(lambda: _Profiles(account))
        return self[account]


@cache
def use_ministack_profiles() -> None:
    """Put ministack's instance profiles where moto's EC2 looks for them."""
    from moto.ec2 import utils

    utils.iam_backends = _Accounts()
