"""The EKS service with real parts: who gets in, what pods get, what node groups become, what is left."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any

import boto3
import pytest
from botocore.signers import RequestSigner

from tests.sandbox.twin import SAVED_SECONDS, WAIT, Sandbox, eventually, kubectl

pytestmark = pytest.mark.acceptance

VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


def _role(sandbox: Sandbox, name: str, *actions: str, **principal: str) -> str:
    statement = {"Effect": "Allow", "Principal": principal, "Action": list(actions or ["sts:AssumeRole"])}
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    arn: str = sandbox.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    return arn


@pytest.fixture(scope="module")
def busy(own: Sandbox) -> Sandbox:
    """A sandbox with the cluster ``demo``: a node group of two and two add-ons, all ACTIVE."""
    own.up("--max-clusters=1")
    _fill(own)
    return own


def _fill(sandbox: Sandbox) -> None:
    eks = sandbox.client("eks")
    subnets = [one["SubnetId"] for one in sandbox.client("ec2").describe_subnets()["Subnets"]][:2]
    eks.create_cluster(
        name="demo",
        roleArn=_role(sandbox, "cluster", Service="eks.amazonaws.com"),
        resourcesVpcConfig={"subnetIds": subnets},
        accessConfig={"authenticationMode": "API"},
    )
    eks.get_waiter("cluster_active").wait(name="demo", WaiterConfig=WAIT)
    eks.create_nodegroup(
        clusterName="demo",
        nodegroupName="system",
        subnets=subnets,
        nodeRole=_role(sandbox, "node", Service="ec2.amazonaws.com"),
        instanceTypes=["m5.large"],
        labels={"team": "a"},
    )
    eks.get_waiter("nodegroup_active").wait(clusterName="demo", nodegroupName="system", WaiterConfig=WAIT)
    addons = ("coredns", "eks-pod-identity-agent")
    for name in addons:
        eks.create_addon(clusterName="demo", addonName=name)
    for name in addons:
        eks.get_waiter("addon_active").wait(clusterName="demo", addonName=name, WaiterConfig=WAIT)


def _as_bearer(sandbox: Sandbox, token: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run kubectl with a token and nothing else that says who calls."""
    found = sandbox.client("eks").describe_cluster(name="demo")["cluster"]
    authority = sandbox.state.root / "ca.pem"
    authority.write_bytes(base64.b64decode(found["certificateAuthority"]["data"]))
    place = ("--kubeconfig", os.devnull, "--server", found["endpoint"], "--certificate-authority", str(authority))
    return kubectl(*place, "--token", token, *arguments)


def _token(keys: dict[str, str]) -> str:
    """What ``aws eks get-token`` gives for these credentials."""
    session = boto3.session.Session(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"], "us-west-2")
    model = session.client("sts").meta.service_model
    signer = RequestSigner(model.service_id, "us-west-2", "sts", "v4", session.get_credentials(), session.events)
    request = {
        "method": "GET",
        "url": "https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": "demo"},
        "context": {},
    }
    url = signer.generate_presigned_url(request, region_name="us-west-2", expires_in=60, operation_name="")
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def test_nodes_carry_what_their_group_says(busy: Sandbox) -> None:
    nodes = json.loads(busy.kubectl("get", "nodes", "-l", "eks.amazonaws.com/nodegroup=system", "-o", "json").stdout)
    assert len(nodes["items"]) == 2
    assert {node["metadata"]["labels"]["team"] for node in nodes["items"]} == {"a"}
    assert len({node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes["items"]}) == 2


