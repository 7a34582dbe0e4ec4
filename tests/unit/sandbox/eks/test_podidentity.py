"""Pod identity through boto3 and http: associations, admission, credentials."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from functools import partial
from typing import Any

import pytest

from sandbox.contracts import Credentials

from .helpers import REGION, code_of
from .world import Tenant

_TOKEN = "header.payload.signature"


def _associate(tenant: Tenant, role_arn: str, **params: Any) -> dict[str, Any]:
    wanted = {"clusterName": "demo", "namespace": "kube-system", "serviceAccount": "karpenter", "roleArn": role_arn}
    association: dict[str, Any] = tenant.eks.create_pod_identity_association(**wanted | params)["association"]
    return association


def _know_token(tenant: Tenant, account: str = "karpenter") -> None:
    extra = {"authentication.kubernetes.io/pod-name": ["karpenter-1"], "authentication.kubernetes.io/pod-uid": ["u1"]}
    user = {"username": f"system:serviceaccount:kube-system:{account}", "extra": extra}
    tenant.kube("demo").users[_TOKEN] = user


def _credentials(tenant: Tenant, token: str = _TOKEN) -> tuple[int, str]:
    url = f"{tenant.world.front.url}/v1/pod-identity/{tenant.id}/{REGION}/demo/credentials"
    request = urllib.request.Request(url, headers={"Authorization": token} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_associations_are_made_listed_changed_and_deleted(tenant: Tenant) -> None:
    tenant.cluster()
    first, second = tenant.pod_role("one"), tenant.pod_role("two")
    made = _associate(tenant, first, tags={"a": "b"})
    assert made["associationArn"].endswith(f":podidentityassociation/demo/{made['associationId']}")
    assert made["associationId"].startswith("a-")
    _associate(tenant, second, namespace="default", serviceAccount="web")
    listed = tenant.eks.list_pod_identity_associations(clusterName="demo", namespace="kube-system")["associations"]
    assert [one["associationId"] for one in listed] == [made["associationId"]]
    place = {"clusterName": "demo", "associationId": made["associationId"]}
    changed = tenant.eks.update_pod_identity_association(**place, roleArn=second)["association"]
    assert changed["roleArn"] == second
    tenant.eks.delete_pod_identity_association(**place)
    missing = code_of(lambda: tenant.eks.describe_pod_identity_association(**place))
    assert missing[0] == "ResourceNotFoundException"


def test_a_service_account_has_one_association(tenant: Tenant) -> None:
    tenant.cluster()
    role = tenant.pod_role()
    first = _associate(tenant, role)
    code, message = code_of(lambda: _associate(tenant, role))
    assert code == "ResourceInUseException"
    assert first["associationId"] in message


def test_roles_that_do_not_exist_or_do_not_trust_pod_identity_are_refused(tenant: Tenant) -> None:
    tenant.cluster()
    half = tenant.role("half", "pods.eks.amazonaws.com")
    for arn, says in (
        (f"arn:aws:iam::{tenant.id}:role/none", "does not exist"),
        ("arn:aws:iam::123456789012:role/pods", "does not exist"),
        (tenant.node_role, "Trust policy of the role provided is invalid"),
        (half, "Trust policy of the role provided is invalid"),
    ):
        code, message = code_of(partial(_associate, tenant, arn))
        assert code == "InvalidParameterException"
        assert says in message
    refused = code_of(lambda: _associate(tenant, tenant.pod_role(), targetRoleArn="arn:aws:iam::123456789012:role/x"))
    assert "targetRoleArn is not supported" in refused[1]


def test_a_pod_gets_credentials_of_its_role(tenant: Tenant) -> None:
    tenant.cluster()
    role = tenant.pod_role("demo-karpenter")
    _associate(tenant, role)
    _know_token(tenant)
    status, text = _credentials(tenant)
    assert status == 200
    found = json.loads(text)
    assert set(found) == {"AccessKeyId", "SecretAccessKey", "Token", "AccountId", "Expiration"}
    who = tenant.client("sts", _session(tenant)).get_caller_identity()
    prefix = f"arn:aws:sts::{tenant.id}:assumed-role/demo-karpenter/eks-demo-karpenter-1-"
    assert who["Arn"].startswith(prefix)
    assert found["AccountId"] == tenant.id


def _chained(tenant: Tenant, keys: Credentials, role: str) -> Credentials:
    answer = tenant.client("sts", keys).assume_role(RoleArn=role, RoleSessionName="next")["Credentials"]
    return Credentials(answer["AccessKeyId"], answer["SecretAccessKey"], answer["SessionToken"])


def test_the_session_of_a_pod_says_which_pod_it_is_and_so_do_those_it_opens(tenant: Tenant) -> None:
    """https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html"""
    cluster = tenant.cluster()
    association = _associate(tenant, tenant.pod_role())
    _know_token(tenant)
    pod = {
        "eks-cluster-arn": cluster["arn"],
        "eks-cluster-name": "demo",
        "kubernetes-namespace": "kube-system",
        "kubernetes-service-account": "karpenter",
        "kubernetes-pod-name": "karpenter-1",
        "kubernetes-pod-uid": "u1",
    }
    conditions = {f"aws:PrincipalTag/{key}": value for key, value in pod.items()}
    statement = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    statement["Condition"] = {"StringEquals": conditions}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    roles = [
        tenant.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
        for name in ("second", "third")
    ]
    second = _chained(tenant, _session(tenant), roles[0])
    third = tenant.client("sts", _chained(tenant, second, roles[1])).get_caller_identity()["Arn"]
    assert third == f"arn:aws:sts::{tenant.id}:assumed-role/third/next"
    place = {"clusterName": "demo", "associationId": association["associationId"]}
    tenant.eks.update_pod_identity_association(**place, disableSessionTags=True)
    untagged = _session(tenant)
    code, message = code_of(lambda: _chained(tenant, untagged, roles[0]))
    assert (code, "sts:AssumeRole" in message) == ("AccessDenied", True)


def _session(tenant: Tenant) -> Credentials:
    found = json.loads(_credentials(tenant)[1])
    return Credentials(found["AccessKeyId"], found["SecretAccessKey"], found["Token"])


def test_eks_auth_gives_the_same_and_says_more(tenant: Tenant) -> None:
    tenant.cluster()
    association = _associate(tenant, tenant.pod_role())
    _know_token(tenant)
    answer = tenant.client("eks-auth").assume_role_for_pod_identity(clusterName="demo", token=_TOKEN)
    assert answer["subject"] == {"namespace": "kube-system", "serviceAccount": "karpenter"}
    assert answer["audience"] == "pods.eks.amazonaws.com"
    assert answer["podIdentityAssociation"]["associationId"] == association["associationId"]
    keys = answer["credentials"]
    session = Credentials(keys["accessKeyId"], keys["secretAccessKey"], keys["sessionToken"])
    who = tenant.client("sts", session).get_caller_identity()
    assert who["Arn"] == answer["assumedRoleUser"]["arn"]
    assert who["UserId"] == answer["assumedRoleUser"]["assumeRoleId"]


def test_without_an_association_there_are_no_credentials(tenant: Tenant) -> None:
    tenant.cluster()
    _know_token(tenant)
    status, text = _credentials(tenant)
    assert status == 404
    assert "ResourceNotFoundException" in text
    assert "kube-system/karpenter" in text
    association = _associate(tenant, tenant.pod_role())
    assert _credentials(tenant)[0] == 200
    tenant.eks.delete_pod_identity_association(clusterName="demo", associationId=association["associationId"])
    assert _credentials(tenant)[0] == 404


def test_a_role_that_trusts_no_more_gives_no_credentials(tenant: Tenant) -> None:
    tenant.cluster()
    _associate(tenant, tenant.pod_role("fickle"))
    _know_token(tenant)
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": {"StringEquals": {"aws:RequestTag/kubernetes-namespace": "elsewhere"}},
    }
    iam = tenant.client("iam")

    def trust(namespace: str) -> None:
        statement["Condition"] = {"StringEquals": {"aws:RequestTag/kubernetes-namespace": namespace}}
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        iam.update_assume_role_policy(RoleName="fickle", PolicyDocument=document)

    trust("elsewhere")
    status, text = _credentials(tenant)
    assert (status, "AccessDeniedException" in text) == (400, True)
    trust("kube-system")
    assert _credentials(tenant)[0] == 200


def test_tokens_that_the_cluster_does_not_know_are_refused(tenant: Tenant) -> None:
    tenant.cluster()
    _associate(tenant, tenant.pod_role())
    assert _credentials(tenant, "a.b.c")[0] == 400
    assert _credentials(tenant, "")[0] == 400
    code = code_of(lambda: tenant.client("eks-auth").assume_role_for_pod_identity(clusterName="demo", token="a.b.c"))
    assert code[0] == "InvalidTokenException"
    nobody = code_of(lambda: tenant.client("eks-auth").assume_role_for_pod_identity(clusterName="no", token="a.b.c"))
    assert nobody[0] == "ResourceNotFoundException"


def _admit(tenant: Tenant, pod: dict[str, Any], url: str | None = None) -> dict[str, Any]:
    spec = tenant.world.planes.specs[tenant.key("demo")]
    context = ssl.create_default_context(cadata=spec.admission_ca_pem.decode())
    request = {"uid": "1", "namespace": "kube-system", "object": pod}
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    wanted = urllib.request.Request(
        url or spec.admission_url, json.dumps(review).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(wanted, timeout=10, context=context) as answer:
        response: dict[str, Any] = json.load(answer)["response"]
        return response


def test_admission_injects_only_where_there_is_an_association(tenant: Tenant) -> None:
    tenant.cluster()
    pod = {"metadata": {}, "spec": {"serviceAccountName": "karpenter", "containers": [{"name": "controller"}]}}
    before = _admit(tenant, pod)
    assert before == {"uid": "1", "allowed": True}
    _associate(tenant, tenant.pod_role())
    patch = json.loads(base64.b64decode(_admit(tenant, pod)["patch"]))
    assert {one["path"] for one in patch} == {
        "/spec/containers/0/env",
        "/spec/containers/0/volumeMounts",
        "/spec/volumes",
    }
    other = {"metadata": {}, "spec": {"serviceAccountName": "other", "containers": [{"name": "controller"}]}}
    assert "patch" not in _admit(tenant, other)


def test_webhooks_do_not_answer_without_the_secret(tenant: Tenant) -> None:
    tenant.cluster()
    spec = tenant.world.planes.specs[tenant.key("demo")]
    for url in (spec.admission_url, spec.authentication_url):
        wrong = url.rpartition("/")[0] + "/guess"
        context = ssl.create_default_context(cadata=spec.admission_ca_pem.decode())
        request = urllib.request.Request(wrong, b"{}", {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=10, context=context if url.startswith("https") else None)
        with caught.value:
            assert caught.value.code == 404
