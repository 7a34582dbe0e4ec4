"""``ansible-test sanity`` without a container, on a copy of the collection in the tree that ansible-test wants."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from ansible_test._internal.python_requirements import get_venv_packages

from scripts.stage import ROOT

# ansible-test keeps its environments below the home folder: a home of its own leaves the user's alone.
HOME = ROOT / ".cache" / "sanity"
CONTENT = ("plugins", "meta", "tests/config.yml", "changelogs", "galaxy.yml", "README.md", "CHANGELOG.md", "LICENSE")
DEPENDENCIES = ("amazon/aws", "kubernetes/core")
# What runs on the collection's Python. The rest is for shell and PowerShell, or is done by our own linters.
TESTS = (
    "action-plugin-docs",
    "ansible-doc",
    "changelog",
    "compile",
    "empty-init",
    "import",
    "line-endings",
    "no-assert",
    "no-get-exception",
    "no-illegal-filenames",
    "no-smart-quotes",
    "pylint",
    "replace-urlopen",
    "runtime-metadata",
    "shebang",
    "symlinks",
    "use-argspec-type-path",
    "validate-modules",
)
# ansible-test downloads pip's bootstrap script from a server of its own, unless it is in its cache. Python brings pip.
BOOTSTRAP = """\
import subprocess
import sys

subprocess.run([sys.executable, "-m", "ensurepip", "--default-pip"], check=True)
"""


def copy_collection(tree: Path) -> Path:
    """The collection's files below ``tree``, without what git ignores.

    The tree is outside of the checkout, because ansible-test asks git, and git ignores what is built.
    """
    target = tree / "ansible_collections" / "eksops" / "karpenter"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *CONTENT],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def copy_dependencies(tree: Path) -> None:
    """The collections that ours takes documentation and helpers from, beside it."""
    installed = Path(sysconfig.get_path("purelib")) / "ansible_collections"
    for name in DEPENDENCIES:
        shutil.copytree(installed / name, tree / "ansible_collections" / name)


def provide_bootstrap() -> None:
    """Put the stand-in where ansible-test looks for the version that it wants."""

    class Python:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"

    version = get_venv_packages(Python)["pip"].replace(".", "_")
    script = HOME / ".ansible" / "test" / "cache" / f"get_pip_{version}.py"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(BOOTSTRAP, encoding="utf-8")


def main() -> int:
    """ansible-test's own exit code."""
    provide_bootstrap()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = ["ansible-test", "sanity", "--local", "--requirements", "--color", "no", "--python", version]
    for test in TESTS:
        command += ["--test", test]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    with tempfile.TemporaryDirectory(prefix="eksops-sanity-") as folder:
        target = copy_collection(Path(folder))
        copy_dependencies(Path(folder))
        return subprocess.run(command, cwd=target, env={**environment, "HOME": str(HOME)}).returncode


if __name__ == "__main__":
    sys.exit(main())
