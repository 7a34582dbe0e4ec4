"""``account`` and ``env``: the environment variables that point AWS clients at an account of the sandbox."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from sandbox import accountfiles
from sandbox.commands.common import CommandError, ask, running
from sandbox.state import State, read_json

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_ID = re.compile(r"\d{12}")


def environment_path(state: State, name: str | None) -> Path:
    """Where the variables of an account are; of the default account without a name."""
    return state.environment if name is None else state.accounts / name / "environment.json"


def run_account(state: State, name: str, account_id: str | None) -> int:
    """Make the account ``name``, or find it, and write its files. Raises CommandError."""
    if not _NAME.fullmatch(name):
        raise CommandError(f"account name {name!r}: use 1 to 63 letters, digits, dots, dashes and underscores")
    if account_id is not None and not _ID.fullmatch(account_id):
        raise CommandError(f"account id {account_id!r}: an AWS account id has 12 digits")
    description = running(state)
    body = {"name": name} | ({"account_id": account_id} if account_id else {})
    account = ask(description, "/_sandbox/accounts", body)
    if account_id not in (None, account["account_id"]):
        raise CommandError(f"account {name} is there already with the id {account['account_id']}")
    path = environment_path(state, name)
    keys = account["access_key_id"], account["secret_access_key"]
    accountfiles.write(path.parent, path, description["front_url"], *keys)
    print(f"account {account['account_id']}: {path}")
    return 0


def run_env(state: State, name: str | None) -> int:
    """Print shell lines that set the variables, and put the sandbox's helm and kubectl first on PATH."""
    description = running(state)
    values = read_json(environment_path(state, name))
    if values is None:
        raise CommandError(f"there is no account {name}; make it with: python -m sandbox account {name}")
    for key, value in values.items():
        print(f"export {key}={shlex.quote(str(value))}")
    print(f'export PATH={shlex.quote(description["binary_dir"])}:"$PATH"')
    return 0
