"""One test at a time, and nobody's namespace is deleted but a test's own."""

from __future__ import annotations

import threading
import time
from typing import Any, cast

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._core.progress import Progress
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import Object, Resource
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test import api
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test import claim as claims
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.claim import Claim
from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.model import NAMESPACE, namespace
from tests.unit.waiting import HANGS_SECONDS

from .kube import Kube


class Renewed(Kube):
    """Tells when a mark was renewed."""

    def __init__(self) -> None:
        super().__init__()
        self.renewed = threading.Event()

    def patch(self, resource: Resource, name: str, body: Any, *, manager: str) -> Object:
        patched = super().patch(resource, name, body, manager=manager)
        self.renewed.set()
        return patched


class SlowToRenew(Kube):
    """Lets the renewing thread wait for its look at the namespace."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.answer = threading.Event(), threading.Event()

    def get(self, resource: Resource, name: str, namespace: str | None = None) -> Object | None:
        if isinstance(threading.current_thread(), Claim):
            self.asked.set()
            self.answer.wait(HANGS_SECONDS)
        return super().get(resource, name, namespace)


def left_by(run: str, renewed: float) -> dict[str, Any]:
    item = namespace(run, renewed)
    item["metadata"]["uid"] = run
    return item


def claim_on(kube: Kube) -> Claim:
    return Claim(cast(Client, kube), Progress(), sleep=lambda _: None)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(claims, "RENEW_SECONDS", 0.0)


def test_a_claim_makes_the_namespace_and_takes_it_away() -> None:
    kube = Kube()
    claim = claim_on(kube)
    claim.take()
    assert api.former(cast(Client, kube)) is not None
    claim.release()
    assert kube.writes == [f"create {NAMESPACE}", f"delete {NAMESPACE}"]
    assert claim.removed is None


def test_what_a_dead_run_left_is_removed_first_and_told() -> None:
    kube = Kube(namespaces=[left_by("dead", time.time() - 60)])
    claim = claim_on(kube)
    claim.take()
    claim.release()
    assert kube.writes == [f"delete {NAMESPACE}", f"create {NAMESPACE}", f"delete {NAMESPACE}"]
    assert claim.removed is not None
    assert claim.removed["metadata"]["uid"] == "dead"


@pytest.mark.usefixtures("quick")
def test_a_living_run_is_left_alone() -> None:
    kube = Kube(namespaces=[left_by("vm/7/living", time.time() + 60)])
    with pytest.raises(EksopsError, match="Another scale test is running in this cluster \\(run vm/7/living"):
        claim_on(kube).take()
    assert kube.writes == []


def test_somebody_elses_namespace_stays() -> None:
    kube = Kube(namespaces=[{"metadata": {"name": NAMESPACE, "uid": "x"}}])
    with pytest.raises(EksopsError, match="no scale test made it"):
        claim_on(kube).take()
    assert kube.writes == []


@pytest.mark.usefixtures("quick")
def test_a_claim_that_was_taken_over_is_lost_and_its_namespace_not_deleted() -> None:
    kube = Kube()
    claim = claim_on(kube)
    claim.take()
    kube.objects["namespaces"][NAMESPACE] = left_by("other", time.time())
    claim.join(HANGS_SECONDS)
    with pytest.raises(EksopsError, match="taken over by another scale test"):
        claim.check()
    claim.release()
    assert f"delete {NAMESPACE}" not in kube.writes


@pytest.mark.usefixtures("quick")
def test_the_mark_is_renewed() -> None:
    kube = Renewed()
    claim = claim_on(kube)
    claim.take()
    assert kube.renewed.wait(HANGS_SECONDS)
    claim.release()
    claim.join(HANGS_SECONDS)
    claim.check()


@pytest.mark.usefixtures("quick")
def test_a_release_while_the_mark_is_renewed_is_no_loss() -> None:
    kube = SlowToRenew()
    claim = claim_on(kube)
    claim.take()
    assert kube.asked.wait(HANGS_SECONDS)
    claim.release()
    kube.answer.set()
    claim.join(HANGS_SECONDS)
    assert not claim.is_alive()
    claim.check()
