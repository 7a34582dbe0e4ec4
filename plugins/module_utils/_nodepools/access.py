# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""From the module's options to AWS. Private to the collection."""

from __future__ import annotations

from typing import Any

from .cloud import Cloud


def cloud_of(module: Any) -> Cloud:
    """EC2 and IAM as the module's options say. Raises AwsError without region or credentials."""
    # Imported here: boto3 costs a second of CPU, and only a rescue needs it.
    from .._aws.client import Aws

    aws = Aws(module)
    return Cloud(aws.client("ec2"), aws.client("iam"), module.params["cluster_name"] or "")
