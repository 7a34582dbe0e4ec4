"""The page of the documentation that shows how the specs went, from the files of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance import records
from conformance.ginkgo import Spec
from conformance.records import Record
from conformance.suites import FEATURE_GATES
from sandbox.build.tools import KARPENTER_VERSION, KUBERNETES_VERSION

_HEAD = """\
.. _ansible_collections.eksops.karpenter.docsite.conformance:

Conformance
===========

Karpenter {karpenter} ships its end-to-end suites with its source, made to be run against any cluster of any cloud. Here
they run unmodified against a cluster of the sandbox that ``site.yml`` made, with Kubernetes {kubernetes}. A spec that
fails tells of a place where the sandbox differs from AWS. Nothing in the sandbox knows the suites.

.. code-block:: shell

    make conformance                        # what has no result yet, or did not pass
    make conformance AGAIN=1                # everything
    make conformance PART=performance       # the other suite
    make conformance SPEC=Drift MINUTES=15  # specs by a regular expression; begin none after 15 minutes

Results are kept below ``.cache/conformance``, so that a run can be interrupted and gone on with. Each spec is a process
of its own, on a cluster that is clean. Feature gates that are on: {gates}. This page is written by
``make conformance``.
"""


def page(parts: Mapping[str, tuple[Sequence[Spec], Mapping[str, Record]]]) -> str:
    """The whole page: a section for each suite."""
    head = _HEAD.format(karpenter=KARPENTER_VERSION, kubernetes=KUBERNETES_VERSION, gates=", ".join(FEATURE_GATES))
    return head + "".join(_section(name, specs, found) for name, (specs, found) in parts.items())


def _section(name: str, specs: Sequence[Spec], found: Mapping[str, Record]) -> str:
    title = f"Suite ``{name}``"
    counts = ", ".join(f"{number} {state}" for state, number in records.count(specs, found).items() if number)
    mine = [found[spec.text] for spec in specs if spec.text in found]
    lines = ["", title, "-" * len(title), "", f"{len(specs)} specs: {counts}. A skipped spec counts as not passed."]
    if mine:
        hours = sum(record.seconds for record in mine) / 3600
        days = sorted({record.ended[:10] for record in mine})
        lines[-1] += f" They took {hours:.1f} hours in all, measured {' to '.join([days[0], days[-1]][: len(days)])}."
    for used in sorted({record.flags for record in mine}):
        lines += ["", f"Flags: {', '.join(f'``{flag}``' for flag in used)}."]
    lines += ["", ".. list-table::", "   :header-rows: 1", "   :widths: 55 10 10 25", ""]
    for cells in (
        ("Spec", "Result", "Seconds", "Failure"),
        *(_row(spec, found.get(spec.text)) for spec in sorted(specs, key=lambda spec: spec.text)),
    ):
        first, *rest = cells
        lines += [f"   * - {first}", *(f"     - {cell}".rstrip() for cell in rest)]
    return "\n".join(lines) + "\n"


def _row(spec: Spec, record: Record | None) -> tuple[str, str, str, str]:
    if record is None:
        return _plain(spec.text), "not run", "", ""
    return _plain(spec.text), record.state, f"{record.seconds:.0f}", _plain(record.failure)


def _plain(text: str) -> str:
    """A text in which reStructuredText finds no mark-up: a backslash before everything that could begin or end one.

    https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#escaping-mechanism
    """
    return "".join(f"\\{char}" if char in "\\*`|_:[]<" else char for char in text)
