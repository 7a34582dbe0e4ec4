"""The charts are laid out as a release would have them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from sandbox.build import charts
from sandbox.build.golang import BuildFailed

VALUES = """\
controller:
  image:
    # -- Repository path to the controller image.
    repository: public.ecr.aws/karpenter/controller
    # -- Tag of the controller image.
    tag: 1.13.0
    # -- SHA256 digest of the controller image.
    digest: sha256:ea73
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A module folder as Go's cache has it: read-only, and without the symbolic link to the CRDs."""
    root = tmp_path / "module"
    for chart in ("karpenter", "karpenter-crd"):
        folder = root / "charts" / chart
        folder.mkdir(parents=True)
        (folder / "Chart.yaml").write_text(f"name: {chart}\nversion: 1.13.0\n")
        (folder / "values.yaml").write_text(VALUES if chart == "karpenter" else "{}\n")
    crds = root / "pkg" / "apis" / "crds"
    crds.mkdir(parents=True)
    (crds / "nodepools.yaml").write_text("kind: CustomResourceDefinition\n")
    for path in root.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return root


def test_values_name_the_released_image_and_keep_their_comments() -> None:
    text = charts.release_values(VALUES, "1.14.0")
    image = yaml.safe_load(text)["controller"]["image"]
    assert image == {"repository": "public.ecr.aws/karpenter/controller", "tag": "1.14.0", "digest": ""}
    assert "# -- Tag of the controller image." in text


@pytest.mark.parametrize("text", ["controller: {}\n", VALUES + VALUES])
def test_values_of_another_shape_are_refused(text: str) -> None:
    with pytest.raises(BuildFailed, match="expected one"):
        charts.release_values(text, "1.14.0")


def test_the_main_chart_gets_its_crds(source: Path, tmp_path: Path) -> None:
    laid_out = charts.prepare(source, "karpenter", "1.14.0", tmp_path / "out")
    assert (laid_out / "crds" / "nodepools.yaml").read_text() == "kind: CustomResourceDefinition\n"
    assert not (charts.prepare(source, "karpenter-crd", "1.14.0", tmp_path / "out") / "crds").exists()


def test_charts_are_packaged_once(source: Path, tmp_path: Path, script: Callable[[Path, str], Path]) -> None:
    calls = tmp_path / "calls"
    helm = script(tmp_path / "helm", f'echo "$@" >> {calls}; touch "$8/$(basename $2)-$4.tgz"')
    for _ in range(2):
        done = charts.package(helm, source, tmp_path / "cache", "1.14.0")
        assert [path.name for path in done] == ["karpenter-1.14.0.tgz", "karpenter-crd-1.14.0.tgz"]
    assert all(path.is_file() for path in done)
    lines = calls.read_text().splitlines()
    assert len(lines) == 2
    assert all("--version 1.14.0 --app-version 1.14.0" in line for line in lines)
    assert sorted(path.name for path in (tmp_path / "cache" / "charts").iterdir()) == [path.name for path in done]


def test_helms_refusal_is_passed_on(source: Path, tmp_path: Path, script: Callable[[Path, str], Path]) -> None:
    helm = script(tmp_path / "helm", "echo 'Error: chart metadata is missing' >&2; exit 1")
    with pytest.raises(BuildFailed, match="packaging chart karpenter failed: Error: chart metadata is missing"):
        charts.package(helm, source, tmp_path / "cache", "1.14.0")
