"""cloudformation_diff_info against a CloudFormation that makes stacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._aws.errors import AwsError
from ansible_collections.eksops.karpenter.plugins.module_utils._cloudformation.run import Request, run
from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError

from .aws_twin import ModuleAws, refused
from .conftest import Twin

KARPENTER = Path(__file__).parents[4] / "roles/karpenter_iam/files/karpenter_iam.yml"
QUEUE = """
Parameters:
  Name: {Type: String}
  Seconds: {Type: Number, Default: 300}
Resources:
  Queue:
    Type: AWS::SQS::Queue
    Properties: {QueueName: !Ref Name, MessageRetentionPeriod: !Ref Seconds}
Outputs:
  QueueName: {Value: !GetAtt Queue.QueueName}
"""
NEEDS_A_KEY = (
    "Resources:\n  Policy:\n    Type: AWS::SQS::QueuePolicy\n    Properties: {Queues: [nowhere], PolicyDocument: {}}\n"
)


def compare(twin: Twin, name: str = "s", **options: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"template_body": QUEUE, "template_parameters": {"Name": "q"}, **options}
    capabilities = given.pop("capabilities", ("CAPABILITY_NAMED_IAM",))
    aws: Any = ModuleAws(twin)
    return run(aws, Request(name, capabilities=capabilities, **given))


def create(twin: Twin, body: str = QUEUE, parameters: dict[str, str] | None = None, **extra: Any) -> None:
    cfn = twin.boto("cloudformation")
    values = [{"ParameterKey": key, "ParameterValue": value} for key, value in (parameters or {"Name": "q"}).items()]
    cfn.create_stack(
        StackName="s", TemplateBody=body, Parameters=values, Capabilities=["CAPABILITY_NAMED_IAM"], **extra
    )
    cfn.get_waiter("stack_create_complete").wait(StackName="s", WaiterConfig={"Delay": 1, "MaxAttempts": 30})


def test_a_new_stack_lists_what_it_will_make(twin: Twin) -> None:
    found = compare(twin, template=str(KARPENTER), template_body=None, template_parameters={"ClusterName": "demo"})
    assert (found["exists"], found["differs"], found["blocked"], found["updatable"]) == (False, True, None, True)
    assert len(found["resources_to_create"]) == 15
    assert {"logical_id": "KarpenterNodeRole", "type": "AWS::IAM::Role"} in found["resources_to_create"]
    assert found["template_parameters"] == {"ClusterName": "demo"}


def test_a_stack_of_the_same_template_does_not_differ(twin: Twin) -> None:
    create(twin, Tags=[{"Key": "a", "Value": "b"}])
    found = compare(twin, tags={"a": "b"})
    assert (found["differs"], found["differences"], found["status"]) == (False, [], "CREATE_COMPLETE")
    assert found["outputs"] == {"QueueName": "q"}
    assert [item["logical_id"] for item in found["resources"]] == ["Queue"]
    assert found["parameters"] == {"Name": "q", "Seconds": "300"}


def test_karpenters_template_does_not_differ_from_itself(twin: Twin) -> None:
    create(twin, KARPENTER.read_text(encoding="utf-8"), {"ClusterName": "demo"})
    options = {"template_body": None, "template": str(KARPENTER), "template_parameters": {"ClusterName": "demo"}}
    assert compare(twin, **options)["differences"] == []
    changed = compare(twin, **{**options, "template_parameters": {"ClusterName": "shop"}})
    assert [(item["kind"], item["name"]) for item in changed["differences"]] == [("parameter", "ClusterName")]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"template_parameters": {"Name": "q", "Seconds": 60}}, ("parameter", "Seconds", "modify")),
        ({"tags": {"a": "c"}}, ("tag", "a", "add")),
        ({"template_body": QUEUE.replace("!Ref Seconds", "600")}, ("resource", "Queue", "modify")),
        ({"template_body": QUEUE + "  Arn: {Value: !GetAtt Queue.Arn}\n"}, ("output", "Arn", "add")),
    ],
)
def test_each_kind_of_difference(twin: Twin, options: dict[str, Any], expected: tuple[str, str, str]) -> None:
    create(twin)
    found = compare(twin, **options)
    assert found["differs"]
    assert [(item["kind"], item["name"], item["action"]) for item in found["differences"]] == [expected]


def test_without_a_template_only_facts_are_told(twin: Twin) -> None:
    assert compare(twin, template_body=None, template_parameters={})["differs"] is False
    create(twin)
    found = compare(twin, template_body=None, template_parameters={})
    assert (found["exists"], found["differs"], found["differences"]) == (True, False, [])


def test_a_stack_that_is_gone_is_a_stack_that_is_not_there(twin: Twin) -> None:
    create(twin)
    cfn = twin.boto("cloudformation")
    cfn.delete_stack(StackName="s")
    cfn.get_waiter("stack_delete_complete").wait(StackName="s", WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    assert compare(twin)["exists"] is False


def test_a_change_set_that_was_never_executed_blocks(twin: Twin) -> None:
    twin.boto("cloudformation").create_change_set(
        StackName="s",
        ChangeSetName="c",
        ChangeSetType="CREATE",
        TemplateBody=QUEUE,
        Parameters=[{"ParameterKey": "Name", "ParameterValue": "q"}],
    )
    found = compare(twin, wait_timeout_seconds=60)
    assert (found["status"], found["updatable"], found["differs"]) == ("REVIEW_IN_PROGRESS", False, True)
    assert "change set" in found["blocked"]
    assert [item["logical_id"] for item in found["resources_to_create"]] == ["Queue"]


def test_it_writes_nothing(twin: Twin) -> None:
    create(twin)
    since = max(entry.time for entry in twin.front.log.select(lambda entry: True))
    compare(twin, tags={"a": "b"})
    written = twin.front.log.select(
        lambda entry: entry.time > since and entry.account == twin.account.account_id and entry.mutating
    )
    assert [entry.action for entry in written] == []


def test_reads_that_are_refused_name_the_action(twin: Twin) -> None:
    create(twin)
    with refused(twin, "cloudformation", "GetTemplate"), pytest.raises(AwsError, match="GetTemplate") as caught:
        compare(twin)
    assert caught.value.kind == "denied"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"template_parameters": {}}, "neither a value nor a default"),
        ({"template_parameters": {"Nmae": "q"}}, "no parameter 'Nmae'"),
        ({"template_body": "Resources: {}"}, "no CloudFormation template"),
        ({"template_body": None, "template": "/nowhere.yml"}, "cannot be read"),
        (
            {
                "template_body": None,
                "template": str(KARPENTER),
                "template_parameters": {"ClusterName": "d"},
                "capabilities": (),
            },
            "CAPABILITY_NAMED_IAM",
        ),
    ],
)
def test_bad_input_calls_nobody(twin: Twin, options: dict[str, Any], what: str) -> None:
    with pytest.raises(EksopsError, match=what):
        compare(twin, **options)
    assert twin.front.log.select(lambda entry: entry.account == twin.account.account_id) == []
