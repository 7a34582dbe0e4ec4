"""The Deployment is found in a manifest among other kinds."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.rendered import deployment_of

MANIFEST = """---
# Source: karpenter/templates/service.yaml
kind: Service
metadata: {name: karpenter}
spec: {target: Deployment}
---
# Source: karpenter/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: karpenter
spec:
  replicas: 2
"""


def test_the_deployment_is_found() -> None:
    found = deployment_of(MANIFEST)
    assert found is not None
    assert (found["metadata"]["name"], found["spec"]["replicas"]) == ("karpenter", 2)


@pytest.mark.parametrize("manifest", ["", "kind: Service\n---\nkind: DaemonSet\n"])
def test_a_manifest_without_one_has_none(manifest: str) -> None:
    assert deployment_of(manifest) is None


def test_a_broken_document_is_an_error() -> None:
    with pytest.raises(EksopsError, match=r"release of Helm is no YAML"):
        deployment_of("kind: Deployment\n\tx")
