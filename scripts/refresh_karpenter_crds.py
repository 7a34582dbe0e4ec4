"""Take the schemas of Karpenter's CRDs from its Go module: ``python -m scripts.refresh_karpenter_crds 1.14.0 1.14.1``.

Needs Go (the module is downloaded through its proxy and checked against the checksum database). For every version named
it writes the fingerprints of all five CRDs, and the schemas of NodePool and EC2NodeClass where they are not those of
another version already. Only the schemas are taken, as data; descriptions are left out.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.eksops.karpenter.plugins.module_utils._karpenter_controller.definitions import bare, digest

MODULE = "github.com/aws/karpenter-provider-aws"
TARGET = Path(__file__).parent.parent / "plugins" / "module_utils" / "_vendor" / "karpenter_crds"
SCHEMAS = {"nodepools.karpenter.sh": "nodepools", "ec2nodeclasses.karpenter.k8s.aws": "ec2nodeclasses"}
WIDTH = 110
HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# From {module}@v{version}, folder pkg/apis/crds (licence: LICENSE in the folder above).
# Written by scripts/refresh_karpenter_crds.py: do not edit.
"""


def module_folder(version: str) -> Path:
    """Where Go keeps the module of that version; it is downloaded when missing."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "go.mod").write_text("module crds\n", encoding="utf-8")
        answer = subprocess.run(
            ["go", "mod", "download", "-json", f"{MODULE}@v{version}"],
            cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
    return Path(json.loads(answer.stdout)["Dir"])


def definitions(folder: Path) -> dict[str, dict[str, Any]]:
    """The module's CRDs by name."""
    loaded = [
        yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted((folder / "pkg/apis/crds").glob("*.yaml"))
    ]
    return {item["metadata"]["name"]: item for item in loaded}


def quoted(text: str) -> str:
    """The text as a Python string in parentheses, cut into lines."""
    lines, line = [], ""
    for token in re.findall(r"[^,\\]+,?|,|\\.", text):
        if line and len(repr(line + token)) > WIDTH:
            lines.append(line)
            line = ""
        while len(repr(line + token)) > WIDTH:
            cut = WIDTH - len(repr(line)) - 8
            lines.append(line + token[:cut])
            line, token = "", token[cut:]
        line += token
    return "(\n" + "".join(f"    {part!r}\n" for part in [*lines, line]) + ")"


def literal(data: dict[str, Any], indent: int = 4) -> str:
    """A dictionary of strings as ruff would format it."""
    pad = " " * indent
    lines = [
        f'{pad}"{key}": ' + (literal(value, indent + 4) if isinstance(value, dict) else f'"{value}"') + ","
        for key, value in data.items()
    ]
    return "\n".join(["{", *lines, pad[4:] + "}"])


def write_schemas(version: str, found: dict[str, dict[str, Any]]) -> str:
    """Write the package of one version; returns its name."""
    name = "v" + version.replace(".", "_")
    package = TARGET / name
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    for crd, module in SCHEMAS.items():
        schema = next(v for v in found[crd]["spec"]["versions"] if v["name"] == "v1")["schema"]["openAPIV3Schema"]
        spec = bare(schema["properties"]["spec"])
        text = quoted(json.dumps(spec, sort_keys=True, separators=(",", ":")))
        (package / f"{module}.py").write_text(
            HEADER.format(module=MODULE, version=version)
            + f'"""The schema of spec in {crd}, version v1, as JSON."""\n\nTEXT = {text}\n',
            encoding="utf-8",
        )
    return name


def main(versions: list[str]) -> None:
    """Write everything anew."""
    digests: dict[str, dict[str, str]] = {}
    packages: dict[str, str] = {}
    for old in TARGET.glob("v*_*"):
        shutil.rmtree(old)
    for version in versions:
        folder = module_folder(version)
        found = definitions(folder)
        digests[version] = {name: digest(item) for name, item in found.items()}
        same = next((v for v in packages if all(digests[v][n] == digests[version][n] for n in SCHEMAS)), None)
        packages[version] = packages[same] if same else write_schemas(version, found)
        shutil.copyfile(folder / "LICENSE", TARGET / "LICENSE")
    (TARGET / "index.py").write_text(
        HEADER.format(module=MODULE, version=versions[-1])
        + '"""Which schemas a Karpenter version has, and the fingerprints of all its CRDs."""\n\n'
        + f"PACKAGES: dict[str, str] = {literal(packages)}\n\n"
        + f"DIGESTS: dict[str, dict[str, str]] = {literal(digests)}\n",
        encoding="utf-8",
    )
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(TARGET)], check=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["1.13.0", "1.14.0", "1.14.1"])
