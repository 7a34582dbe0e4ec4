"""CloudFormation by ministack, whose EC2 types are made in the one EC2 store there is."""

from sandbox.emulators.cloudformation.service import CloudFormation, preload

__all__ = ["CloudFormation", "preload"]
