"""The OCI registry that serves Karpenter's charts, so that ``oci://`` installs are real."""

from sandbox.registry.registry import ChartRegistry

__all__ = ["ChartRegistry"]
