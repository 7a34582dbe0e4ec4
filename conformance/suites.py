"""The suites: what is built, and the flags that every spec runs with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.build.tools import KARPENTER_VERSION, Tool

FOLDER = Path(__file__).resolve().parent
#: Alpha in Karpenter 1.14; set by the chart's values in inventories/conformance. Karpenter's AWS provider runs the
#: suite with the same ones (its test/hack/e2e_scripts/install_karpenter.sh).
FEATURE_GATES = ("StaticCapacity", "NodeOverlay", "CapacityBuffer", "NodeRepair", "SpotToSpotConsolidation")


@dataclass(frozen=True)
class Suite:
    """One suite of Karpenter core.

    :param limit_seconds: what one spec may take, its clean-up included, before it counts as failed.
    """

    name: str
    limit_seconds: float

    @property
    def tool(self) -> Tool:
        """The program of its tests, from the module that the controller is built of."""
        return Tool(
            f"karpenter-{self.name}-suite",
            KARPENTER_VERSION,
            f"sigs.k8s.io/karpenter/test/suites/{self.name}",
            f"-s -w -X sigs.k8s.io/karpenter/pkg/operator.Version={KARPENTER_VERSION}",
            module_dir=str(FOLDER),
            version_arguments=(),
            seconds=130,
            command=("test", "-c"),
        )


#: Eventually gives up after 15 minutes in these suites. One spec waits for a registration to run out: as long.
SUITES = {suite.name: suite for suite in (Suite("regression", 25 * 60), Suite("performance", 90 * 60))}


def flags(limit_seconds: float) -> list[str]:
    """The flags of every spec, with paths from the root of the repository."""
    return [
        "--default-nodeclass=conformance/nodeclass.yml",
        "--default-nodepool=conformance/nodepool.yml",
        f"--ginkgo.timeout={limit_seconds:.0f}s",
        "--ginkgo.grace-period=2m",
    ]


def command(program: Path, focus: str, report: Path, common: Sequence[str]) -> list[str]:
    """The command line that runs what ``focus`` matches, and writes ginkgo's report."""
    return [
        str(program),
        *common,
        f"--ginkgo.focus={focus}",
        f"--ginkgo.json-report={report}",
        "--ginkgo.v",
        "--ginkgo.no-color",
    ]
