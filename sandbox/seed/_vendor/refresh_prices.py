"""Rewrites on_demand_prices.json from Karpenter's generated price table (Go source) of N. Virginia."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

_PRICE = re.compile(r'"([a-z0-9-]+\.[a-z0-9-]+)": ([0-9.]+)')
_GENERATED = re.compile(r"// generated at (\S+) for us-east-1")


def main() -> None:
    """Read the Go file named on the command line, write the JSON file beside this one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    text = parser.parse_args().source.read_text(encoding="utf-8")
    generated = _GENERATED.search(text)
    if generated is None:
        raise SystemExit("this is not Karpenter's price table of us-east-1")
    prices = {name: float(price) for name, price in _PRICE.findall(text)}
    document = {"generated": generated[1], "region": "us-east-1", "currency": "USD", "prices": prices}
    target = Path(__file__).with_name("on_demand_prices.json")
    target.write_text(json.dumps(document, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
