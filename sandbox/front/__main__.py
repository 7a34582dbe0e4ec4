"""Serves the front alone, for trying modules against it: ``python -m sandbox.front --state-dir DIR``."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import signal
from pathlib import Path

from sandbox.front.admin import account_view
from sandbox.front.server import Front


async def _serve(state_dir: Path, port: int, account: str) -> None:
    front = Front(state_dir)
    await front.start(port)
    view = account_view(await front.create_account(account))
    print(json.dumps({"url": front.url, "state_dir": str(state_dir)} | view, indent=2), flush=True)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    await front.stop()


def main() -> None:
    """Parse the command line and serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m sandbox.front", description=__doc__)
    parser.add_argument("--state-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0, help="loopback port (default: a free one)")
    parser.add_argument("--account", default="default", help="account to make at once")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    asyncio.run(_serve(options.state_dir, options.port, options.account))


if __name__ == "__main__":
    main()
