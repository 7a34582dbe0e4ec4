"""Packages Karpenter's charts from the pinned module, as its release does.

Upstream's release script (hack/release/common.sh of the module) writes repository, tag and digest of the image it has
just pushed into the chart's values, sets version and appVersion, and packages. The tag's own tree still names the
release before it. Two things differ here:

- The digest is left empty: it would name an image in a registry, and the sandbox runs the binary built from the same
  source instead. The template then renders ``repository:tag``.
- ``crds/`` of the main chart is a symbolic link in upstream's repository, and Go module archives carry none; its target
  (``pkg/apis/crds``) is in the module and is copied to where the link would be.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from sandbox.build.binaries import CHARTS, chart_path
from sandbox.build.golang import BuildFailed

MODULE = "github.com/aws/karpenter-provider-aws"


def release_values(text: str, version: str) -> str:
    """``values.yaml`` with the controller image of ``version``. Edited as text, so that its comments stay.

    Raises BuildFailed when the file does not have exactly one tag and one digest of an image.
    """
    for pattern, value in ((r"^(    tag:) .*$", version), (r"^(    digest:) .*$", '""')):
        text, count = re.subn(pattern, rf"\1 {value}", text, flags=re.MULTILINE)
        if count != 1:
            raise BuildFailed(f"the chart's values.yaml has {count} lines like {pattern!r}, expected one")
    return text


def _copy(source: Path, target: Path) -> None:
    """Copy a folder of the module cache, where everything is read-only, so that the copy can be changed."""
    shutil.copytree(source, target)
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def prepare(source: Path, chart: str, version: str, folder: Path) -> Path:
    """Lay out ``chart`` as its release would, below ``folder``; ``source`` is the module's folder."""
    target = folder / chart
    _copy(source / "charts" / chart, target)
    if chart == "karpenter":
        values = target / "values.yaml"
        values.write_text(release_values(values.read_text(encoding="utf-8"), version), encoding="utf-8")
        _copy(source / "pkg" / "apis" / "crds", target / "crds")
    return target


def package(helm: Path, source: Path, cache_root: Path, version: str) -> list[Path]:
    """Package both charts into the cache; what is there already is kept. Raises BuildFailed with Helm's words."""
    done = []
    for chart in CHARTS:
        target = chart_path(cache_root, chart, version)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=".package-") as name:
                folder = Path(name)
                laid_out = prepare(source, chart, version, folder)
                _helm_package(helm, laid_out, version, folder)
                (folder / target.name).replace(target)
        done.append(target)
    return done


def _helm_package(helm: Path, chart: Path, version: str, folder: Path) -> None:
    argv: list[str | Path] = [
        helm,
        "package",
        chart,
        "--version",
        version,
        "--app-version",
        version,
        "--destination",
        folder,
    ]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False, env={"HOME": str(folder)})
    if done.returncode:
        raise BuildFailed(f"packaging chart {chart.name} failed: {done.stderr.strip()}")
