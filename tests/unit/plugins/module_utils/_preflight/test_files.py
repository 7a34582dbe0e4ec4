"""A kubeconfig that cannot be written is told before there is a cluster for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._kubeconfig.model import MARKER
from ansible_collections.eksops.karpenter.plugins.module_utils._preflight import files


def told(path: Path) -> str:
    (finding,) = files.check_kubeconfig(str(path)).findings
    assert finding.severity == "error"
    assert finding.next_step
    assert finding.where == "eksops_kubeconfig"
    return finding.what


def test_one_that_can_be_written(tmp_path: Path) -> None:
    assert files.check_kubeconfig(str(tmp_path / "new" / "folder" / "kube.json")).findings == ()
    assert list(tmp_path.iterdir()) == []


def test_the_roles_own_choice() -> None:
    assert files.check_kubeconfig("").findings == ()


def test_a_folder(tmp_path: Path) -> None:
    assert "is a folder" in told(tmp_path)


def test_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert f"{tmp_path / 'file'} is no folder" in told(tmp_path / "file" / "sub" / "kube.json")


def test_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert "is no folder" in told(tmp_path / "link" / "kube.json")


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    assert "too long" in told(tmp_path / ("k" * 300))


def test_a_folder_that_is_not_ours_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Root may write everywhere, so the answer of the system is given here.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    assert f"may not write in {tmp_path}" in told(tmp_path / "sub" / "kube.json")


def test_somebody_elses(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("apiVersion: v1\nkind: Config\n")
    assert "not written by this collection" in told(path)


def test_something_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in told(path)


def test_our_own(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(f'{{"extensions": [{{"name": "{MARKER}"}}]}}')
    assert files.check_kubeconfig(str(path)).findings == ()
