"""Which emulator answers which service."""

from __future__ import annotations

from concurrent.futures import Executor

from sandbox.contracts import Service
from sandbox.emulators import ec2, moto, ssm
from sandbox.emulators.cloudformation import CloudFormation
from sandbox.emulators.events import Events
from sandbox.emulators.iamapi import Iam
from sandbox.emulators.motoservice import MotoService
from sandbox.emulators.pricing import Pricing
from sandbox.emulators.services import MinistackService
from sandbox.seed.region import Seeder


def emulators(pool: Executor) -> dict[str, Service]:
    """The services that moto and ministack answer, by signing name."""
    moto.load()
    seeder = Seeder()
    return {
        "ec2": MotoService("ec2", ec2.answer, seeder.ensure, pool),
        "ssm": MotoService("json", ssm.answer, seeder.ensure, pool),
        "pricing": Pricing(),
        "iam": Iam(),
        "cloudformation": CloudFormation(),
        "sqs": MinistackService("sqs", "json"),
        "events": Events(),
    }
