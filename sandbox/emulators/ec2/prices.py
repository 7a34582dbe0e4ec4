"""What instances cost. On demand: AWS's list; Spot: a fixed share of it per type and zone, since there is no market."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from typing import Any


def _read() -> dict[str, Any]:
    text = (files("sandbox.seed._vendor") / "on_demand_prices.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


#: Read when the daemon starts: it runs on while its checkout changes.
_DOCUMENT = _read()
_PRICES: dict[str, float] = _DOCUMENT["prices"]


def published() -> str:
    """When the list was taken from AWS."""
    return str(_DOCUMENT["generated"])


def price_list() -> dict[str, float]:
    """US dollars per hour by instance type, Linux, N. Virginia; the sandbox uses it for every region."""
    return _PRICES


def on_demand(instance_type: str) -> float:
    """US dollars per hour; types that the list does not have are infinitely dear, so that they come last."""
    return price_list().get(instance_type, float("inf"))


def spot_price(instance_type: str, zone: str) -> float:
    """US dollars per hour: 30 to 59 % of the price on demand, always the same for a type and a zone."""
    draw = hashlib.sha256(f"{instance_type}/{zone}".encode()).digest()[0] % 30
    return round(on_demand(instance_type) * (30 + draw) / 100, 6)
