"""Access entries and access policies through boto3, and who gets in with them."""

from __future__ import annotations

import base64
import json
from functools import partial

import pytest

from sandbox.contracts import Credentials

from .helpers import REGION, code_of, token_of
from .world import Tenant

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


def _session(tenant: Tenant, role_arn: str, session: str) -> Credentials:
    return tenant.world.front.mint_session(role_arn, session)


def test_the_creator_is_an_administrator(tenant: Tenant) -> None:
    tenant.cluster()
    status = tenant.review(token_of(tenant.account.credentials, "demo"))
    assert status["authenticated"] is True
    assert status["user"]["username"] == tenant.account.principal_arn
    assert status["user"]["groups"] == ["eks:access-policy:AmazonEKSClusterAdminPolicy"]
    entry = tenant.eks.describe_access_entry(clusterName="demo", principalArn=tenant.account.principal_arn)
    assert entry["accessEntry"]["type"] == "STANDARD"
    associated = tenant.eks.list_associated_access_policies(
        clusterName="demo", principalArn=tenant.account.principal_arn
    )
    assert [one["policyArn"] for one in associated["associatedAccessPolicies"]] == [ADMIN]


def test_the_creator_can_be_left_out(tenant: Tenant) -> None:
    config = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}
    tenant.cluster(accessConfig=config)
    status = tenant.review(token_of(tenant.account.credentials, "demo"))
    assert status["authenticated"] is False
    assert "has no access entry" in status["error"]


def test_without_an_entry_nobody_gets_in_and_with_one_they_do(tenant: Tenant) -> None:
    tenant.cluster()
    arn = tenant.role("team", "ec2.amazonaws.com", path="/apps/dev/")
    token = token_of(_session(tenant, arn, "me@home"), "demo")
    assert tenant.review(token)["authenticated"] is False
    entry = tenant.eks.create_access_entry(clusterName="demo", principalArn=arn, kubernetesGroups=["viewers"])
    assert entry["accessEntry"]["username"] == f"arn:aws:sts::{tenant.id}:assumed-role/team/{{{{SessionName}}}}"
    user = tenant.review(token)["user"]
    assert user["username"] == f"arn:aws:sts::{tenant.id}:assumed-role/team/me-home"
    assert user["groups"] == ["viewers"]
    tenant.eks.delete_access_entry(clusterName="demo", principalArn=arn)
    assert tenant.review(token)["authenticated"] is False


def test_an_entry_of_a_role_that_was_made_again_does_not_work(tenant: Tenant) -> None:
    tenant.cluster()
    arn = tenant.role("team", "ec2.amazonaws.com")
    tenant.eks.create_access_entry(clusterName="demo", principalArn=arn)
    tenant.client("iam").delete_role(RoleName="team")
    tenant.role("team", "ec2.amazonaws.com")
    assert tenant.review(token_of(_session(tenant, arn, "me"), "demo"))["authenticated"] is False


def test_nodes_are_known_by_the_private_dns_name_of_their_instance(tenant: Tenant) -> None:
    tenant.cluster()
    arn = tenant.role("karpenter-node", "ec2.amazonaws.com")
    entry = tenant.eks.create_access_entry(clusterName="demo", principalArn=arn, type="EC2_LINUX")["accessEntry"]
    assert entry["username"] == "system:node:{{EC2PrivateDNSName}}"
    assert entry["kubernetesGroups"] == ["system:nodes"]
    ec2 = tenant.client("ec2")
    image = ec2.describe_images(Filters=[{"Name": "name", "Values": ["amazon-eks-node-al2023-x86_64-standard-1.36-*"]}])
    started = ec2.run_instances(ImageId=image["Images"][0]["ImageId"], InstanceType="m5.large", MinCount=1, MaxCount=1)[
        "Instances"
    ][0]
    user = tenant.review(token_of(_session(tenant, arn, started["InstanceId"]), "demo"))["user"]
    assert user["username"] == f"system:node:{started['PrivateDnsName']}"
    assert user["groups"] == ["system:bootstrappers", "system:nodes"]
    unknown = tenant.review(token_of(_session(tenant, arn, "i-00000000000000000"), "demo"))
    assert unknown["authenticated"] is False
    assert "i-00000000000000000" in unknown["error"]
    person = tenant.review(token_of(_session(tenant, arn, "person"), "demo"))
    assert "not one of an EC2 instance" in person["error"]


