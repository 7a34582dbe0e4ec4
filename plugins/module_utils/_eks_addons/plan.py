# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What to write so that add-ons are as wanted. Pure: standard library only. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .._eks.common import health_text, tag_steps
from .model import DEFAULT, LATEST, Addon, AddonSpec, Catalog

KIND = "Addon"
TAGS = "Addon tags"


def present_plan(
    specs: Iterable[AddonSpec], have: Mapping[str, Addon], catalog: Catalog, *, purge: bool = False
) -> Plan:
    """The writes that lead to the wanted add-ons.

    :param have: all add-ons by name. :param catalog: needed for add-ons that are not there.
    Raises EksopsError for an add-on in no state to be changed, and for a version that AWS does not offer.
    """
    wanted = tuple(specs)
    plan = Plan()
    for spec in wanted:
        addon = have.get(spec.name)
        plan += _create(spec, catalog) if addon is None else _update(spec, addon)
    if purge:
        names = {spec.name for spec in wanted}
        plan += absent_plan([name for name in have if name not in names], have)
    return plan


def absent_plan(names: Iterable[str], have: Mapping[str, Addon]) -> Plan:
    """The writes that take add-ons away; one that is being deleted needs none."""
    there = [have[name] for name in names if name in have and have[name].status != "DELETING"]
    return Plan(tuple(Step("delete", KIND, addon.name, before={"version": addon.version}) for addon in there))


def needs_catalog(specs: Iterable[AddonSpec], have: Mapping[str, Addon]) -> bool:
    """Whether an add-on is to be created, so that its version has to be found."""
    return any(spec.name not in have for spec in specs)


def unsettled(specs: Iterable[AddonSpec], have: Mapping[str, Addon]) -> list[str]:
    """The wanted add-ons that are there and not ACTIVE."""
    return [spec.name for spec in specs if spec.name in have and have[spec.name].status != "ACTIVE"]


def _create(spec: AddonSpec, catalog: Catalog) -> Plan:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html"""
    after: dict[str, Any] = {
        "addonVersion": catalog.resolve(spec),
        "configurationValues": configuration_text(spec.configuration_values),
        "serviceAccountRoleArn": spec.service_account_role_arn,
        "resolveConflicts": spec.resolve_conflicts,
        "tags": spec.tags or None,
    }
    return Plan((Step("create", KIND, spec.name, after=_stated(after)),))


def _update(spec: AddonSpec, addon: Addon) -> Plan:
    """https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateAddon.html"""
    _refuse_state(addon)
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if spec.configuration_values is not None and spec.configuration_values != (addon.configuration_values or {}):
        before["configurationValues"] = configuration_text(addon.configuration_values)
        after["configurationValues"] = configuration_text(spec.configuration_values)
    if spec.service_account_role_arn and spec.service_account_role_arn != addon.service_account_role_arn:
        before["serviceAccountRoleArn"] = addon.service_account_role_arn
        after["serviceAccountRoleArn"] = spec.service_account_role_arn
    steps = []
    if after:
        after["resolveConflicts"] = spec.resolve_conflicts
        steps.append(Step("update", KIND, addon.name, before=before, after=after))
    steps += tag_steps(TAGS, addon.name, addon.tags, spec.tags)
    return Plan(tuple(steps), _notices(spec, addon))


def _notices(spec: AddonSpec, addon: Addon) -> tuple[str, ...]:
    if spec.version in (DEFAULT, LATEST, addon.version):
        return ()
    return (
        f"Add-on {addon.name} runs {addon.version}, {spec.version} is stated:"
        " playbook upgrade_cluster.yml moves it, this run does not.",
    )


def _refuse_state(addon: Addon) -> None:
    if addon.status not in ("CREATE_FAILED", "DELETE_FAILED", "DELETING"):
        return
    issues = health_text(addon.health_issues)
    raise EksopsError(
        f"Add-on {addon.name} has status {addon.status}{': ' + issues if issues else ''}",
        where="addons",
        next_step="wait until it is gone and run again"
        if addon.status == "DELETING"
        else "mend the cause, delete the add-on (state absent) and run again",
    )


def configuration_text(values: Any) -> str | None:
    """Configuration values as EKS takes them: one JSON text."""
    if values is None or isinstance(values, str):
        return values
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


def _stated(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
