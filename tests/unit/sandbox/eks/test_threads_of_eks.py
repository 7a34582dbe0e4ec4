"""Calls that wait for the front do not hold the threads that it, or anybody else in its loop, needs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.contracts import Credentials

from .helpers import token_of
from .world import Tenant, World

_TOKEN = "header.payload.signature"


@pytest.fixture
def crowded(world: World) -> Iterator[None]:
    """The default pool of the loop in which front and EKS run has no thread left."""
    held, pool = threading.Event(), ThreadPoolExecutor(1)
    world.call(lambda: world.loop.set_default_executor(pool))
    world.call(lambda: world.loop.run_in_executor(None, held.wait))
    yield
    held.set()
    world.call(lambda: world.loop.set_default_executor(ThreadPoolExecutor(4)))
    pool.shutdown()


@pytest.mark.usefixtures("crowded")
def test_clusters_node_groups_tokens_and_pods_need_no_thread_of_the_default_pool(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.ready_nodegroup()
    keys = tenant.account.credentials
    assert tenant.review(token_of(keys, "demo"))["authenticated"]
    wanted = {"clusterName": "demo", "namespace": "kube-system", "serviceAccount": "app"}
    tenant.eks.create_pod_identity_association(**wanted, roleArn=tenant.pod_role())
    extra = {"authentication.kubernetes.io/pod-name": ["app-1"], "authentication.kubernetes.io/pod-uid": ["u1"]}
    tenant.kube("demo").users[_TOKEN] = {"username": "system:serviceaccount:kube-system:app", "extra": extra}
    found = tenant.client("eks-auth").assume_role_for_pod_identity(clusterName="demo", token=_TOKEN)["credentials"]
    session = Credentials(found["accessKeyId"], found["secretAccessKey"], found["sessionToken"])
    assert tenant.client("sts", session).get_caller_identity()["Account"] == tenant.id


@pytest.mark.usefixtures("crowded")
def test_the_emulators_need_no_thread_of_the_default_pool(tenant: Tenant) -> None:
    assert not tenant.client("sqs").list_queues().get("QueueUrls")
    assert tenant.client("events").list_rules()["Rules"] == []
    stacks = tenant.client("cloudformation")
    vpc = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.9.0.0/16"}}
    stacks.create_stack(StackName="vpc", TemplateBody=json.dumps({"Resources": {"Vpc": vpc}}))
    stacks.get_waiter("stack_create_complete").wait(StackName="vpc", WaiterConfig={"Delay": 0.1})
    assert tenant.client("ssm").describe_parameters()["Parameters"] == []
