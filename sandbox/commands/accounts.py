"""``account`` and ``env``: the environment variables that point AWS clients at an account of the sandbox."""

from __future__ import annotations

import shlex
from pathlib import Path

from sandbox import accountfiles
from sandbox.commands.common import CommandError, ask, running
from sandbox.front.accounts import check
from sandbox.state import State, read_json


def environment_path(state: State, name: str | None) -> Path:
    """Where the variables of an account are; of the default account without a name."""
    return state.environment if name is None else state.accounts / name / "environment.json"


def run_account(state: State, name: str, account_id: str | None) -> int:
    """Make the account ``name``, or find it, and write its files. Raises CommandError."""
    try:
        check(name, account_id)
    except ValueError as error:
        raise CommandError(str(error)) from error
    description = running(state)
    body = {"name": name} | ({"account_id": account_id} if account_id else {})
    account = ask(description, "/_sandbox/accounts", body)
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
