"""The keys and certificates of one cluster. Clients and servers of the control plane know each other by them.

What each certificate is for: https://kubernetes.io/docs/setup/best-practices/certificates/
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = timedelta(days=365)
_KEY_USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


@dataclass(frozen=True)
class Pair:
    """A certificate and its key in PEM files."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class Anchor:
    """The certificate of an authority, and the files that it lies in."""

    pem: bytes
    pair: Pair


def _write(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def _private_pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _name(common_name: str, organizations: Sequence[str] = ()) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization) for organization in organizations]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(*wanted: str) -> x509.KeyUsage:
    return x509.KeyUsage(**{name: name in wanted for name in _KEY_USAGES})


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pair(folder: Path, name: str) -> Pair:
    return Pair(folder / f"{name}.crt", folder / f"{name}.key")


class Authority:
    """A certificate authority whose files lie in ``folder`` (``<name>.crt``, ``<name>.key``)."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self._identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        certificate = (
            self._builder(self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_usage("digital_signature", "key_cert_sign", "crl_sign"), critical=True)
            .add_extension(self._identifier, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        self.anchor = Anchor(pem, _pair(folder, name))
        _write(self.anchor.pair.certificate, pem)
        _write(self.anchor.pair.key, _private_pem(self._key))

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            # A clock that is set back a little does not make the certificate invalid.
            .not_valid_before(now - timedelta(hours=1))
            .not_valid_after(now + _LIFE)
        )

    def issue(
        self, file_name: str, common_name: str, *, organizations: Sequence[str] = (), hosts: Sequence[str] = ()
    ) -> Pair:
        """A certificate for a client (a user and groups), or for a server when ``hosts`` names its addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        purpose = ExtendedKeyUsageOID.SERVER_AUTH if hosts else ExtendedKeyUsageOID.CLIENT_AUTH
        authority = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._identifier)
        builder = (
            self._builder(_name(common_name, organizations), key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage("digital_signature"), critical=True)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
            .add_extension(authority, critical=False)
        )
        if hosts:
            names = x509.SubjectAlternativeName([_alternative(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        certificate = builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        pair = _pair(self._folder, file_name)
        _write(pair.certificate, certificate)
        _write(pair.key, _private_pem(key))
        return pair


@dataclass(frozen=True)
class Pki:
    """Everything one control plane needs. ``service_account`` has a public key in place of a certificate."""

    ca: Anchor
    front_proxy_ca: Anchor
    api_server: Pair
    controller_manager_server: Pair
    scheduler_server: Pair
    kubelet_client: Pair
    front_proxy_client: Pair
    admin: Pair
    controller_manager: Pair
    scheduler: Pair
    kwok: Pair
    service_account: Pair


def _service_account_pair(folder: Path) -> Pair:
    return Pair(folder / "service-account.pub", folder / "service-account.key")


def _service_account_keys(folder: Path) -> Pair:
    """RSA, because the tokens of an EKS cluster are signed with RS256."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    pair = _service_account_pair(folder)
    _write(pair.certificate, public)
    _write(pair.key, _private_pem(key))
    return pair


def create(folder: Path, service_cidr: str) -> Pki:
    """Make all keys and certificates of a cluster below ``folder``.

    Raises ValueError when ``service_cidr`` is no network: its first address is the API server's inside the cluster.
    """
    inside = str(next(ipaddress.ip_network(service_cidr).hosts()))
    local = ["127.0.0.1", "localhost"]
    names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"]
    ca, front = Authority(folder, "kubernetes-ca"), Authority(folder, "front-proxy-ca")
    return Pki(
        ca=ca.anchor,
        front_proxy_ca=front.anchor,
        api_server=ca.issue("kube-apiserver", "kube-apiserver", hosts=[*local, inside, *names]),
        controller_manager_server=ca.issue("kube-controller-manager-server", "kube-controller-manager", hosts=local),
        scheduler_server=ca.issue("kube-scheduler-server", "kube-scheduler", hosts=local),
        kubelet_client=ca.issue("kubelet-client", "kube-apiserver-kubelet-client"),
        front_proxy_client=front.issue("front-proxy-client", "front-proxy-client"),
        admin=ca.issue("admin", "sandbox-admin", organizations=["system:masters"]),
        controller_manager=ca.issue("kube-controller-manager", "system:kube-controller-manager"),
        scheduler=ca.issue("kube-scheduler", "system:kube-scheduler"),
        # It writes the status of every node and pod that it plays, as all their kubelets together would.
        kwok=ca.issue("kwok", "kwok", organizations=["system:masters"]),
        service_account=_service_account_keys(folder),
    )


def load(folder: Path) -> Pki:
    """What ``create`` made in ``folder``. Raises RuntimeError when a file of it is missing."""
    found = Pki(
        ca=_anchor(folder, "kubernetes-ca"),
        front_proxy_ca=_anchor(folder, "front-proxy-ca"),
        api_server=_pair(folder, "kube-apiserver"),
        controller_manager_server=_pair(folder, "kube-controller-manager-server"),
        scheduler_server=_pair(folder, "kube-scheduler-server"),
        kubelet_client=_pair(folder, "kubelet-client"),
        front_proxy_client=_pair(folder, "front-proxy-client"),
        admin=_pair(folder, "admin"),
        controller_manager=_pair(folder, "kube-controller-manager"),
        scheduler=_pair(folder, "kube-scheduler"),
        kwok=_pair(folder, "kwok"),
        service_account=_service_account_pair(folder),
    )
    pairs = [part.pair if isinstance(part, Anchor) else part for part in vars(found).values()]
    missing = [path for pair in pairs for path in (pair.certificate, pair.key) if not path.exists()]
    if missing:
        raise RuntimeError(f"the keys of the control plane are not complete: {missing[0]} is missing")
    return found


def _anchor(folder: Path, name: str) -> Anchor:
    pair = _pair(folder, name)
    return Anchor(pair.certificate.read_bytes() if pair.certificate.exists() else b"", pair)
