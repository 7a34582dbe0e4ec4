"""Log groups come and go; the rest of CloudWatch Logs is an error."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .world import code


def test_a_group_is_found_by_its_prefix_until_it_is_deleted(aws: Any, other_aws: Any) -> None:
    logs = aws.client("logs")
    logs.create_log_group(logGroupName="/aws/eks/demo/cluster", tags={"team": "shop"})
    logs.put_retention_policy(logGroupName="/aws/eks/demo/cluster", retentionInDays=7)
    [group] = logs.describe_log_groups(logGroupNamePrefix="/aws/eks/demo/")["logGroups"]
    assert (group["logGroupName"], group["retentionInDays"], group["storedBytes"]) == ("/aws/eks/demo/cluster", 7, 0)
    assert logs.list_tags_for_resource(resourceArn=group["logGroupArn"])["tags"] == {"team": "shop"}
    assert other_aws.client("logs").describe_log_groups()["logGroups"] == []
    logs.delete_log_group(logGroupName="/aws/eks/demo/cluster")
    assert logs.describe_log_groups()["logGroups"] == []


def test_a_second_group_of_the_name_is_refused(aws: Any) -> None:
    logs = aws.client("logs")
    logs.create_log_group(logGroupName="twice")
    with pytest.raises(ClientError) as error:
        logs.create_log_group(logGroupName="twice")
    assert code(error) == "ResourceAlreadyExistsException"


def test_what_is_not_looked_after_is_an_error(aws: Any) -> None:
    with pytest.raises(ClientError):
        aws.client("logs").describe_log_streams(logGroupName="twice")
    assert ("logs", "DescribeLogStreams") in {(one["service"], one["action"]) for one in aws.front.log.unimplemented()}