def test_access_entries_and_policies_decide_who_may_do_what(busy: Sandbox) -> None:
    eks, sts = busy.client("eks"), busy.client("sts")
    arn = _role(busy, "viewer", AWS=sts.get_caller_identity()["Arn"])

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        # A token of a session of its own: the API server remembers what it was told of a token.
        keys = sts.assume_role(RoleArn=arn, RoleSessionName="me")["Credentials"]
        return _as_bearer(busy, _token(keys), *arguments)

    assert "Unauthorized" in run("get", "pods", "-n", "kube-system").stderr
    eks.create_access_entry(clusterName="demo", principalArn=arn)
    assert "Forbidden" in run("get", "pods", "-n", "kube-system").stderr
    scope = {"type": "namespace", "namespaces": ["kube-system"]}
    eks.associate_access_policy(clusterName="demo", principalArn=arn, policyArn=VIEW, accessScope=scope)
    # The API server learns of role bindings by watching them.
    eventually(lambda: "coredns" in run("get", "deployments", "-n", "kube-system").stdout, "the view of kube-system")
    assert "Forbidden" in run("get", "pods", "-n", "default").stderr
    assert "Forbidden" in run("get", "secrets", "-n", "kube-system").stderr
    eks.delete_access_entry(clusterName="demo", principalArn=arn)
    assert "Unauthorized" in run("get", "pods", "-n", "kube-system").stderr


