"""Certificates that real TLS accepts, for the names and purposes they are made for."""

from __future__ import annotations

import asyncio
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from sandbox.controlplane import pki
from sandbox.controlplane.health import client_context
from sandbox.controlplane.pki import Pair, Pki


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return pki.create(tmp_path_factory.mktemp("pki"), "10.100.0.0/16")


def _certificate(pair: Pair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate.read_bytes())


def _subject(pair: Pair) -> tuple[str, list[str]]:
    subject = _certificate(pair).subject
    name = str(subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)
    return name, [str(part.value) for part in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]


def test_clients_are_the_users_that_kubernetes_gives_roles_to(keys: Pki) -> None:
    assert _subject(keys.admin) == ("sandbox-admin", ["system:masters"])
    assert _subject(keys.controller_manager) == ("system:kube-controller-manager", [])
    assert _subject(keys.scheduler) == ("system:kube-scheduler", [])
    assert _subject(keys.kubelet_client) == ("kube-apiserver-kubelet-client", [])


def test_the_api_server_has_its_names_outside_and_inside_the_cluster(keys: Pki) -> None:
    names = _certificate(keys.api_server).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(ip) for ip in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "10.100.0.1"]
    assert {"localhost", "kubernetes.default.svc"} <= set(names.get_values_for_type(x509.DNSName))


def test_service_account_tokens_are_signed_with_rsa_as_on_eks(keys: Pki) -> None:
    private = serialization.load_pem_private_key(keys.service_account.key.read_bytes(), None)
    assert isinstance(private, rsa.RSAPrivateKey)
    public = serialization.load_pem_public_key(keys.service_account.certificate.read_bytes())
    assert private.public_key() == public


def test_keys_are_private(keys: Pki) -> None:
    folder = keys.admin.key.parent
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


async def _handshake(server: Pair, client_ca: bytes, client: ssl.SSLContext, host: str) -> bytes:
    """What the client reads from a server that says hello to those it trusts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.certificate, server.key)
    context.load_verify_locations(cadata=client_ca.decode())
    context.verify_mode = ssl.CERT_REQUIRED

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    listening = await asyncio.start_server(greet, "127.0.0.1", 0, ssl=context)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=client, server_hostname=host)
        try:
            return await reader.read()
        except (ssl.SSLError, ConnectionError):
            return b""  # with TLS 1.3 the server refuses only after the client is content
        finally:
            writer.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "kubernetes.default.svc", "10.100.0.1"])
async def test_both_sides_trust_each_other(keys: Pki, host: str) -> None:
    client = client_context(keys.ca.pem, keys.admin)
    assert await _handshake(keys.api_server, keys.ca.pem, client, host) == b"hello"


async def test_another_name_is_not_trusted(keys: Pki) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await _handshake(keys.api_server, keys.ca.pem, client_context(keys.ca.pem, keys.admin), "example.org")


async def test_the_front_proxys_authority_does_not_vouch_for_users(keys: Pki) -> None:
    stranger = client_context(keys.ca.pem, keys.front_proxy_client)
    assert await _handshake(keys.api_server, keys.ca.pem, stranger, "127.0.0.1") == b""
    assert await _handshake(keys.api_server, keys.front_proxy_ca.pem, stranger, "127.0.0.1") == b"hello"


def test_a_range_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"10\.100\.0\.0/33"):
        pki.create(tmp_path, "10.100.0.0/33")
