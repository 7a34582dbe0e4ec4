"""The credential program: its answers, its cache, its sentences about trouble, and a run as kubectl runs it."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._kubeconfig import exec_credential as subject

SCRIPT = Path(subject.__file__).resolve()


class Sts:
    """An STS that gives one prepared answer and counts its calls."""

    def __init__(self) -> None:
        self.answer = (200, "<GetCallerIdentityResponse/>")
        self.calls: list[tuple[str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.calls.append((self.path, self.headers.get("x-k8s-aws-id")))
                self._reply()

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.calls.append((self.path, None))
                self._reply()

            def _reply(self) -> None:
                status, body = outer.answer
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, format: str, *args: Any) -> None:
                """Keep the test's output quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()


@pytest.fixture
def sts() -> Iterator[Sts]:
    made = Sts()
    yield made
    made.server.shutdown()
    made.server.server_close()
    made.thread.join(5)


@pytest.fixture
def environment(tmp_path: Path, sts: Sts) -> dict[str, str]:
    credentials = tmp_path / "credentials"
    credentials.write_text("[dev]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secretsecret\n")
    (tmp_path / "config").touch()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "EKSOPS_CLUSTER_NAME": "demo",
        "AWS_REGION": "us-west-2",
        "AWS_PROFILE": "dev",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(credentials),
        "AWS_ENDPOINT_URL": sts.url,
        "NO_PROXY": "127.0.0.1",
    }


@dataclass(frozen=True)
class Answer:
    """What the program said."""

    returncode: int
    stdout: str
    stderr: str


def program(environment: dict[str, str], *arguments: str) -> Answer:
    """Run it in a process of its own, as kubectl does."""
    command = [sys.executable, *(arguments or (str(SCRIPT),))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return Answer(done.returncode, done.stdout, done.stderr)


def call(environment: dict[str, str], **more: str) -> Answer:
    """Run it here, with no more environment than given."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, {**environment, **more}, clear=True),
        # So long on a machine that is busy, too: the STS of this file always answers.
        patch.object(subject, "CHECK_TIMEOUT_SECONDS", 60),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = subject.main()
    return Answer(code, out.getvalue(), err.getvalue())


def url_of(answer: dict[str, Any]) -> str:
    token: str = answer["status"]["token"].removeprefix("k8s-aws-v1.")
    return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()


def test_a_token_is_a_presigned_question_who_am_i(environment: dict[str, str], sts: Sts) -> None:
    answer = json.loads(program(environment).stdout)
    assert answer["kind"] == "ExecCredential"
    query = parse_qs(urlsplit(url_of(answer)).query)
    assert query["Action"] == ["GetCallerIdentity"]
    assert "x-k8s-aws-id" in query["X-Amz-SignedHeaders"][0]
    assert query["X-Amz-Credential"][0].startswith("AKIDEXAMPLE/")
    assert "secretsecret" not in json.dumps(answer)
    end = datetime.fromisoformat(answer["status"]["expirationTimestamp"])
    assert 13 * 60 < (end - datetime.now(UTC)).total_seconds() <= 14 * 60
    assert [name for _, name in sts.calls] == ["demo"]


def test_a_profile_is_stronger_than_keys_that_happen_to_be_around(environment: dict[str, str]) -> None:
    answer = json.loads(call(environment, AWS_ACCESS_KEY_ID="AKIDOTHER", AWS_SECRET_ACCESS_KEY="x").stdout)
    assert "AKIDEXAMPLE" in url_of(answer)


def test_a_token_is_kept_for_its_owner_and_reused(environment: dict[str, str], sts: Sts) -> None:
    first = call(environment)
    second = call(environment)
    assert second.stdout == first.stdout
    assert len(sts.calls) == 1
    folder = Path(environment["XDG_CACHE_HOME"]) / "eksops-karpenter" / "tokens"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (kept,) = folder.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.parametrize("change", ["credentials", "cluster", "mode", "broken"])
def test_a_kept_token_is_not_reused_when_it_is_no_longer_the_callers(
    environment: dict[str, str], sts: Sts, change: str
) -> None:
    call(environment)
    (kept,) = (Path(environment["XDG_CACHE_HOME"]) / "eksops-karpenter" / "tokens").iterdir()
    if change == "credentials":
        file = Path(environment["AWS_SHARED_CREDENTIALS_FILE"])
        file.write_text(file.read_text().replace("AKIDEXAMPLE", "AKIDNEWKEY1"))
    elif change == "cluster":
        environment["EKSOPS_CLUSTER_NAME"] = "other"
    elif change == "mode":
        kept.chmod(0o644)
    else:
        kept.write_text("{")
    assert json.loads(call(environment).stdout)["status"]["token"]
    assert len(sts.calls) == 2


def test_a_token_that_ends_soon_is_not_reused(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    now = time.time()
    subject.keep(path, subject.document("t", now + 119))
    assert subject.cached(path, now) is None
    subject.keep(path, subject.document("t", now + 125))
    assert subject.cached(path, now) is not None


def test_reading_a_kept_token_does_not_import_botocore(environment: dict[str, str]) -> None:
    call(environment)
    code = (
        "import runpy, sys\n"
        "try:\n    runpy.run_path(sys.argv[1], run_name='__main__')\n"
        "except SystemExit:\n    pass\n"
        "sys.exit('botocore' in sys.modules)"
    )
    done = program(environment, "-c", code, str(SCRIPT))
    assert done.returncode == 0, done.stderr


def error(code: str, message: str) -> str:
    return f"<ErrorResponse><Error><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((403, error("ExpiredToken", "The token is expired.")), "the AWS credentials have expired"),
        ((403, error("InvalidClientTokenId", "Unknown key.")), "AWS does not know the credentials"),
        ((403, error("AccessDenied", "Not you.")), "access denied: Not you."),
    ],
)
@pytest.mark.parametrize("role", ["", "arn:aws:iam::111122223333:role/r"])
def test_expired_unknown_and_denied_are_told_apart(
    environment: dict[str, str], sts: Sts, answer: tuple[int, str], said: str, role: str
) -> None:
    sts.answer = answer
    done = call(environment, EKSOPS_ROLE_ARN=role)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (Path(environment["XDG_CACHE_HOME"]) / "eksops-karpenter").exists()


def test_a_missing_profile_is_one_sentence(environment: dict[str, str]) -> None:
    done = program({**environment, "AWS_PROFILE": "nobody"})
    assert done.returncode == 1
    assert done.stderr == "eksops: The config profile (nobody) could not be found\n"


def test_sts_out_of_reach_is_the_clusters_business(environment: dict[str, str], sts: Sts) -> None:
    sts.server.shutdown()
    sts.server.server_close()
    done = call(environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"]["token"].startswith("k8s-aws-v1.")


def test_a_role_is_assumed_for_the_token(environment: dict[str, str], sts: Sts) -> None:
    keys = (
        "<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
        "<Expiration>2099-01-01T00:00:00Z</Expiration>"
    )
    sts.answer = (
        200,
        f"<AssumeRoleResponse><AssumeRoleResult><Credentials>{keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>",
    )
    answer = json.loads(call(environment, EKSOPS_ROLE_ARN="arn:aws:iam::111122223333:role/r").stdout)
    assert "ASIAROLE" in url_of(answer)


@pytest.mark.parametrize("name", ["EKSOPS_CLUSTER_NAME", "AWS_REGION"])
def test_what_the_kubeconfig_has_to_set_is_asked_for(environment: dict[str, str], name: str) -> None:
    del environment[name]
    done = call(environment)
    assert done.returncode == 1
    assert f"{name} is not set" in done.stderr
