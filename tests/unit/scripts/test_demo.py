"""The demo stops what it started, whether it went well or not, unless it is to be kept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scripts import demo


class Calls:
    """Records command lines; ``codes`` gives the exit code of a command that holds a word."""

    def __init__(self, **codes: int) -> None:
        self.codes = codes
        self.made: list[str] = []

    def __call__(self, command: Sequence[str]) -> int:
        words = command[command.index("sandbox") + 1 :] if "sandbox" in command else command[-1:]
        self.made.append(" ".join(words))
        return next((code for word, code in self.codes.items() if word in self.made[-1]), 0)


@pytest.mark.parametrize(
    ("keep", "codes", "made", "code"),
    [
        (False, {}, ["up --fresh", "site.yml", "down --forget"], 0),
        (True, {}, ["up --fresh", "site.yml"], 0),
        (False, {"site": 2}, ["up --fresh", "site.yml", "down --forget"], 2),
        (True, {"site": 2}, ["up --fresh", "site.yml"], 2),
        (False, {"down": 1}, ["up --fresh", "site.yml", "down --forget"], 1),
        (False, {"up": 1}, ["up --fresh"], 1),
    ],
)
def test_order_and_exit_code(keep: bool, codes: dict[str, int], made: list[str], code: int) -> None:
    calls = Calls(**codes)
    assert demo.run(keep=keep, call=calls) == code
    assert calls.made == made


def test_an_interruption_stops_the_sandbox_too() -> None:
    calls = Calls()

    def interrupted(command: Sequence[str]) -> int:
        calls(command)
        if command[-1] == "site.yml":
            raise KeyboardInterrupt
        return 0

    with pytest.raises(KeyboardInterrupt):
        demo.run(keep=False, call=interrupted)
    assert calls.made == ["up --fresh", "site.yml", "down --forget"]


def test_what_you_just_saw_is_told_only_after_success(capsys: pytest.CaptureFixture[str]) -> None:
    demo.run(keep=False, call=Calls(site=2))
    assert "What you just saw" not in capsys.readouterr().out
    demo.run(keep=True, call=Calls())
    assert "make sandbox-down" in capsys.readouterr().out