def _pod(name: str, account: str) -> str:
    spec = {"serviceAccountName": account, "containers": [{"name": "c", "image": "registry.k8s.io/pause:3.10"}]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


def test_an_association_decides_whether_a_pod_gets_credentials(busy: Sandbox) -> None:
    assert busy.kubectl("create", "serviceaccount", "app").returncode == 0
    assert busy.kubectl("apply", "-f", "-", stdin=_pod("before", "app")).returncode == 0
    role = _role(busy, "app", "sts:AssumeRole", "sts:TagSession", Service="pods.eks.amazonaws.com")
    place = {"clusterName": "demo", "namespace": "default", "serviceAccount": "app"}
    association = busy.client("eks").create_pod_identity_association(**place, roleArn=role)["association"]
    assert busy.kubectl("apply", "-f", "-", stdin=_pod("after", "app")).returncode == 0
    variables = {name: _variables(busy, name) for name in ("before", "after")}
    assert variables["before"] == set()
    assert "AWS_CONTAINER_CREDENTIALS_FULL_URI" in variables["after"]
    bound = ("--bound-object-kind", "Pod", "--bound-object-name", "after")
    token = busy.kubectl("create", "token", "app", "--audience", "pods.eks.amazonaws.com", *bound).stdout
    keys = _credentials(busy, token)
    who = boto3.session.Session(keys["AccessKeyId"], keys["SecretAccessKey"], keys["Token"], "us-west-2").client(
        "sts", endpoint_url=busy.description["front_url"]
    )
    assert ":assumed-role/app/eks-demo-after-" in who.get_caller_identity()["Arn"]
    place = {"clusterName": "demo", "associationId": association["associationId"]}
    busy.client("eks").delete_pod_identity_association(**place)
    with pytest.raises(urllib.error.HTTPError) as caught:
        _credentials(busy, token)
    with caught.value:
        assert caught.value.code == 404


def _variables(sandbox: Sandbox, pod: str) -> set[str]:
    found = json.loads(sandbox.kubectl("get", "pod", pod, "-o", "json").stdout)
    return {one["name"] for one in found["spec"]["containers"][0].get("env", [])}


def _credentials(sandbox: Sandbox, token: str) -> dict[str, str]:
    place = f"{sandbox.description['account_id']}/us-west-2/demo"
    url = f"{sandbox.description['front_url']}/v1/pod-identity/{place}/credentials"
    request = urllib.request.Request(url, headers={"Authorization": token.strip()})
    with urllib.request.urlopen(request, timeout=10) as answer:
        found: dict[str, str] = json.load(answer)
        return found


def _seen(sandbox: Sandbox) -> dict[str, object]:
    """What users see of the cluster and what belongs to it."""
    eks, ec2 = sandbox.client("eks"), sandbox.client("ec2")
    pages = [one["Instances"] for one in ec2.describe_instances()["Reservations"]]
    nodes = json.loads(sandbox.kubectl("get", "nodes", "-o", "json").stdout)["items"]
    return {
        "cluster": eks.describe_cluster(name="demo")["cluster"],
        "group": eks.describe_nodegroup(clusterName="demo", nodegroupName="system")["nodegroup"],
        "addons": [eks.describe_addon(clusterName="demo", addonName=name)["addon"] for name in _names(eks)],
        "instances": sorted(one["InstanceId"] for page in pages for one in page),
        "roles": sandbox.client("iam").list_roles()["Roles"],
        "nodes": sorted((node["metadata"]["uid"], node["metadata"]["name"]) for node in nodes),
    }


def _names(eks: Any) -> list[str]:
    found: list[str] = eks.list_addons(clusterName="demo")["addons"]
    return found


def test_one_cluster_too_many_is_described_and_not_started(busy: Sandbox) -> None:
    """The sandbox of this file may run one control plane."""
    eks = busy.client("eks")
    known = eks.describe_cluster(name="demo")["cluster"]
    subnets = {"subnetIds": known["resourcesVpcConfig"]["subnetIds"]}
    eks.create_cluster(name="second", roleArn=known["roleArn"], resourcesVpcConfig=subnets)
    eventually(lambda: eks.describe_cluster(name="second")["cluster"]["status"] == "FAILED", "the refusal")
    found = eks.describe_cluster(name="second")["cluster"]
    [issue] = found["health"]["issues"]
    assert issue["code"] == "ResourceLimitExceeded"
    assert "1 control planes run" in issue["message"]
    assert "endpoint" not in found
    assert sorted(eks.list_clusters()["clusters"]) == ["demo", "second"]
    eks.delete_cluster(name="second")
    eks.get_waiter("cluster_deleted").wait(name="second", WaiterConfig=WAIT)


@pytest.mark.parametrize("stop", ["kill", "down"])
def test_a_cluster_is_back_with_its_nodes_and_works(busy: Sandbox, stop: str) -> None:
    before = _seen(busy)
    time.sleep(SAVED_SECONDS)
    if stop == "kill":
        busy.kill()
    else:
        busy.command("down")
        assert busy.pids == []
    busy.up("--max-clusters=1")
    assert _seen(busy) == before
    every = ("--for=condition=Ready", "node", "--all", "--timeout=60s")
    assert busy.kubectl("wait", *every).returncode == 0
    # Scheduler, admission and the node agent go on: a pod that is made now runs.
    assert busy.kubectl("apply", "-f", "-", stdin=_pod(stop, "default")).returncode == 0
    done = busy.kubectl("wait", f"pod/{stop}", "--for=condition=Ready", "--timeout=60s")
    assert done.returncode == 0, done.stderr
    pods = json.loads(busy.kubectl("get", "pods", "-A", "-o", "json").stdout)["items"]
    addresses = [pod["status"]["podIP"] for pod in pods if not pod["spec"].get("hostNetwork")]
    assert len(set(addresses)) == len(addresses), "a pod has the address of another one"
    parts = busy.components()
    assert {part["state"] for part in parts.values()} == {"healthy"}


def test_deleting_leaves_nothing_even_when_a_budget_allows_nothing(busy: Sandbox) -> None:
    """Last in this file: the cluster is gone afterwards."""
    budget = ("create", "poddisruptionbudget", "no", "--selector=k8s-app=kube-dns", "--min-available=2")
    assert busy.kubectl(*budget, "-n", "kube-system").returncode == 0
    eks, ec2 = busy.client("eks"), busy.client("ec2")
    eks.delete_nodegroup(clusterName="demo", nodegroupName="system")
    eks.get_waiter("nodegroup_deleted").wait(clusterName="demo", nodegroupName="system", WaiterConfig=WAIT)
    eks.delete_cluster(name="demo")
    eks.get_waiter("cluster_deleted").wait(name="demo", WaiterConfig=WAIT)
    live = [{"Name": "instance-state-name", "Values": ["pending", "running", "shutting-down"]}]
    assert ec2.describe_instances(Filters=live)["Reservations"] == []
    assert ec2.describe_launch_templates()["LaunchTemplates"] == []
    assert ec2.describe_volumes()["Volumes"] == []
    assert [one["GroupName"] for one in ec2.describe_security_groups()["SecurityGroups"]] == ["default"]
    assert busy.client("iam").list_instance_profiles()["InstanceProfiles"] == []
    assert list(busy.state.clusters.iterdir()) == []
    assert set(busy.components()) == {"registry"}
    assert len(busy.pids) == 2, "the daemon and the registry"
