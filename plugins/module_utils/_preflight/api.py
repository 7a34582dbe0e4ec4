# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The reads behind the preflight: botocore's regions, the caller, the cluster. Private to the collection."""

from __future__ import annotations

import base64
import contextlib
import tempfile
import urllib.error
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.urls import ConnectionError as ConnectionFailed
from ansible.module_utils.urls import open_url

with contextlib.suppress(ImportError):  # AnsibleAWSModule says so in its own words before anything here is used
    from botocore.loaders import create_loader
    from botocore.regions import EndpointResolver

from .._aws.client import Aws

PROBE_SECONDS = 10


class Elsewhere:
    """The options of a module, with another region."""

    def __init__(self, params: Mapping[str, Any], region: str) -> None:
        self.params: dict[str, Any] = {**params, "region": region}


def eks_regions() -> dict[str, str]:
    """Partition by region, of all regions that EKS has according to the installed botocore.

    By botocore's data files and not by a session, which would fail for a profile that does not exist before that can be
    told as a finding.
    """
    resolver = EndpointResolver(create_loader().load_data("endpoints"))
    return {
        region: partition
        for partition in resolver.get_available_partitions()
        for region in resolver.get_available_endpoints("eks", partition)
    }


# A region of each partition that is always on:
# https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html
ALWAYS_ON = {"aws": "us-east-1", "aws-cn": "cn-north-1", "aws-us-gov": "us-gov-west-1"}


def caller(aws: Aws) -> dict[str, str]:
    """Account, ARN and user id of the caller, by the region's own STS. Raises AwsError."""
    answer = aws.client("sts").call("get_caller_identity")
    return {"account": answer["Account"], "arn": answer["Arn"], "user_id": answer["UserId"]}


def find_cluster(aws: Aws, name: str) -> dict[str, Any] | None:
    """The cluster as EKS describes it, None when there is none. Raises AwsError."""
    answer = aws.client("eks").find("describe_cluster", name=name)
    return None if answer is None else dict(answer["cluster"])


def probe(endpoint: str, ca_data: str | None) -> str | None:
    """Why the API server of a cluster does not answer, None when it does; any HTTP status is an answer.

    A proxy of the environment (HTTPS_PROXY) is used as by all other tools.
    """
    try:
        with tempfile.NamedTemporaryFile(suffix=".pem") as authority:
            authority.write(base64.b64decode(ca_data or "", validate=True))
            authority.flush()
            path = authority.name if ca_data else None
            open_url(f"{endpoint}/version", timeout=PROBE_SECONDS, ca_path=path).close()
    except urllib.error.HTTPError as error:
        error.close()
    except (OSError, ValueError, ConnectionFailed) as error:
        return str(getattr(error, "reason", None) or error) or type(error).__name__
    return None
