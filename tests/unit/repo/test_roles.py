"""A role's interface is its argument specification; everything else about a role follows a fixed shape."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import layout

ROLES = layout.roles()


@cache
def _spec(role: str) -> dict[str, Any]:
    options: dict[str, Any] = layout.load(Path("roles", role, "meta/argument_specs.yml"))["argument_specs"]["main"][
        "options"
    ]
    return options


@cache
def _defaults(role: str) -> dict[str, Any]:
    return layout.load(Path("roles", role, "defaults/main.yml")) or {}


def _sources(role: str) -> list[Path]:
    folders = {"tasks", "defaults", "vars", "handlers", "templates", "meta"}
    return [path for path in layout.files() if path.parts[:2] == ("roles", role) and path.parts[2] in folders]


# What is said to people may name variables of others; what is computed may not.
WORDS = {"name", "fail_msg", "success_msg", "msg"}


def _code(path: Path) -> str:
    """A file without its comments, and without texts for people but for the expressions in them."""
    content = re.sub(r"(^|\s)#.*$", "", layout.text(path), flags=re.MULTILINE)
    return content if path.parts[2] == "templates" else "\n".join(_strings(yaml.safe_load(content) or {}, words=False))


def _strings(value: Any, *, words: bool) -> list[str]:
    if isinstance(value, dict):
        return [part for key, item in value.items() for part in [f"{key}:", *_strings(item, words=key in WORDS)]]
    if isinstance(value, list):
        return [part for item in value for part in _strings(item, words=words)]
    return re.findall(r"\{\{.*?\}\}", str(value), re.DOTALL) if words else [str(value)]


def test_there_are_roles() -> None:
    assert ROLES


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "name", ["README.md", "defaults/main.yml", "meta/argument_specs.yml", "tasks/main.yml", "tasks/export.yml"]
)
def test_role_has(role: str, name: str) -> None:
    assert (layout.ROOT / "roles" / role / name).is_file(), f"roles/{role}/{name} is missing"


@pytest.mark.parametrize("role", ROLES)
def test_specification_equals_defaults(role: str) -> None:
    spec, defaults = _spec(role), _defaults(role)
    assert set(defaults) <= set(spec), f"not in the specification: {set(defaults) - set(spec)}"
    optional = {name for name, option in spec.items() if not option.get("required")}
    assert optional == set(defaults), (
        f"optional without a default: {optional - set(defaults)}; "
        f"both required and defaulted: {set(defaults) - optional}"
    )
    for name, option in spec.items():
        if "default" in option:
            assert option["default"] == defaults[name], (
                f"{name}: {option['default']!r} in the specification, {defaults[name]!r} in defaults"
            )


@pytest.mark.parametrize("role", ROLES)
def test_required_inputs_are_shown_in_defaults(role: str) -> None:
    content = layout.text(Path("roles", role, "defaults/main.yml"))
    hidden = [
        name
        for name, option in _spec(role).items()
        if option.get("required") and not re.search(rf"^# {name}:", content, re.MULTILINE)
    ]
    assert not hidden, f"Show required inputs as a comment (# name: ...) in defaults/main.yml: {hidden}"


def _untyped(options: dict[str, Any], prefix: str = "") -> list[str]:
    found = []
    for name, option in options.items():
        if "type" not in option or not option.get("description"):
            found.append(prefix + name)
        found += _untyped(option.get("options", {}), f"{prefix}{name}.")
    return found


@pytest.mark.parametrize("role", ROLES)
def test_every_option_is_typed_and_described(role: str) -> None:
    assert not _untyped(_spec(role))


@pytest.mark.parametrize("role", ROLES)
def test_inputs_carry_the_role_prefix(role: str) -> None:
    assert all(name.startswith(f"{role}_") for name in _spec(role))


@pytest.mark.parametrize("role", ROLES)
def test_collection_wide_variables_enter_by_defaults_only(role: str) -> None:
    found = [
        f"{path}: {name}"
        for path in _sources(role)
        if path.parts[2] not in {"defaults", "meta"}
        for name in re.findall(r"\beksops_\w+", _code(path).replace("eksops_recap", ""))
        if not (path.parts[2] == "tasks" and name == "eksops_environment")
    ]
    assert not found, f"Read them in defaults/main.yml: {found}"


@pytest.mark.parametrize("role", ROLES)
def test_role_reads_no_other_role(role: str) -> None:
    others = [re.escape(other) for other in ROLES if other != role and not role.startswith(f"{other}_")]
    foreign = re.compile(rf"(?<![\w.])_*({'|'.join(others)})_\w+")
    modules = set(layout.modules())
    found = [
        f"{path}: {match.group(0)}"
        for path in _sources(role)
        for match in foreign.finditer(_code(path))
        if match.group(0) not in modules
    ]
    assert not found, f"The playbook wires results to inputs: {found}"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("what", "pattern", "instead"),
    [
        ("reads group names", r"\bgroups\s*\[|\bgroups\.|\bgroup_names\b", "the playbook chooses hosts"),
        (
            "waits by hand",
            r"^\s*until:|ansible\.builtin\.pause|ansible\.builtin\.wait_for",
            "waiting is a module's job",
        ),
        ("calls a shell", r"ansible\.builtin\.(?:shell|raw)|\bkubectl\b.*cmd:|cmd:.*\bkubectl\b", "use a module"),
        ("reads injected facts", r"\bansible_(?:distribution|os_family|hostname|env|user_id)\b", "ansible_facts['x']"),
        ("swallows an error", r"ignore_errors:|failed_when: false", "let it fail, or read first"),
    ],
)
def test_role_never(role: str, what: str, pattern: str, instead: str) -> None:
    found = [str(path) for path in _sources(role) if re.search(pattern, _code(path), re.MULTILINE)]
    assert not found, f"{role} {what}; {instead}: {found}"


@pytest.mark.parametrize("role", ROLES)
def test_at_most_one_set_fact(role: str) -> None:
    tasks = "".join(layout.text(path) for path in _sources(role) if path.parts[2] == "tasks")
    assert tasks.count("ansible.builtin.set_fact:") <= 1
    set_inputs = re.findall(r"set_fact:\n((?:\s{6,}.*\n)+)", tasks)
    clobbered = [
        name for block in set_inputs for name in re.findall(r"^\s+(\w+):", block, re.MULTILINE) if name in _spec(role)
    ]
    assert not clobbered, f"An input is not ours to change: {clobbered}"


@pytest.mark.parametrize("role", ROLES)
def test_main_is_preflight_state_export(role: str) -> None:
    tasks = layout.load(Path("roles", role, "tasks/main.yml"))
    plain = [
        task.get("name")
        for task in tasks
        if not {"ansible.builtin.import_tasks", "ansible.builtin.include_tasks"} & set(task)
    ]
    assert not plain, f"tasks/main.yml only names the files to run: {plain}"


@pytest.mark.parametrize("role", ROLES)
def test_task_names_say_their_file(role: str) -> None:
    found = []
    for path in layout.matching(f"roles/{role}/tasks/*.yml"):
        prefix = f"{path.stem[0].upper()}{path.stem[1:]} | "
        names = re.findall(r"^\s*- name: [\"']?(.*?)[\"']?$", layout.text(path), re.MULTILINE)
        if path.stem != "main":
            found += [f"{path}: {name}" for name in names if not name.startswith(prefix)]
    assert not found, f"Begin task names with the file's name, as in 'Present | Apply ...': {found}"


@pytest.mark.parametrize("role", ROLES)
def test_result_is_exported_and_documented(role: str) -> None:
    result = f"{role}_result"
    tasks = "".join(layout.text(path) for path in _sources(role) if path.parts[2] == "tasks")
    assert result in tasks, f"tasks/export.yml makes {result}"
    readme = layout.text(Path("roles", role, "README.md"))
    for word in (result, "Check mode", "Idempoten"):
        assert re.search(word, readme, re.IGNORECASE), f"roles/{role}/README.md says nothing about {word}"
    scenario = "".join(layout.text(path) for path in layout.matching(f"molecule/{role}/*.yml"))
    assert result in scenario, f"molecule/{role}/ does not look at {result}"


@pytest.mark.parametrize("role", ROLES)
def test_role_has_a_scenario(role: str) -> None:
    for name in ("molecule.yml", "converge.yml", "verify.yml"):
        assert (layout.ROOT / "molecule" / role / name).is_file(), f"molecule/{role}/{name} is missing"
    if f"{role}_state" in _spec(role):
        assert (layout.ROOT / "molecule" / role / "absent.yml").is_file(), f"molecule/{role}/absent.yml is missing"


@pytest.mark.parametrize("scenario", sorted({path.parts[1] for path in layout.matching("molecule/*/molecule.yml")}))
def test_scenario_has_a_subject(scenario: str) -> None:
    behaviours = {"default", "site"}
    assert scenario in ROLES or scenario in behaviours or scenario.startswith("module_"), (
        f"molecule/{scenario}: name it after a role, module_<service>, or add the behaviour here"
    )
    assert (layout.ROOT / "molecule" / scenario / "verify.yml").is_file(), f"molecule/{scenario}/verify.yml is missing"


def test_the_yaml_of_all_roles_parses() -> None:
    for path in layout.matching("roles/**/*.yml"):
        if path.parts[2] != "files":
            list(yaml.safe_load_all(layout.text(path)))
