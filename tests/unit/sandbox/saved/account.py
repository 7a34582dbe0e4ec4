"""An account with something of everything in it, and what makes it go away."""

from __future__ import annotations

import json
from typing import Any

from moto.core import base_backend

from sandbox.emulators import stores

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}],
}
TEMPLATE = {
    "Resources": {
        "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "of-the-stack"}},
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.7.0.0/16"}},
    },
    "Outputs": {"Url": {"Value": {"Ref": "Queue"}}},
}
#: What a client sees of the account, by service; each is the same before and after.
LOOKS: list[tuple[str, str, dict[str, Any]]] = [
    ("ec2", "describe_instances", {}),
    ("ec2", "describe_volumes", {}),
    ("ec2", "describe_vpcs", {}),
    ("ec2", "describe_security_groups", {}),
    ("ec2", "describe_launch_templates", {}),
    ("ec2", "describe_images", {"Owners": ["amazon"]}),
    ("ssm", "get_parameters_by_path", {"Path": "/mine", "Recursive": True}),
    ("ssm", "get_parameters_by_path", {"Path": "/aws/service/bottlerocket", "Recursive": True}),
    ("elbv2", "describe_load_balancers", {}),
    ("logs", "describe_log_groups", {}),
    ("iam", "list_roles", {}),
    ("iam", "list_access_keys", {}),
    ("iam", "list_attached_user_policies", {"UserName": "admin"}),
    ("sqs", "list_queues", {}),
    ("events", "list_rules", {}),
    ("cloudformation", "describe_stacks", {}),
    ("cloudformation", "describe_stack_resources", {"StackName": "stack"}),
]


class Records:
    """Another service's part of an account."""

    def __init__(self) -> None:
        self.restored: list[Any] = []

    def dump(self, account: str) -> list[dict[str, Any]]:
        return [{"cluster of": account}]

    def restore(self, records: list[dict[str, Any]]) -> None:
        self.restored += records


def fill(aws: Any) -> Any:
    """Make something in every service; the keys of a session."""
    ec2 = aws.client("ec2")
    subnets = [one["SubnetId"] for one in ec2.describe_subnets()["Subnets"]]
    image = ec2.describe_images(Filters=[{"Name": "architecture", "Values": ["x86_64"]}])["Images"][0]["ImageId"]
    # An encrypted volume has a KMS key, which is an object with a private key in it.
    disk = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30, "Encrypted": True}}
    template = {"ImageId": image, "BlockDeviceMappings": [disk]}
    ec2.create_launch_template(LaunchTemplateName="template", LaunchTemplateData=template)
    launch = {"MinCount": 2, "MaxCount": 2, "InstanceType": "m5.large", "SubnetId": subnets[0], "ClientToken": "once"}
    ec2.run_instances(LaunchTemplate={"LaunchTemplateName": "template"}, **launch)
    aws.client("ssm").put_parameter(Name="/mine/a", Value="b", Type="String")
    aws.client("elbv2").create_load_balancer(Name="lb", Subnets=subnets[:2])
    aws.client("logs").create_log_group(logGroupName="group")
    aws.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=json.dumps(TRUST))
    aws.client("sqs").send_message(QueueUrl=aws.client("sqs").create_queue(QueueName="q")["QueueUrl"], MessageBody="m")
    aws.client("events").put_rule(Name="rule", EventPattern='{"source": ["x"]}')
    cloudformation = aws.client("cloudformation")
    cloudformation.create_stack(StackName="stack", TemplateBody=json.dumps(TEMPLATE))
    cloudformation.get_waiter("stack_create_complete").wait(StackName="stack", WaiterConfig={"Delay": 0.1})
    role = f"arn:aws:iam::{aws.id}:role/r"
    return aws.client("sts").assume_role(RoleArn=role, RoleSessionName="me")["Credentials"]


def look(aws: Any) -> list[Any]:
    """Everything that LOOKS asks for, without what differs from call to call."""
    answers = [getattr(aws.client(service), operation)(**given) for service, operation, given in LOOKS]
    return [{key: value for key, value in answer.items() if key != "ResponseMetadata"} for answer in answers]


def forget(account: str) -> None:
    """Let the emulators have nothing of the account, as in a new process."""
    for backends in list(base_backend.BackendDict._instances):
        dict.pop(backends, account, None)
    for store in stores._stores().values():
        for key in [key for key in store._data if key[0] == account]:
            del store._data[key]
