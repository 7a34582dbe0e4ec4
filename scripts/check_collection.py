"""Builds the collection, installs it into an empty path and runs its playbooks from there, as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from scripts.stage import ROOT

NAME = "eksops.karpenter"
# What a built collection holds at its top; anything else was forgotten in galaxy.yml's build_ignore.
CONTENT = {
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "FILES.json",
    "LICENSE",
    "MANIFEST.json",
    "README.md",
    "changelogs",
    "docs",
    "inventories",
    "meta",
    "playbooks",
    "plugins",
    "roles",
    "site.yml",
}


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    print("$", " ".join(command), flush=True)
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **(environment or {})}, capture_output=True, text=True
    )
    print(done.stdout + done.stderr, flush=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    return done.stdout + done.stderr


def build(folder: Path) -> Path:
    """The built archive; its content is checked."""
    _run(["ansible-galaxy", "collection", "build", str(ROOT), "--output-path", str(folder)], folder)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        top = {name.split("/")[0] for name in content.getnames() if name != "."}
    if top != CONTENT:
        raise SystemExit(f"the archive has unexpected {sorted(top - CONTENT)} and lacks {sorted(CONTENT - top)}")
    return archive


def install(archive: Path, folder: Path) -> Mapping[str, str]:
    """Install into an empty path, without asking any server; returns the environment that runs from there."""
    target = folder / "installed"
    # A configuration of its own: the checkout's would lead back to the checkout.
    (folder / "ansible.cfg").write_text("[defaults]\nforks = 5\n", encoding="utf-8")
    environment = {"ANSIBLE_CONFIG": str(folder / "ansible.cfg"), "ANSIBLE_COLLECTIONS_PATH": str(target)}
    command = ["ansible-galaxy", "collection", "install", str(archive), "--no-deps", "--collections-path", str(target)]
    _run(command, folder, environment)
    return environment


def run_from_there(folder: Path, environment: Mapping[str, str]) -> None:
    """Every playbook is found by full name, and the documentation of every plugin can be shown."""
    inventory = folder / "installed/ansible_collections/eksops/karpenter/inventories/example"
    playbooks = sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml") if not path.stem.endswith(".meta"))
    for name in playbooks:
        _run(["ansible-playbook", "-i", str(inventory), "--syntax-check", f"{NAME}.{name}"], folder, environment)
    listed = _run(["ansible-doc", "--list", "--json", NAME], folder, environment)
    wanted = {f"{NAME}.{path.stem}" for path in (ROOT / "plugins/modules").glob("*.py")}
    if missing := wanted - set(yaml.safe_load(listed)):
        raise SystemExit(f"not found after the installation: {sorted(missing)}")


def main() -> int:
    """0 when the installed collection works."""
    with tempfile.TemporaryDirectory(prefix="eksops-collection-") as name:
        folder = Path(name)
        run_from_there(folder, install(build(folder), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
