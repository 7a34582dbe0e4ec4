"""Helm's release Secrets are read as Helm writes them."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.helm import newest_releases


def secret(name: str, revision: int, status: str, values: dict[str, Any] | None) -> dict[str, Any]:
    document = {
        "name": name,
        "version": revision,
        "info": {"status": status},
        "chart": {"metadata": {"version": "1.14.0"}},
        "config": values,
    }
    inner = base64.b64encode(gzip.compress(json.dumps(document).encode()))
    return {
        "metadata": {"labels": {"name": name, "version": str(revision)}},
        "data": {"release": base64.b64encode(inner).decode()},
    }


def test_the_newest_revision_counts_by_number() -> None:
    values = {"replicas": 2}
    found = newest_releases(
        [
            secret("karpenter", 10, "pending-upgrade", values),
            secret("karpenter", 9, "deployed", {}),
            secret("karpenter-crd", 1, "deployed", None),
        ]
    )
    assert {name: (item.revision, item.deployed) for name, item in found.items()} == {
        "karpenter": (10, False),
        "karpenter-crd": (1, True),
    }
    assert found["karpenter"].as_dict()["values"] == values
    assert found["karpenter-crd"].as_dict()["values"] == {}


def test_a_secret_of_another_form_is_an_error() -> None:
    broken = secret("karpenter", 1, "deployed", {})
    broken["data"]["release"] = base64.b64encode(base64.b64encode(b"no gzip")).decode()
    with pytest.raises(OSError, match="gzip"):
        newest_releases([broken])
