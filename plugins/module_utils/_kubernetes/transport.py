# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The HTTP below the client: TLS, proxy, pools. Private to the collection.

Plain urllib3 (botocore brings it along): the kubernetes package costs 1.3 CPU-seconds at every import, this 0.2.
"""

from __future__ import annotations

import os
import ssl
import tempfile
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .._core.errors import EksopsError
from .model import Connection

try:
    import urllib3
except ImportError as error:  # told by pool_manager, in the module's own words
    URLLIB3_ERROR: ImportError | None = error
    NETWORK_ERRORS: tuple[type[Exception], ...] = (OSError, HTTPException)
else:
    URLLIB3_ERROR = None
    NETWORK_ERRORS = (urllib3.exceptions.HTTPError, OSError, HTTPException)

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0


def pool_manager(connection: Connection) -> Any:
    """A urllib3 pool that trusts and proves what the kubeconfig says. Raises EksopsError for unusable files."""
    if URLLIB3_ERROR is not None:
        raise EksopsError("The Python package urllib3 is missing", next_step="install it (botocore depends on it)")
    options: dict[str, Any] = {
        "ssl_context": ssl_context(connection),
        "retries": False,
        "maxsize": 8,
    }
    if connection.tls_server_name:
        options["server_hostname"] = connection.tls_server_name
        options["assert_hostname"] = connection.tls_server_name
    if not connection.verify:  # the kubeconfig says so; a warning per request would only hide others
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    proxy = proxy_for(connection)
    return urllib3.ProxyManager(proxy, **options) if proxy else urllib3.PoolManager(**options)


def timeouts(read_seconds: float) -> Any:
    """urllib3's timeouts of one request."""
    return urllib3.Timeout(connect=CONNECT_SECONDS, read=read_seconds)


def proxy_for(connection: Connection) -> str | None:
    """The proxy of the kubeconfig, or else of the environment (HTTPS_PROXY, NO_PROXY), or None."""
    if connection.proxy_url:
        return connection.proxy_url
    parts = urlsplit(connection.server)
    if urllib.request.proxy_bypass(parts.netloc):
        return None
    return urllib.request.getproxies().get(parts.scheme)


def ssl_context(connection: Connection) -> ssl.SSLContext:
    """The TLS settings of the kubeconfig. Raises EksopsError for files or certificates that cannot be used."""
    try:
        context = ssl.create_default_context(
            cafile=_absolute(connection.ca_file, connection.source), cadata=connection.ca_pem
        )
        if not connection.verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        _load_client_certificate(context, connection)
    except (OSError, ssl.SSLError) as error:
        raise EksopsError(
            f"The certificates of the kubeconfig cannot be used: {error}", where=connection.source
        ) from error
    return context


def _load_client_certificate(context: ssl.SSLContext, connection: Connection) -> None:
    if connection.client_certificate_pem and connection.client_key_pem:
        # Python's ssl reads certificates from files only: a private one, for the moment of reading.
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as both:
            both.write(f"{connection.client_certificate_pem}\n{connection.client_key_pem}")
            both.flush()
            context.load_cert_chain(both.name)
    elif connection.client_certificate_file:
        context.load_cert_chain(
            os.fspath(_absolute(connection.client_certificate_file, connection.source) or ""),
            _absolute(connection.client_key_file, connection.source),
        )


def _absolute(path: str | None, source: str) -> str | None:
    """Paths in a kubeconfig are relative to its folder."""
    return None if path is None else str(Path(source).parent / path)