@pytest.mark.parametrize("kind", ["FARGATE_LINUX", "HYBRID_LINUX"])
def test_nodes_elsewhere_are_known_by_their_session(tenant: Tenant, kind: str) -> None:
    tenant.cluster()
    arn = tenant.role("elsewhere", "ec2.amazonaws.com")
    tenant.eks.create_access_entry(clusterName="demo", principalArn=arn, type=kind)
    user = tenant.review(token_of(_session(tenant, arn, "mi-1"), "demo"))["user"]
    assert user["username"] == "system:node:mi-1"
    assert "system:nodes" in user["groups"]


def test_tokens_that_are_not_good_get_nobody_in(tenant: Tenant) -> None:
    tenant.cluster()
    keys = tenant.account.credentials
    wrong = Credentials(keys.access_key_id, "not the secret")
    other = f"https://sts.{REGION}.amazonaws.com/?Action=GetSessionToken&Version=2011-06-15"
    not_a_url = "k8s-aws-v1." + base64.urlsafe_b64encode(b"\xff\xfe").decode()
    for token, says in {
        "v1.abc": "not one of EKS",
        not_a_url: "not a presigned URL",
        token_of(wrong, "demo"): "not good",
        token_of(keys, "other"): "not good",
        token_of(keys, "demo", url=other): "not GetCallerIdentity",
        token_of(keys, "demo", sign_cluster=False): "does not sign x-k8s-aws-id",
    }.items():
        status = tenant.review(token)
        assert status["authenticated"] is False
        assert says in status["error"]


def test_access_policies_give_groups_that_are_bound(tenant: Tenant) -> None:
    tenant.cluster()
    arn = tenant.role("viewer", "ec2.amazonaws.com")
    tenant.eks.create_access_entry(clusterName="demo", principalArn=arn)
    scope = {"type": "namespace", "namespaces": ["default", "team-*"]}
    place = {"clusterName": "demo", "principalArn": arn}
    answer = tenant.eks.associate_access_policy(**place, policyArn=VIEW, accessScope=scope)
    assert answer["associatedAccessPolicy"]["accessScope"] == scope
    groups = tenant.review(token_of(_session(tenant, arn, "me"), "demo"))["user"]["groups"]
    prefix = "eks:access-policy:AmazonEKSViewPolicy:namespace:"
    assert groups == [f"{prefix}default", f"{prefix}team-*"]
    bindings = [item for path, item in tenant.kube("demo").objects.items() if "/rolebindings/" in path]
    assert [one["metadata"]["namespace"] for one in bindings] == ["default"]
    assert bindings[0]["subjects"][0]["name"] == f"{prefix}default"
    rbac = "/apis/rbac.authorization.k8s.io/v1/clusterroles/eks:access-policy:AmazonEKSViewPolicy"
    assert tenant.kube("demo").objects[rbac]["rules"]
    listed = tenant.eks.list_access_entries(clusterName="demo", associatedPolicyArn=VIEW)["accessEntries"]
    assert listed == [arn]
    tenant.eks.disassociate_access_policy(**place, policyArn=VIEW)
    assert tenant.review(token_of(_session(tenant, arn, "me"), "demo"))["user"]["groups"] == []
    again = code_of(lambda: tenant.eks.disassociate_access_policy(**place, policyArn=VIEW))
    assert again[0] == "ResourceNotFoundException"


def test_policies_are_listed(tenant: Tenant) -> None:
    names = [one["name"] for one in tenant.eks.list_access_policies()["accessPolicies"]]
    assert "AmazonEKSClusterAdminPolicy" in names
    assert "AmazonEKSViewPolicy" in names


def test_an_entry_can_change_its_groups_and_username(tenant: Tenant) -> None:
    tenant.cluster()
    arn = tenant.role("team", "ec2.amazonaws.com")
    tenant.eks.create_access_entry(clusterName="demo", principalArn=arn, username="team:{{SessionName}}")
    changed = tenant.eks.update_access_entry(clusterName="demo", principalArn=arn, kubernetesGroups=["a"])
    assert changed["accessEntry"]["kubernetesGroups"] == ["a"]
    assert changed["accessEntry"]["username"] == "team:{{SessionName}}"
    assert tenant.review(token_of(_session(tenant, arn, "me"), "demo"))["user"]["username"] == "team:me"


