"""TLS and proxies: trust only what the kubeconfig names, and reach the server the way it says."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ansible_collections.eksops.karpenter.plugins.module_utils._core.errors import EksopsError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.client import Client
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.credentials import Credentials
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.errors import KubernetesError
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.model import Connection
from ansible_collections.eksops.karpenter.plugins.module_utils._kubernetes.transport import proxy_for


@dataclass(frozen=True)
class Pair:
    """A self-signed certificate and its key, as PEM."""

    certificate: str
    key: str


def pair(name: str) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    names: list[x509.GeneralName] = [x509.DNSName(name)]
    if name == "loopback":
        names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Pair(
        certificate.public_bytes(serialization.Encoding.PEM).decode(),
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode(),
    )


class Handler(BaseHTTPRequestHandler):
    """Says who the client's certificate names."""

    def do_GET(self) -> None:
        certificate: dict[str, Any] = self.connection.getpeercert() or {}
        text = str(certificate.get("subject", "nobody")).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


class Https(ThreadingHTTPServer):
    """Says nothing about handshakes that fail: that is what is tested."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet."""


@contextmanager
def https(folder: Path, server: Pair, client_ca: Pair | None = None) -> Iterator[str]:
    (folder / "server.pem").write_text(server.certificate + server.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    if client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=client_ca.certificate)
    http = Https(("127.0.0.1", 0), Handler)
    http.socket = context.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"https://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def ask(server: str, source: str = "kubeconfig", **options: Any) -> str:
    target = Connection(server, source, **options)
    return Client(target, Credentials(target, lambda *_: (1, "", "")), sleep=lambda _: None).text("/version")


def test_the_authority_of_the_kubeconfig_is_trusted_and_no_other(tmp_path: Path) -> None:
    server = pair("loopback")
    with https(tmp_path, server) as url:
        assert ask(url, ca_pem=server.certificate) == "nobody"
        (tmp_path / "ca.pem").write_text(server.certificate)
        assert ask(url, str(tmp_path / "kubeconfig"), ca_file="ca.pem") == "nobody"
        with pytest.raises(KubernetesError, match="certificate verify failed") as error:
            ask(url, ca_pem=pair("loopback").certificate)
    assert error.value.kind == "unreachable"


def test_the_server_s_name_is_checked_against_the_one_given(tmp_path: Path) -> None:
    server = pair("kubernetes")
    with https(tmp_path, server) as url:
        assert ask(url, ca_pem=server.certificate, tls_server_name="kubernetes") == "nobody"
        with pytest.raises(KubernetesError, match="certificate"):
            ask(url, ca_pem=server.certificate)


def test_verification_is_off_only_when_the_kubeconfig_says_so(tmp_path: Path) -> None:
    with https(tmp_path, pair("elsewhere")) as url:
        assert ask(url, verify=False) == "nobody"


def test_a_client_certificate_is_shown(tmp_path: Path) -> None:
    server, user = pair("loopback"), pair("alice")
    with https(tmp_path, server, client_ca=user) as url:
        options = {"client_certificate_pem": user.certificate, "client_key_pem": user.key}
        assert "alice" in ask(url, ca_pem=server.certificate, **options)
        (tmp_path / "u.crt").write_text(user.certificate)
        (tmp_path / "u.key").write_text(user.key)
        files = {"client_certificate_file": "u.crt", "client_key_file": "u.key"}
        assert "alice" in ask(url, str(tmp_path / "kubeconfig"), ca_pem=server.certificate, **files)
        with pytest.raises(KubernetesError):
            ask(url, ca_pem=server.certificate)


@pytest.mark.parametrize("options", [{"ca_pem": "no certificate"}, {"ca_file": "none.pem"}], ids=["data", "file"])
def test_certificates_that_cannot_be_used_are_told(options: dict[str, str]) -> None:
    with pytest.raises(EksopsError, match="certificates of the kubeconfig cannot be used"):
        ask("https://127.0.0.1:1", **options)


def test_the_proxy_is_the_kubeconfig_s_or_else_the_environment_s(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    target = Connection("https://x.eks.amazonaws.com", "kubeconfig")
    assert proxy_for(target) is None
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    assert proxy_for(target) == "http://proxy:3128"
    assert proxy_for(Connection(target.server, "kubeconfig", proxy_url="http://own:1")) == "http://own:1"
    monkeypatch.setenv("no_proxy", ".eks.amazonaws.com")
    assert proxy_for(target) is None
