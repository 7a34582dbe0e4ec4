"""No file of acceptance tests is forgotten by the stages that run them."""

from __future__ import annotations

from scripts import run_tests, stage


def _files(*, long: bool) -> set[str]:
    return {one.command[-1] for one in run_tests.acceptance_stages(long=long)}


def test_every_file_of_acceptance_tests_has_a_stage() -> None:
    there = {str(path.relative_to(stage.ROOT)) for path in (stage.ROOT / "tests/acceptance").glob("test_*.py")}
    assert _files(long=True) == there
    assert _files(long=False) < there
