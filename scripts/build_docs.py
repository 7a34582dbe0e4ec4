"""Lints the documentation of the collection and builds it as HTML in build/docs; warnings are failures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.stage import ROOT

NAME = "eksops.karpenter"
SOURCE = ROOT / "build" / "docs-source"
TARGET = ROOT / "build" / "docs"
DEPENDENCIES = ("amazon/aws", "kubernetes/core")
LINT = ["--plugin-docs", "--check-extra-docs-refs", "--disallow-unknown-collection-refs"]
COLLECTION = ["--use-current", "--squash-hierarchy", "--fail-on-error"]


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    print("$", " ".join(command), flush=True)
    if code := subprocess.run(command, cwd=ROOT, env={**os.environ, **(environment or {})}).returncode:
        raise SystemExit(code)


def lint() -> None:
    """antsibull-docs on the checkout.

    It copies what we depend on by way of git, which ignores .venv, so it gets copies from outside of the checkout.
    """
    installed = Path(sysconfig.get_path("purelib")) / "ansible_collections"
    with tempfile.TemporaryDirectory(prefix="eksops-docs-") as folder:
        for name in DEPENDENCIES:
            shutil.copytree(installed / name, Path(folder) / "ansible_collections" / name)
        # Without the second variable it finds both places, and the path of the checkout decides which it takes.
        only_copies = {"ANSIBLE_COLLECTIONS_PATH": folder, "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false"}
        _run(["antsibull-docs", "lint-collection-docs", *LINT, "."], only_copies)


def build() -> None:
    """HTML from the collection's plugins, roles and guides."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True, mode=0o700)
    _run(["antsibull-docs", "collection", *COLLECTION, "--dest-dir", str(SOURCE), NAME])
    _run(["sphinx-build", "-q", "-b", "html", "-c", str(ROOT / "docs"), "-W", "--keep-going", str(SOURCE), str(TARGET)])
    print(f"{TARGET.relative_to(ROOT)}/index.html")


def main() -> int:
    """0 when there was nothing to complain about."""
    lint()
    build()
    return 0


if __name__ == "__main__":
    sys.exit(main())
