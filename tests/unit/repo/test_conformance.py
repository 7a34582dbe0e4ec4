"""The sandbox does not know the suites that judge it, and these are what the controller is built of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance import suites
from conformance.cluster import HOST
from sandbox.build.tools import PACKAGE_DIR

from . import layout

#: Names, namespaces and labels of the suites' objects, which only somebody who wants to please the suites would write.
SUITES_OWN = re.compile(
    r"testing/(?:cluster|finalizer)|test-drift|my-app|buffer-template|scalable-app|growing-app|small-resource-app|"
    r"large-resource-app|drain-test|high-priority-daemonsets|dynamic-nodepool|selector-template|conformance|e2e|ginkgo|"
    r"test/suites|\bRegression\b"
)


def knowledge(path: Path) -> list[str]:
    """Lines of a file that name something of the suites."""
    return [
        f"{path}:{number}: {line.strip()}"
        for number, line in enumerate(layout.text(path).splitlines(), 1)
        if SUITES_OWN.search(line)
    ]


def test_the_sandbox_does_not_know_the_suites() -> None:
    paths = [path for path in layout.matching("sandbox/**/*") if path.suffix != ".sum"]
    assert paths
    found = [line for path in paths for line in knowledge(path)]
    assert not found, f"What passes because the sandbox knows the question tells nothing: {found}"


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ('if labels.get("testing/cluster"):', True),
        ('name.startswith("conformance")', True),
        ("from conformance import suites", True),
        ("an address is tested", False),
        ("a testing ground", False),
    ],
)
def test_knowledge_is_found(line: str, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "text", lambda _: f"first\n{line}\n")
    assert bool(knowledge(Path("sandbox/x.py"))) == known


def _pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^\t(\S+) (v\S+)(?: //.*)?$", path.read_text(encoding="utf-8"), re.MULTILINE))


def test_suites_and_controller_are_of_the_same_modules() -> None:
    ours, theirs = _pins(suites.FOLDER / "go.mod"), _pins(PACKAGE_DIR / "go.mod")
    version = f"v{suites.SUITES['regression'].tool.version}"
    assert ours["sigs.k8s.io/karpenter"] == theirs["sigs.k8s.io/karpenter"] == version
    different = {name: (ours[name], theirs[name]) for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]}
    assert not different


def test_the_class_is_the_clusters() -> None:
    node_class = layout.load(Path("conformance/nodeclass.yml"))
    inventory = layout.load(Path("inventories/conformance/hosts.yml"))
    assert list(inventory["dev"]["hosts"]) == [HOST]
    assert node_class["spec"]["role"] == f"KarpenterNodeRole-{HOST}"
    for terms in ("subnetSelectorTerms", "securityGroupSelectorTerms"):
        assert node_class["spec"][terms] == [{"tags": {"karpenter.sh/discovery": HOST}}]


def test_the_gates_that_are_told_are_on() -> None:
    values = layout.load(Path(f"inventories/conformance/host_vars/{HOST}.yml"))["karpenter_install_values"]
    on = {gate[0].upper() + gate[1:] for gate, value in values["settings"]["featureGates"].items() if value is True}
    assert on == set(suites.FEATURE_GATES)
