"""Playbooks are wiring: each has a play argument specification and is callable by full name."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.kubernetes.core.plugins.module_utils.args_common import AUTH_ARG_MAP

from . import layout

PLAYBOOKS = layout.playbooks()


def _plays(name: str) -> list[dict[str, Any]]:
    plays: list[dict[str, Any]] = layout.load(Path("playbooks") / f"{name}.yml")
    return plays


def test_there_are_playbooks() -> None:
    assert {"site", "delete_cluster", "run_scale_test"} <= set(PLAYBOOKS)


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_has_a_specification_that_it_validates(name: str) -> None:
    specs = layout.load(Path("playbooks") / f"{name}.meta.yml")["argument_specs"]
    validated = {play["validate_argspec"] for play in _plays(name) if "validate_argspec" in play}
    assert validated == set(specs), f"playbooks/{name}.yml validates {validated} of {set(specs)}"
    for spec in specs.values():
        assert spec["description"]
        for option, detail in spec["options"].items():
            assert detail.get("type"), f"{option} has no type"
            assert detail.get("description"), f"{option} has no description"


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_name_can_be_called(name: str) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", name), "a hyphen keeps a playbook from being found by full name"


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_each_play_gathers_nothing_and_targets_the_group(name: str) -> None:
    for play in _plays(name):
        assert play["gather_facts"] is False, play["name"]
        assert play["hosts"] == "eks_clusters" or play == _plays(name)[0], play["name"]


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_asks_for_clusters_and_looks_at_inputs_first(name: str) -> None:
    clusters, inputs, *_ = _plays(name)
    # On all hosts, so that it is asked when --limit leaves no cluster too; once, whatever strategy is configured.
    assert clusters["hosts"].startswith("{{ 'localhost:all' if groups['all'] or ansible_limit is undefined\n")
    assert clusters["strategy"] == "linear"
    assert [task["ansible.builtin.import_tasks"] for task in clusters["tasks"]] == ["tasks/clusters.yml"]
    assert "validate_argspec" not in inputs, "Ansible's own words for a wrong input would come first"
    (task,) = inputs["tasks"]
    assert task["ansible.builtin.import_tasks"] == "tasks/inputs.yml"
    assert task["vars"] == {"inputs_playbook": name}
    assert clusters["tags"] == inputs["tags"] == ["always"]


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_cluster_plays_pass_region_profile_and_environment(name: str) -> None:
    for play in _plays(name):
        if "validate_argspec" not in play:  # asks nobody
            continue
        assert "eksops_environment" in play["environment"], play["name"]
        wanted = {"group/amazon.aws.aws", f"group/{layout.NAMESPACE}.eks"}
        assert wanted <= set(play["module_defaults"]), (
            f"{play['name']}: module_defaults lack {wanted - set(play['module_defaults'])}"
        )


@pytest.mark.parametrize("name", PLAYBOOKS)
def test_roles_are_called_by_full_name_and_exist(name: str) -> None:
    called = re.findall(r"(?:role|name): (eksops\.karpenter\.\w+)", layout.text(Path("playbooks") / f"{name}.yml"))
    unknown = {role for role in called if role.split(".")[-1] not in layout.roles()}
    assert not unknown


def test_root_site_only_imports() -> None:
    plays = layout.load(Path("site.yml"))
    assert [set(play) for play in plays] == [{"name", "ansible.builtin.import_playbook"}]


def test_readme_has_one_row_for_each_role_module_and_playbook() -> None:
    rows: list[str] = re.findall(r"^\| `([\w.]+)` \|", layout.text(Path("README.md")), re.MULTILINE)
    names = Counter([*layout.roles(), *layout.modules(), *(f"{book}.yml" for book in PLAYBOOKS)])
    listed = Counter(row for row in rows if not row.startswith("eksops_"))
    assert listed == names, f"README.md lacks {names - listed} and has too much of {listed - names}"


def test_a_role_of_site_has_the_tags_of_those_that_use_its_result() -> None:
    (tasks,) = [play["tasks"] for play in _plays("site") if "validate_argspec" in play]
    makers = {
        task["ansible.builtin.import_role"]["name"].split(".")[-1]: task
        for task in tasks
        if "ansible.builtin.import_role" in task
    }
    for task in tasks:
        for role in set(re.findall(r"\b([a-z]+(?:_[a-z]+)+)_result\b", str(task))) & set(makers):
            missing = set(task["tags"]) - set(makers[role]["tags"])
            assert not missing or makers[role]["tags"] == ["always"], f"{task['name']} uses {role}_result: {missing}"


def test_variables_of_the_environment_that_lead_elsewhere_are_those_that_kubernetes_core_reads() -> None:
    tasks = layout.load(Path("playbooks/tasks/clusters.yml"))
    named = {name for task in tasks for name in task["vars"].get("__clusters_variables", ())}
    read = {name.upper() for pair in AUTH_ARG_MAP.items() for name in pair} | {"IMPERSONATE_USER", "IMPERSONATE_GROUPS"}
    # Those do not decide which cluster is reached, or an explicit kubeconfig is stronger.
    harmless = {"KUBECONFIG", "PROXY", "NO_PROXY", "PROXY_HEADERS", "PERSIST_CONFIG"}
    assert {name for name in named if name.startswith("K8S_")} == {f"K8S_AUTH_{name}" for name in read - harmless}
