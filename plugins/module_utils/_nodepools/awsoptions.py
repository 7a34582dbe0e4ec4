# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The connection options of amazon.aws, without amazon.aws: it imports boto3, which only a rescue needs.

Private to the collection.
"""

from __future__ import annotations

from typing import Any

from ansible.module_utils.basic import env_fallback


def _option(aliases: list[str], *variables: str, **more: Any) -> dict[str, Any]:
    return {"type": "str", "aliases": aliases, "fallback": (env_fallback, list(variables)), **more}


ARGUMENT_SPEC: dict[str, Any] = {
    "region": _option(["aws_region"], "AWS_REGION", "AWS_DEFAULT_REGION"),
    "profile": _option(["aws_profile"], "AWS_PROFILE", "AWS_DEFAULT_PROFILE"),
    "access_key": _option(
        ["aws_access_key_id", "aws_access_key"], "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", no_log=False
    ),
    "secret_key": _option(
        ["aws_secret_access_key", "aws_secret_key"], "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", no_log=True
    ),
    "session_token": _option(["aws_session_token"], "AWS_SESSION_TOKEN", no_log=True),
    "endpoint_url": _option(["aws_endpoint_url"], "AWS_URL"),
    "validate_certs": {"type": "bool", "default": True},
    "aws_ca_bundle": {"type": "path", "fallback": (env_fallback, ["AWS_CA_BUNDLE"])},
    "aws_config": {"type": "dict"},
    "debug_botocore_endpoint_logs": {
        "type": "bool", "default": False, "fallback": (env_fallback, ["ANSIBLE_DEBUG_BOTOCORE_LOGS"])
    },
}  # fmt: skip
"""As in the documentation fragments ``amazon.aws.common.modules`` and ``amazon.aws.region.modules``."""
