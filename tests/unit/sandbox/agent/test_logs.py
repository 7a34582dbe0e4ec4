"""Container logs as kubectl asks for them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sandbox.agent.logs import LogOptions, read

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC).timestamp()
LINES = (
    '{"level":"INFO","time":"2026-11-30T11:00:00.5Z","message":"one"}\n'
    '{"level":"INFO","time":"2026-11-30T11:59:30Z","message":"two"}\n'
    "panic: three\n"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "0.log"
    path.write_text(LINES, encoding="utf-8")
    return path


async def text(path: Path, **query: str) -> str:
    pieces = [piece async for piece in read(path, LogOptions.of(query, NOW), lambda: True)]
    return b"".join(pieces).decode()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, LINES),
        ({"tailLines": "1"}, "panic: three\n"),
        ({"tailLines": "0"}, ""),
        ({"tailLines": "9"}, LINES),
        ({"limitBytes": "8"}, LINES[:8]),
        ({"sinceSeconds": "60"}, "".join(LINES.splitlines(keepends=True)[1:])),
        ({"sinceTime": "2026-11-30T11:59:31Z"}, ""),
        ({"follow": "true", "tailLines": "2"}, "".join(LINES.splitlines(keepends=True)[1:])),
    ],
)
async def test_options_choose_lines(log: Path, query: dict[str, str], expected: str) -> None:
    assert await text(log, **query) == expected


async def test_timestamps_are_those_of_the_entries(log: Path) -> None:
    found = (await text(log, timestamps="true")).splitlines()
    assert found[0].startswith("2026-11-30T11:00:00.500000Z {")
    assert found[2] == "2026-11-30T11:59:30.000000Z panic: three"


@pytest.mark.parametrize("query", [{"tailLines": "x"}, {"sinceSeconds": "x"}, {"sinceTime": "yesterday"}])
def test_options_that_make_no_sense_are_refused(query: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"(?i)invalid|could not convert"):
        LogOptions.of(query, NOW)


async def test_follow_goes_on_until_the_container_ends(log: Path) -> None:
    ended = asyncio.Event()
    options = LogOptions.of({"follow": "true", "tailLines": "1"}, NOW)
    stream = read(log, options, ended.is_set)
    assert await anext(stream) == b"panic: three\n"
    with log.open("a", encoding="utf-8") as file:
        file.write("half")
        file.flush()
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        file.write(" and whole\n")
    assert await waiting == b"half and whole\n"
    ended.set()
    assert [piece async for piece in stream] == []