def test_bad_entries_name_what_is_wrong(tenant: Tenant) -> None:
    tenant.cluster()
    team = tenant.role("team", "ec2.amazonaws.com")
    unknown = f"arn:aws:iam::{tenant.id}:role/unknown"
    session = f"arn:aws:sts::{tenant.id}:assumed-role/team/me"
    linked = f"arn:aws:iam::{tenant.id}:role/aws-service-role/eks.amazonaws.com/x"
    for change, says in (
        ({"principalArn": unknown}, "invalid principal"),
        ({"principalArn": session}, "invalid principal"),
        ({"principalArn": linked}, "invalid principal"),
        ({"kubernetesGroups": ["system:masters"]}, "cannot start with system:"),
        ({"username": "eks:me"}, "cannot start with"),
        ({"username": "me{{SessionName}}"}, "colon before"),
        ({"type": "EC2"}, "not one that the sandbox knows"),
        ({"type": "EC2_LINUX", "kubernetesGroups": ["a"]}, "neither kubernetesGroups nor a username"),
        ({"type": "EC2_LINUX", "principalArn": tenant.account.principal_arn}, "an IAM role"),
    ):
        wanted = {"clusterName": "demo", "principalArn": team} | change
        code, message = code_of(partial(tenant.eks.create_access_entry, **wanted))
        assert code == "InvalidParameterException"
        assert says in message
    tenant.eks.create_access_entry(clusterName="demo", principalArn=team)
    twice = code_of(lambda: tenant.eks.create_access_entry(clusterName="demo", principalArn=team))
    assert twice == (
        "ResourceInUseException",
        "The specified access entry resource is already in use on this cluster.",
    )


def test_bad_associations_name_what_is_wrong(tenant: Tenant) -> None:
    tenant.cluster()
    node = tenant.role("nodes", "ec2.amazonaws.com")
    tenant.eks.create_access_entry(clusterName="demo", principalArn=node, type="EC2_LINUX")
    me = tenant.account.principal_arn
    cluster = {"type": "cluster"}
    for arn, policy, scope, code in (
        (node, VIEW, cluster, "InvalidRequestException"),
        (me, f"{VIEW}Not", cluster, "InvalidParameterException"),
        (me, VIEW, {"type": "namespace"}, "InvalidParameterException"),
        (me, VIEW, {"type": "cluster", "namespaces": ["a"]}, "InvalidParameterException"),
        (f"{me}x", VIEW, cluster, "ResourceNotFoundException"),
    ):
        wanted = {"clusterName": "demo", "principalArn": arn, "policyArn": policy, "accessScope": scope}
        assert code_of(partial(tenant.eks.associate_access_policy, **wanted))[0] == code


def test_aws_auth_still_works_where_the_mode_allows_it(tenant: Tenant) -> None:
    arn = tenant.role("legacy", "ec2.amazonaws.com", path="/some/path/")
    mapping = [{"rolearn": f"arn:aws:iam::{tenant.id}:role/legacy", "username": "old:{{SessionName}}", "groups": ["g"]}]
    for name, mode in (("both", "API_AND_CONFIG_MAP"), ("map", "CONFIG_MAP"), ("api", "API")):
        tenant.cluster(name, accessConfig={"authenticationMode": mode})
        kube = tenant.kube(name)
        config = {"metadata": {"name": "aws-auth"}, "data": {"mapRoles": json.dumps(mapping)}}
        path = "/api/v1/namespaces/kube-system/configmaps/aws-auth"
        tenant.world.call(partial(kube.put, path, config))
        status = tenant.review(token_of(_session(tenant, arn, "me"), name), name)
        if mode == "API":
            assert status["authenticated"] is False
        else:
            assert (status["user"]["username"], status["user"]["groups"]) == ("old:me", ["g"])
    creator = tenant.review(token_of(tenant.account.credentials, "map"), "map")
    assert creator["user"]["groups"] == ["system:masters"]
