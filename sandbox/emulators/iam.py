"""IAM: what the front needs to know of ministack's store, and what ministack gets wrong, put right."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from sandbox.contracts import Credentials, Principal
from sandbox.emulators import identities, ministack
from sandbox.front.accounts import Account
from sandbox.front.principals import Key, unique_id
from sandbox.front.sts import Conditions, Role, condition_keys
from sandbox.iam.model import Request
from sandbox.iam.parse import parse
from sandbox.iam.trust import Caller, Trust, trust

_ADMIN_POLICY = "arn:aws:iam::aws:policy/AdministratorAccess"


def _store() -> Any:
    return ministack.module("services.iam")


class IamStore:
    """Users' keys, roles and instance profiles, read from ministack's store."""

    def find(self, access_key_id: str) -> Key | None:
        """The active key of an IAM user."""
        iam = _store()
        for (account, stored), record in list(iam._access_keys.to_dict().items()):
            if stored == access_key_id and record["Status"] == "Active":
                user = iam._users.get_scoped(account, None, record["UserName"])
                if user is None:
                    return None
                principal = Principal(account, user["Arn"], user["UserId"])
                return Key(Credentials(stored, record["SecretAccessKey"]), principal)
        return None

    def role(self, account: str, name: str) -> Role | None:
        """The role of that name."""
        record = _store()._roles.get_scoped(account, None, name)
        if record is None:
            return None
        return Role(record["Arn"], record["RoleId"], int(record.get("MaxSessionDuration", 3600)))

    def policy(self, account: str, arn: str) -> str | None:
        """The text of a managed policy, AWS's or the account's own."""
        return identities.document(account, arn)

    def trusts(
        self, account: str, name: str, principal: Principal, action: str, conditions: Conditions
    ) -> Trust | None:
        """How the trust policy of the role lets the principal do ``sts:AssumeRole`` or ``sts:TagSession``.

        https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
        """
        record = _store()._roles.get_scoped(account, None, name)
        keys = identities.keys(principal) | {"aws:requestedregion": "us-east-1"} | condition_keys(conditions)
        role_arn = str(keys["aws:principalarn"]) if ":assumed-role/" in principal.arn else None
        caller = Caller(principal.account, principal.arn, role_arn)
        # A trust policy has no Resource: it is about the role that it belongs to.
        return trust(parse(record["AssumeRolePolicyDocument"]), caller, Request(action, record["Arn"], keys))

    def instance_profile(self, account: str, *, name: str | None = None, arn: str | None = None) -> str | None:
        """The ARN of the instance profile of that name or ARN, None when there is none."""
        for (owner, stored), record in list(_store()._instance_profiles.to_dict().items()):
            if owner == account and (stored == name or record["Arn"] == arn):
                return str(record["Arn"])
        return None

    def role_of_profile(self, account: str, name_or_arn: str) -> str | None:
        """The ARN of the role in an instance profile, None when there is none in it."""
        profile = _store()._instance_profiles.get_scoped(account, None, name_or_arn.rpartition("/")[2]) or {}
        found = [self.role(account, name) for name in profile.get("Roles") or []]
        return next((role.arn for role in found if role), None)

    def profile_id(self, account: str, arn: str) -> str:
        """The unique id of an instance profile. Raises LookupError."""
        for (owner, _), record in list(_store()._instance_profiles.to_dict().items()):
            if owner == account and record["Arn"] == arn:
                return str(record["InstanceProfileId"])
        raise LookupError(arn)


def seed_admin(account: Account) -> None:
    """Give a new account its IAM user ``admin`` with AdministratorAccess and the account's key."""

    def work() -> None:
        iam = _store()
        now = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        iam._users["admin"] = {
            "UserName": "admin",
            "Arn": account.principal_arn,
            "UserId": unique_id("AIDA"),
            "CreateDate": now,
            "Path": "/",
            "PermissionsBoundary": "",
            "AttachedPolicies": [],
            "Tags": [],
        }
        iam.attach_managed_policy(iam._users["admin"], _ADMIN_POLICY)
        iam._access_keys[account.credentials.access_key_id] = {
            "UserName": "admin",
            "AccessKeyId": account.credentials.access_key_id,
            "SecretAccessKey": account.credentials.secret_access_key,
            "Status": "Active",
            "CreateDate": now,
        }

    ministack.scoped(account.account_id, "us-east-1", work)
