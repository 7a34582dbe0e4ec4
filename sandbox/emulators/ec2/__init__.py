"""EC2 by moto, with what it gets wrong put right."""

from sandbox.emulators.ec2.service import answer, answering

__all__ = ["answer", "answering"]
