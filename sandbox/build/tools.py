"""What is built: each tool with its version, its package, and how a finished binary tells its version."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

KUBERNETES_VERSION = "1.36.3"
#: The same source under another version string, the newest patch that EKS has. The string decides which feature gates
#: and APIs there are, and no more: https://kubernetes.io/docs/concepts/cluster-administration/compatibility-version/
FORMER_KUBERNETES_VERSION = "1.35.9"
#: Minor -> the version that runs.
KUBERNETES_VERSIONS = {
    version.rpartition(".")[0]: version for version in (KUBERNETES_VERSION, FORMER_KUBERNETES_VERSION)
}
KARPENTER_VERSION = "1.14.0"
FORMER_KARPENTER_VERSION = "1.13.0"
#: Version -> the folder of the go.mod that pins it, below the package ``sandbox``.
KARPENTER_MODULES = {KARPENTER_VERSION: ".", FORMER_KARPENTER_VERSION: f"versions/karpenter-{FORMER_KARPENTER_VERSION}"}

#: Folder of the Python package ``sandbox``, where the first go.mod lies.
PACKAGE_DIR = Path(__file__).resolve().parent.parent


def _kubernetes_flags(version: str) -> str:
    """Without a version linked in, the server calls itself v0.0.0-master and Helm and kubectl refuse it."""
    package = "k8s.io/component-base/version"
    major, minor, _ = version.split(".")
    values = {
        "gitVersion": f"v{version}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitCommit": "unknown",
        "gitTreeState": "clean",
        # A constant, so that the same source gives the same binary.
        "buildDate": "2026-01-01T00:00:00Z",
    }
    return "-s -w " + " ".join(f"-X {package}.{name}={value}" for name, value in values.items())


@dataclass(frozen=True)
class Tool:
    """One binary.

    :param package: the Go package of its main function.
    :param flags: linker flags.
    :param module_dir: folder of the go.mod that pins it: absolute, or below the package ``sandbox``.
    :param source: the version of the module that it is built from, where that is not ``version``.
    :param version_arguments: what makes the binary print its version; empty when only its build information tells it.
    :param seconds: what a build takes on two cores with nothing cached, for the forecast.
    :param command: what the Go command is asked for; ``test -c`` makes a program of a package's tests.
    """

    name: str
    version: str
    package: str
    flags: str = "-s -w"
    module_dir: str = "."
    source: str = ""
    version_arguments: tuple[str, ...] = ("--version",)
    seconds: int = field(default=60, compare=False)
    command: tuple[str, ...] = ("build",)

    @property
    def label(self) -> str:
        """``kube-apiserver v1.36.3``, with the source's version where that is another."""
        told = f" (built from v{self.source})" if self.source else ""
        return f"{self.name} v{self.version}{told}"

    @property
    def folder(self) -> str:
        """The folder's name in the cache."""
        return f"{self.name}-{self.version}"

    @property
    def recipe(self) -> str:
        """Changes when the way of building changes: a binary made by another recipe is built again."""
        command = () if self.command == ("build",) else self.command
        parts = (self.package, self.version, self.flags, *filter(None, (self.source,)), *command)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def matches(self, reported: str) -> bool:
        """Whether what a binary reports contains this version as a whole word."""
        return re.search(rf"(?<![\d.]){re.escape(self.version)}(?![\d.]*\d)", reported) is not None


def _kubernetes(
    name: str,
    seconds: int,
    version_arguments: tuple[str, ...] = ("--version",),
    *,
    version: str = KUBERNETES_VERSION,
) -> Tool:
    return Tool(
        name,
        version,
        f"k8s.io/kubernetes/cmd/{name}",
        _kubernetes_flags(version),
        source="" if version == KUBERNETES_VERSION else KUBERNETES_VERSION,
        version_arguments=version_arguments,
        seconds=seconds,
    )


def _karpenter(version: str) -> Tool:
    return Tool(
        "karpenter-controller",
        version,
        "github.com/aws/karpenter-provider-aws/cmd/controller",
        f"-s -w -X sigs.k8s.io/karpenter/pkg/operator.Version={version}",
        module_dir=KARPENTER_MODULES[version],
        version_arguments=(),
        seconds=340,
    )


#: In the order of building: the Kubernetes parts share most of their packages, so the first of them is the slow one.
TOOLS: tuple[Tool, ...] = (
    Tool("etcd", "3.7.3", "go.etcd.io/etcd/server/v3", seconds=80),
    _kubernetes("kube-apiserver", 340),
    _kubernetes("kube-controller-manager", 115),
    _kubernetes("kube-scheduler", 11),
    Tool("kwok", "0.8.0", "sigs.k8s.io/kwok/cmd/kwok", seconds=50),
    Tool(
        "helm",
        "3.22.0",
        "helm.sh/helm/v3/cmd/helm",
        "-s -w -X helm.sh/helm/v3/internal/version.version=v3.22.0",
        version_arguments=("version", "--short"),
        seconds=55,
    ),
    _kubernetes("kubectl", 26, ("version", "--client")),
    _karpenter(KARPENTER_VERSION),
    Tool(
        "registry",
        "3.1.2",
        "github.com/distribution/distribution/v3/cmd/registry",
        module_dir="versions/registry-3.1.2",
        seconds=105,
    ),
)

#: Second versions by the name that ``build`` takes: built when they are asked for, not before.
SECOND: dict[str, tuple[Tool, ...]] = {
    # Linked anew from what the first version has compiled.
    f"kubernetes-{FORMER_KUBERNETES_VERSION}": tuple(
        _kubernetes(name, seconds, version=FORMER_KUBERNETES_VERSION)
        for name, seconds in (("kube-apiserver", 35), ("kube-controller-manager", 30), ("kube-scheduler", 20))
    ),
    f"karpenter-{FORMER_KARPENTER_VERSION}": (_karpenter(FORMER_KARPENTER_VERSION),),
}
