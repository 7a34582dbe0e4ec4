"""Fixtures of several test files here."""

from __future__ import annotations

from typing import Any

import pytest

from .stacks import Stacks
from .world import World


@pytest.fixture
def stacks(aws: Any) -> Stacks:
    """CloudFormation of the account."""
    return Stacks(aws)


@pytest.fixture
def world(aws: Any) -> World:
    """A VPC with a launch template like Karpenter's."""
    return World(aws)
