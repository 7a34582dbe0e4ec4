"""The file on the disk: private, all or nothing, unchanged when nothing differs."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubeconfig.model import KubeconfigSpec
from ansible_collections.eksops.karpenter.plugins.module_utils._kubeconfig.run import run


def spec(path: Path, **values: Any) -> KubeconfigSpec:
    given: dict[str, Any] = {"endpoint": "https://e", "certificate_authority_data": "UEVN", **values}
    return KubeconfigSpec(
        path=str(path),
        cluster_name="demo",
        region="us-west-2",
        interpreter=given.pop("interpreter", sys.executable),
        script=given.pop("script", __file__),
        **given,
    )


def test_a_kubeconfig_lives_from_nothing_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "demo.json"
    predicted = run(spec(path), "present", check_mode=True)
    assert (predicted["changed"], predicted["exists"], path.parent.exists()) == (True, False, False)
    made = run(spec(path), "present", check_mode=False)
    assert made.keys() == predicted.keys()
    assert made["plan"] == predicted["plan"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert json.loads(path.read_text())["current-context"] == "demo"
    assert list(path.parent.iterdir()) == [path]
    before = path.stat().st_mtime_ns
    assert run(spec(path), "present", check_mode=False)["changed"] is False
    assert path.stat().st_mtime_ns == before
    path.chmod(0o644)
    assert run(spec(path), "present", check_mode=False)["changed"] is True
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert run(spec(path), "absent", check_mode=True)["exists"] is True
    assert run(spec(path), "absent", check_mode=False)["exists"] is False
    assert run(spec(path), "absent", check_mode=False)["changed"] is False


@pytest.mark.parametrize("values", [{"interpreter": "python3"}, {"script": "/nowhere/x.py"}, {"script": ""}])
def test_programs_have_to_be_there(tmp_path: Path, values: dict[str, str]) -> None:
    with pytest.raises(EksopsError, match="no file with an absolute path"):
        run(spec(tmp_path / "x", **values), "present", check_mode=False)


def test_a_folder_in_the_way_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(EksopsError, match="cannot be read"):
        run(spec(tmp_path), "present", check_mode=False)
    (tmp_path / "file").touch()
    with pytest.raises(EksopsError, match="cannot be"):
        run(spec(tmp_path / "file" / "x"), "present", check_mode=False)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
