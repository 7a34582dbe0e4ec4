"""What a caller's shell holds, or lacks, does not decide whether the front door opens."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scripts.stage import ROOT


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ({"LC_ALL": "C", "LANG": "C"}, {"LC_ALL": "C.UTF-8"}),  # Ansible starts with UTF-8 alone
        ({"LC_ALL": "de_DE.ISO-8859-1"}, {"LC_ALL": "C.UTF-8"}),
        ({"NO_PROXY": "corp.example", "no_proxy": "corp.example"}, {"NO_PROXY": "127.0.0.1,localhost"}),
        ({"KUBECONFIG": "/nonexistent", "AWS_PROFILE": "corp"}, {"KUBECONFIG": None, "AWS_PROFILE": None}),
    ],
)
def test_make_gives_its_commands(given: dict[str, str], seen: dict[str, str | None], tmp_path: Path) -> None:
    extra = tmp_path / "extra.mk"
    extra.write_text("shown:\n\t@env\n", encoding="utf-8")
    command = ["make", "--no-print-directory", "-f", "Makefile", "-f", str(extra), "shown"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, check=True)
    found = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert {name: found.get(name) for name in seen} == seen


@pytest.mark.parametrize("home", [None, "", "/nonexistent"])
def test_setup_needs_no_home(home: str | None, tmp_path: Path) -> None:
    """Up to the choice of a Python, which looks below the home for pyenv's."""
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYENV_ROOT")}
    script = (ROOT / "scripts" / "setup.sh").read_text(encoding="utf-8")
    functions = script.replace('cd "$(dirname "$0")/.."', "").partition("\ncheck_machine\n")[0]
    lines = f"{functions}\nworks() {{ return 1; }}\nfind_python\n"
    environment |= {"PATH": str(tmp_path)} | ({} if home is None else {"HOME": home})
    done = subprocess.run(["/bin/sh", "-c", lines], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Python 3.12 or newer is missing")


@pytest.mark.parametrize("home", ["/proc", None])
def test_ansible_needs_no_home(home: str | None, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "ANSIBLE_HOME")}
    environment |= {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")} | ({} if home is None else {"HOME": home})
    command = [ROOT / ".venv/bin/ansible", "--version"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
