"""IAM as AWS answers it, where ministack alone would not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.front import servicelinked
from tests.unit.clients import empower

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
    }
)
POLICY = json.dumps(
    {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "ec2:Describe*", "Resource": "*"}]}
)


@pytest.fixture
def iam(aws: Any) -> Any:
    return aws.client("iam")


def code(error: pytest.ExceptionInfo[ClientError]) -> str:
    return str(error.value.response["Error"]["Code"])


def test_the_spot_role_is_made_once(iam: Any, aws: Any) -> None:
    with pytest.raises(ClientError) as error:
        iam.get_role(RoleName="AWSServiceRoleForEC2Spot")
    assert code(error) == "NoSuchEntity"
    role = iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")["Role"]
    path = "role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
    assert role["Arn"] == f"arn:aws:iam::{aws.id}:{path}"
    assert iam.get_role(RoleName="AWSServiceRoleForEC2Spot")["Role"]["Path"] == "/aws-service-role/spot.amazonaws.com/"
    with pytest.raises(ClientError) as error:
        iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    assert code(error) == "InvalidInput"
    assert "has been taken in this account" in str(error.value)


def test_service_linked_roles_are_changed_and_deleted_by_their_service_alone(iam: Any) -> None:
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create-service-linked-role.html"""
    name = iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")["Role"]["RoleName"]
    iam.create_instance_profile(InstanceProfileName="profile")
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: iam.delete_role(RoleName=name),
        lambda: iam.attach_role_policy(RoleName=name, PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess"),
        lambda: iam.put_role_policy(RoleName=name, PolicyName="p", PolicyDocument=POLICY),
        lambda: iam.update_assume_role_policy(RoleName=name, PolicyDocument=TRUST),
        lambda: iam.add_role_to_instance_profile(RoleName=name, InstanceProfileName="profile"),
    )
    for attempt in attempts:
        with pytest.raises(ClientError) as error:
            attempt()
        assert code(error) == "UnmodifiableEntity"
        assert f"protected role '{name}'" in str(error.value)
    task = iam.delete_service_linked_role(RoleName=name)["DeletionTaskId"]
    assert iam.get_service_linked_role_deletion_status(DeletionTaskId=task)["Status"] == "SUCCEEDED"
    assert name not in {role["RoleName"] for role in iam.list_roles()["Roles"]}


@pytest.mark.parametrize(("service", "name"), servicelinked.NAMES.items())
def test_service_linked_roles_are_named_as_their_services_name_them(iam: Any, service: str, name: str) -> None:
    role = iam.create_service_linked_role(AWSServiceName=service)["Role"]
    assert (role["RoleName"], role["Path"]) == (name, f"/aws-service-role/{service}/")
    statement = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement == [{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}]


def test_a_service_nobody_knows_has_no_role(iam: Any) -> None:
    with pytest.raises(ClientError) as error:
        iam.create_service_linked_role(AWSServiceName="unicorn.amazonaws.com")
    assert code(error) == "InvalidInput"


def test_get_user_without_a_name_is_the_caller(iam: Any, aws: Any) -> None:
    assert iam.get_user()["User"]["Arn"] == aws.account.principal_arn
    iam.create_role(
        RoleName="r", AssumeRolePolicyDocument=TRUST.replace('"Service": "ec2.amazonaws.com"', '"AWS": "*"')
    )
    empower(iam, "r")
    session = aws.front.mint_session(f"arn:aws:iam::{aws.id}:role/r", "s")
    with pytest.raises(ClientError) as error:
        aws.client("iam", credentials=session).get_user()
    assert code(error) == "ValidationError"
    assert iam.list_access_keys()["AccessKeyMetadata"][0]["UserName"] == "admin"


def test_names_and_policies_that_are_too_long_are_refused(iam: Any) -> None:
    with pytest.raises(ClientError) as error:
        iam.create_role(RoleName="r" * 65, AssumeRolePolicyDocument=TRUST)
    assert code(error) == "ValidationError"
    assert "Member must have length less than or equal to 64" in str(error.value)
    statement = {"Effect": "Allow", "Action": [f"ec2:Describe{n:05}" for n in range(400)], "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    with pytest.raises(ClientError) as error:
        iam.create_policy(PolicyName="big", PolicyDocument=document)
    assert code(error) == "LimitExceeded"


def test_what_is_in_use_is_not_deleted(iam: Any) -> None:
    iam.create_role(RoleName="node", AssumeRolePolicyDocument=TRUST)
    policy = iam.create_policy(PolicyName="p", PolicyDocument=POLICY)["Policy"]["Arn"]
    iam.attach_role_policy(RoleName="node", PolicyArn=policy)
    iam.create_instance_profile(InstanceProfileName="profile")
    iam.add_role_to_instance_profile(InstanceProfileName="profile", RoleName="node")
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: iam.delete_policy(PolicyArn=policy),
        lambda: iam.delete_role(RoleName="node"),
        lambda: iam.delete_instance_profile(InstanceProfileName="profile"),
    )
    for attempt in attempts:
        with pytest.raises(ClientError) as error:
            attempt()
        assert code(error) == "DeleteConflict"
    iam.detach_role_policy(RoleName="node", PolicyArn=policy)
    with pytest.raises(ClientError) as error:
        iam.delete_role(RoleName="node")
    assert code(error) == "DeleteConflict"


def test_the_policies_of_eks_and_karpenter_exist(iam: Any) -> None:
    for name in (
        "AmazonEKSClusterPolicy",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
        "AdministratorAccess",
    ):
        arn = f"arn:aws:iam::aws:policy/{name}"
        assert iam.get_policy(PolicyArn=arn)["Policy"]["PolicyName"] == name
    with pytest.raises(ClientError) as error:
        iam.get_policy(PolicyArn="arn:aws:iam::aws:policy/AmazonEKSUnicornPolicy")
    assert code(error) == "NoSuchEntity"
