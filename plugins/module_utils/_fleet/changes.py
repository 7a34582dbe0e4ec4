# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the roles of a run say about their changes. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .table import wrapped

PLANS = ("plan", "planned", "differences")
"""Where role results keep what they did or would do: steps as dictionaries, or sentences."""
NAME_SIZE = 22

Run = Mapping[str, Any]


def _results(run: Run) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, result in (run.get("results") or {}).items():
        if isinstance(result, Mapping) and result:  # an empty one is of a role that did not run
            yield str(name), result


def any_change(run: Run) -> bool:
    """Whether a role changed something, or would."""
    return any(result.get("changed") for _role, result in _results(run))


def lines(run: Run) -> list[str]:
    """One line per role, and below it what it did."""
    found: list[str] = []
    for name, result in _results(run):
        found.append(f"  {name.ljust(NAME_SIZE)}  {_word(result, predicted=bool(run.get('check_mode')))}")
        if result.get("passed") is not None:
            found += [line for text in list(result.get("summary") or ())[1:] for line in wrapped(text, mark=" " * 4)]
        if result.get("changed"):
            found += [line for step in _steps(result) for line in wrapped(step, mark=" " * 4)]
    return found


def _word(result: Mapping[str, Any], *, predicted: bool) -> str:
    if result.get("passed") is not None:
        return "passed" if result["passed"] else "did not pass"
    if not result.get("changed"):
        return "as it was"
    return "would change" if predicted else "changed"


def _steps(result: Mapping[str, Any]) -> list[str]:
    by_hand = [f"put back {item['aspect']} of {item['logical_id']}" for item in result.get("drift") or ()]
    for key in PLANS:
        steps = result.get(key)
        if isinstance(steps, list) and steps:
            return [*map(_step, steps), *by_hand]
    return by_hand


def _step(step: Any) -> str:
    if isinstance(step, Mapping):
        return " ".join(str(step[key]) for key in ("action", "kind", "name") if step.get(key))
    return str(step)


def notices(run: Run) -> list[str]:
    """The roles' notices."""
    return [str(text) for _role, result in _results(run) for text in result.get("notices") or ()]
