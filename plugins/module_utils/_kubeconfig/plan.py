# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What to write so that a kubeconfig is as wanted. Pure: standard library only. Private to the collection."""

from __future__ import annotations

from .._core.errors import EksopsError
from .._core.plan import Plan, Step
from .model import MODE, Found, KubeconfigSpec

KIND = "Kubeconfig"


def present_plan(spec: KubeconfigSpec, found: Found | None, *, predict: bool) -> Plan:
    """The write that leads to the wanted file.

    :param predict: check mode, in which a cluster without an endpoint is one that is still to be created.
    Raises EksopsError when the file there is someone else's, and for a cluster without an endpoint.
    """
    if found is not None and not found.ours:
        raise EksopsError(
            f"{spec.path} was not written by this collection, and is left alone",
            where="path",
            next_step="name another path, or move the file away",
        )
    if predict and not spec.endpoint:
        return Plan((Step("update" if found else "create", KIND, spec.path, after={"cluster": spec.cluster_name}),))
    text = spec.text()
    if found is None:
        return Plan((Step("create", KIND, spec.path, after=text),))
    if found.text != text:
        return Plan((Step("update", KIND, spec.path, before=found.text, after=text),))
    if found.mode != MODE:
        return Plan((Step("update", KIND, spec.path, before=f"{found.mode:04o}", after=f"{MODE:04o}"),))
    return Plan()


def absent_plan(path: str, found: Found | None) -> Plan:
    """The write that takes the file away; one of someone else is only noted."""
    if found is None:
        return Plan()
    if not found.ours:
        return Plan(notices=(f"{path} was not written by this collection, and is left alone.",))
    return Plan((Step("delete", KIND, path, before=found.text),))
