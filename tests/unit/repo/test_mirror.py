"""A test's path says what it tests: tests/unit/<path>/test_<name>.py for <path>/<name>.py or package <path>/<name>."""

from __future__ import annotations

from . import layout

MIRRORED = {"plugins", "sandbox", "scripts"}


def test_unit_tests_mirror_paths() -> None:
    lost = []
    for path in layout.matching("tests/unit/**/test_*.py"):
        inner = path.relative_to("tests/unit")
        if inner.parts[0] not in MIRRORED:
            continue
        folder = layout.ROOT / inner.parent
        subject = path.stem.removeprefix("test_")
        # A test may be about one file, about what a file does (test_<file>_<behaviour>.py), or about a whole package.
        names = [part.stem for part in folder.iterdir()] if folder.is_dir() else []
        about_file = any(
            subject == name or subject.startswith((f"{name}_", name.lstrip("_")))
            for name in names
            if name != "__init__"
        )
        # Packages of the sandbox are tested by behaviour too; the collection's files one by one.
        about_package = inner.parts[0] == "sandbox" and folder.is_dir()
        if not (about_file or about_package or (folder / subject).is_dir() or folder.name.strip("_") in subject):
            lost.append(str(path))
    assert not lost, f"There is no such file or package: {lost}"


def test_pure_code_has_tests() -> None:
    tested = {path.relative_to("tests/unit").parent for path in layout.matching("tests/unit/plugins/**/test_*.py")}
    untested = {str(path) for path in layout.matching("plugins/module_utils/**/plan.py") if path.parent not in tested}
    assert not untested, f"Plans are tested as tables: {untested}"
