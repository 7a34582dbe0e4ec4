"""Emulators' objects as bytes. moto's stores are webs of plain objects; the few others are dealt with here.

Bytes are read by the very versions that wrote them (see ``files``) and lie in a folder of the user's own.
"""

from __future__ import annotations

import importlib
import io
import marshal
import pickle
from types import FunctionType
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from sandbox.seed import region


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        """See ``pickle.Pickler.reducer_override``; also called for functions, which pickle knows by name alone."""
        if isinstance(obj, FunctionType) and "<locals>" in obj.__qualname__ and not obj.__closure__:
            return _function, (obj.__module__, marshal.dumps(obj.__code__))
        if isinstance(
            obj, (RSAPrivateKey, EllipticCurvePrivateKey)
        ):  # of the KMS keys with which volumes are encrypted
            plain = serialization.NoEncryption()
            form = serialization.PrivateFormat.PKCS8
            return _private_key, (obj.private_bytes(serialization.Encoding.DER, form, plain),)
        return region.reduction(obj)


def _function(module: str, code: bytes) -> FunctionType:
    """A function from inside of another one: the factory of a default value, with moto."""
    return FunctionType(marshal.loads(code), vars(importlib.import_module(module)))


def _private_key(der: bytes) -> Any:
    return serialization.load_der_private_key(der, None)


def dumps(value: Any) -> bytes:
    """The bytes of ``value``. Raises pickle.PicklingError or TypeError for what cannot be kept."""
    buffer = io.BytesIO()
    _Pickler(buffer, protocol=5).dump(value)
    return buffer.getvalue()


def loads(content: bytes) -> Any:
    """What ``dumps`` was given."""
    return pickle.loads(content)
