"""What the folder of a control plane keeps over a restart: its keys, and how often it has come back."""

from __future__ import annotations

import shutil
from pathlib import Path

from sandbox.contracts import ControlPlaneSpec
from sandbox.controlplane import pki
from sandbox.state import read_json, write_json


def keys(folder: Path, spec: ControlPlaneSpec, *, renew: bool) -> pki.Pki:
    """The keys of a new cluster, in an empty folder, or those of one that comes back."""
    if not renew:
        return pki.load(folder / "pki")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    return pki.create(folder / "pki", spec.service_cidr)


def count_return(folder: Path) -> int:
    """How often the cluster has come back, this time included."""
    note = folder / "returns.json"
    count = int((read_json(note) or {}).get("returns", 0)) + 1
    write_json(note, {"returns": count})
    return count
