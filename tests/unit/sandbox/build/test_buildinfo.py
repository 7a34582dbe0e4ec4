"""Go's build information is read as the linker writes it."""

from __future__ import annotations

from pathlib import Path

from sandbox.build import buildinfo

MODULES = (
    "path\tgithub.com/aws/karpenter-provider-aws/cmd/controller\n"
    "mod\tgithub.com/aws/karpenter-provider-aws\tv1.14.0\th1:abc=\n"
    "dep\tk8s.io/api\tv0.36.3\th1:def=\n"
    'build\t-ldflags="-X sigs.k8s.io/karpenter/pkg/operator.Version=1.14.0"\n'
)


def _varint(number: int) -> bytes:
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def _binary(path: Path, modules: str, *, flags: int = 2) -> Path:
    version, text = b"go1.26.8", b"s" * 16 + modules.encode() + b"e" * 16
    header = b"\xff Go buildinf:" + bytes([8, flags]) + b"\0" * 16
    info = header + _varint(len(version)) + version + _varint(len(text)) + text
    path.write_bytes(b"\x7fELF" + b"\0" * 100 + info + b"\0" * 50)
    return path


def test_modules_of_a_binary(tmp_path: Path) -> None:
    path = _binary(tmp_path / "binary", MODULES)
    assert buildinfo.module_lines(path) == MODULES.splitlines()
    assert "v1.14.0" in buildinfo.main_version(path)
    assert "k8s.io/api" not in buildinfo.main_version(path), "the version of a dependency is not the binary's"


def test_what_is_no_go_binary_has_none(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"#!/bin/sh\n")
    assert buildinfo.module_lines(path) == []
    assert buildinfo.module_lines(_binary(path, MODULES, flags=0)) == []
