"""IAM: what the front needs to know of ministack's store, and what ministack gets wrong, put right."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from sandbox.contracts import Credentials, Principal
from sandbox.emulators import ministack
from sandbox.front import sessiontags
from sandbox.front.accounts import Account
from sandbox.front.principals import Key, unique_id
from sandbox.front.sts import Conditions, Role

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

    def trusts(self, account: str, name: str, principal: Principal, action: str, conditions: Conditions) -> bool:
        """Whether the trust policy of the role lets the principal do ``sts:AssumeRole`` or ``sts:TagSession``.

        https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
        """
        record = _store()._roles.get_scoped(account, None, name)
        evaluator = ministack.module("core.iam_evaluator")
        kind = "User" if ":user/" in principal.arn else "AssumedRole"
        context = evaluator.EvalContext(
            principal_arn=principal.arn,
            principal_type=kind,
            principal_account=principal.account,
            action=action,
            resource_arn=record["Arn"],
            region="us-east-1",
            service_context=dict(conditions),
            principal_keys={"aws:userid": principal.user_id}
            | sessiontags.principal_conditions(_tags(principal), principal.session_tags),
        )
        return bool(evaluator.evaluate_trust_policy(record["AssumeRolePolicyDocument"], principal.arn, context))

    def instance_profile(self, account: str, *, name: str | None = None, arn: str | None = None) -> str | None:
        """The ARN of the instance profile of that name or ARN, None when there is none."""
        for (owner, stored), record in list(_store()._instance_profiles.to_dict().items()):
            if owner == account and (stored == name or record["Arn"] == arn):
                return str(record["Arn"])
        return None

    def profile_id(self, account: str, arn: str) -> str:
        """The unique id of an instance profile. Raises LookupError."""
        for (owner, _), record in list(_store()._instance_profiles.to_dict().items()):
            if owner == account and record["Arn"] == arn:
                return str(record["InstanceProfileId"])
        raise LookupError(arn)


def _tags(principal: Principal) -> dict[str, str]:
    """The tags of the user or role behind a principal."""
    kind, _, path = principal.arn.rpartition(":")[2].partition("/")
    store, name = (
        (_store()._users, path.rpartition("/")[2]) if kind == "user" else (_store()._roles, path.partition("/")[0])
    )
    record = store.get_scoped(principal.account, None, name) or {}
    return {tag["Key"]: tag["Value"] for tag in record.get("Tags") or []}


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
