"""AWS managed policies, with the documents that AWS gives them; ministack brings a few, in words of its own.

https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html, of which moto carries a copy.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sandbox.emulators import ministack


def published() -> dict[str, Any]:
    """Name -> document, path, dates and version, of every AWS managed policy."""
    from moto.iam.aws_managed_policies import aws_managed_policies_data

    found: dict[str, Any] = json.loads(aws_managed_policies_data)
    return found


@cache
def install() -> None:
    """Put them into ministack's store, once per process."""
    iam = ministack.module("services.iam")
    for name, policy in published().items():
        path = policy["Path"].lstrip("/") + name
        known = iam._aws_managed_policies.get(f"arn:aws:iam::aws:policy/{path}") or {}
        record = iam._make_aws_managed_record(path, json.dumps(policy["Document"]), known.get("Description", ""))
        iam._aws_managed_policies[record["Arn"]] = record | _dates(record, policy)


def _dates(record: dict[str, Any], policy: dict[str, Any]) -> dict[str, Any]:
    """When the policy and its version in force were made, and what that is called."""
    version = policy["DefaultVersionId"]
    made, changed = (policy[key].replace("+00:00", "Z") for key in ("CreateDate", "UpdateDate"))
    document = {**record["Versions"]["v1"], "VersionId": version, "CreateDate": changed}
    return {
        "DefaultVersionId": version,
        "CreateDate": made,
        "UpdateDate": changed,
        "Versions": {version: document},
    }
