"""``python -m sandbox``: build, up, down, status, logs, account, env, fault."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from sandbox.build import builder
from sandbox.build.tools import SECOND
from sandbox.commands import accounts, down, faults, logs, status, up
from sandbox.state import State


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of clusters")
    return number


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="A local twin of AWS and EKS. State: $EKSOPS_SANDBOX_DIR, by default .sandbox in the checkout.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="build the binaries and charts that are missing (once per version)")
    names = ", ".join(SECOND)
    build.add_argument("second", nargs="*", metavar="VERSION", help=f"a second version too: {names}")
    build.add_argument("--all", action="store_true", help="every second version; else built when a cluster needs it")
    start = commands.add_parser("up", help="start the sandbox, and go on with the accounts and clusters it had")
    start.add_argument("--fresh", action="store_true", help="forget them and start with one empty account")
    start.add_argument(
        "--max-clusters", type=_positive, metavar="N", help="control planes at once (default: as memory allows)"
    )
    start.add_argument(
        "--save-seconds", type=float, default=1.0, metavar="S", help="a change is saved within S seconds (default: 1)"
    )
    stop = commands.add_parser("down", help="stop it; its accounts and clusters are kept for the next up")
    stop.add_argument("--forget", action="store_true", help="forget them, too; logs stay")
    shown = commands.add_parser("status", help="what runs, and what died with the end of its log")
    shown.add_argument("--json", action="store_true", help="for programs")
    log = commands.add_parser("logs", help="print the log of a component; without one, list them")
    log.add_argument("component", nargs="?", help="for example daemon, registry, kube-apiserver")
    log.add_argument("-f", "--follow", action="store_true", help="go on as it grows")
    log.add_argument("-n", "--lines", type=int, default=200, help="how many of the last lines (default: 200)")
    account = commands.add_parser("account", help="make a further, separate AWS account")
    account.add_argument("name")
    account.add_argument("--id", dest="account_id", help="12 digits (default: one that follows from the name)")
    environment = commands.add_parser("env", help='shell lines for: eval "$(python -m sandbox env)"')
    environment.add_argument("--account", help="of this account (default: the default one)")
    _fault(commands.add_parser("fault", help="let something go wrong, and stop that again"))
    return top


def _fault(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    form = argparse.RawDescriptionHelpFormatter
    new = verbs.add_parser("set", help="set a fault", epilog=faults.table(), formatter_class=form)
    new.add_argument("kind", metavar="KIND")
    new.add_argument("values", nargs="*", metavar="NAME=VALUE")
    cleared = verbs.add_parser("clear", help="clear faults by their ids; without one, all of the account")
    cleared.add_argument("ids", nargs="*", metavar="ID")
    listed = verbs.add_parser("list", help="print the faults that are set")
    listed.add_argument("--json", action="store_true", help="for programs")
    for verb in (new, cleared, listed):
        verb.add_argument("--account", help="name or id (default: the default account; for list, all)")


def _run_fault(state: State, options: argparse.Namespace) -> int:
    match options.verb:
        case "set":
            return faults.run_set(state, options.kind, options.values, options.account)
        case "clear":
            return faults.run_clear(state, options.ids, options.account)
    return faults.run_list(state, options.account, as_json=options.json)


def _run(options: argparse.Namespace) -> int:
    state = State.locate()
    match options.command:
        case "build":
            found = builder.ensure(second=list(SECOND) if options.all else _known(options.second))
            count = len(found.tools) + sum(one.path is not None for one in found.later.values())
            print(f"built: {count} binaries and {len(found.charts)} charts")
            return 0
        case "up":
            settings = up.Settings(options.fresh, options.max_clusters, options.save_seconds)
            return up.run(state, settings)
        case "down":
            return down.run(state, forget=options.forget)
        case "status":
            return status.run(state, as_json=options.json)
        case "logs":
            return logs.run(state, options.component, follow=options.follow, lines=options.lines)
        case "account":
            return accounts.run_account(state, options.name, options.account_id)
        case "fault":
            return _run_fault(state, options)
    return accounts.run_env(state, options.account)


def _known(names: Sequence[str]) -> Sequence[str]:
    """Raises RuntimeError for a name that is no second version."""
    for name in names:
        if name not in SECOND:
            raise RuntimeError(f"there is no second version {name}; there are {', '.join(SECOND)}")
    return names


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it went well."""
    try:
        return _run(parser().parse_args(arguments))
    except (RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
