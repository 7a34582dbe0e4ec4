"""Which emulator answers which service."""

from __future__ import annotations

from sandbox.contracts import Service
from sandbox.emulators import ec2, loadbalancers, logs, moto, ssm
from sandbox.emulators.cloudformation import CloudFormation
from sandbox.emulators.events import Events
from sandbox.emulators.iamapi import Iam
from sandbox.emulators.motoservice import MotoService
from sandbox.emulators.pricing import Pricing
from sandbox.emulators.services import MinistackService
from sandbox.front.authorization import Authorizer
from sandbox.seed.region import Seeder
from sandbox.threads import Threads


def emulators(threads: Threads, authorizer: Authorizer) -> dict[str, Service]:
    """The services that moto and ministack answer, by signing name."""
    moto.load()
    seeder = Seeder()
    return {
        "ec2": MotoService("ec2", ec2.answering(authorizer), seeder.ensure, threads),
        "ssm": MotoService("json", ssm.answer, seeder.ensure, threads),
        "elasticloadbalancing": MotoService("query", loadbalancers.answer, seeder.ensure, threads),
        "logs": MotoService("json", logs.answer, seeder.ensure, threads),
        "pricing": Pricing(),
        "iam": Iam(),
        "cloudformation": CloudFormation(),
        "sqs": MinistackService("sqs", "json"),
        "events": Events(),
    }
