"""AWS clients find the account by the files and variables alone."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import botocore.session
import pytest

from sandbox import accountfiles


def test_an_aws_client_takes_keys_region_and_endpoint_from_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "environment.json"
    values = accountfiles.write(tmp_path / "aws", path, "http://127.0.0.1:1234", "AKIAEXAMPLE", "secret")
    assert json.loads(path.read_text()) == values
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    session = botocore.session.Session()
    client = session.create_client("sts")
    assert client.meta.endpoint_url == "http://127.0.0.1:1234"
    assert client.meta.region_name == "us-west-2"
    credentials = session.get_credentials()
    assert credentials is not None
    assert (credentials.access_key, credentials.secret_key) == ("AKIAEXAMPLE", "secret")


def test_files_are_private(tmp_path: Path) -> None:
    accountfiles.write(tmp_path / "aws", tmp_path / "environment.json", "http://127.0.0.1:1", "k", "s")
    for path in (tmp_path / "environment.json", tmp_path / "aws" / "config", tmp_path / "aws" / "credentials"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
