"""CPU-seconds of a converged ``site.yml`` run next to shell commands: those that the tutorial has, and with them those
for everything else that ``site.yml`` reads, one command for each thing, as one would type them.

All are measured in one run, by turns, so that the ratio holds on a loaded machine too: user and system time of the
whole process tree, as the kernel adds it up for children that were waited for.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.state import State, read_json
from scripts.stage import ROOT

CLUSTER = "demo"
STACKS = ("Network", "Cluster")
AWS_ENVIRONMENT = ROOT / ".cache" / "bench"


@dataclass(frozen=True)
class Cost:
    """What a command cost: CPU-seconds of its process tree, and seconds on the clock."""

    cpu_seconds: float
    seconds: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu_seconds + other.cpu_seconds, self.seconds + other.seconds)


def measure(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a command to its end. Raises SystemExit with its output when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return Cost(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, seconds)


def install_aws() -> Path:
    """The AWS command line in an environment of its own, from hashed requirements; made once."""
    program = AWS_ENVIRONMENT / "bin" / "aws"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(AWS_ENVIRONMENT)], check=True)
        requirements = str(ROOT / "requirements" / "bench.txt")
        python = str(AWS_ENVIRONMENT / "bin" / "python")
        subprocess.run(["uv", "pip", "sync", "-q", "--require-hashes", "--python", python, requirements], check=True)
    return program


def tutorial(aws: str, binaries: str, kubeconfig: str) -> list[list[str]]:
    """What the tutorial's commands read of a cluster that is there.

    eksctl is left out: it is another build of ten minutes. Its part is read by ``aws eks`` instead, which is cheaper.
    """
    kubectl = [f"{binaries}/kubectl", "--kubeconfig", kubeconfig]
    path = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/{}/standard/recommended/image_id"
    stack = ["--stack-name", f"Karpenter-{CLUSTER}"]
    return [
        [aws, "sts", "get-caller-identity"],
        [aws, "ssm", "get-parameter", "--name", path.format("x86_64")],
        [aws, "ssm", "get-parameter", "--name", path.format("arm64")],
        [aws, "cloudformation", "describe-stacks", *stack],
        [aws, "eks", "describe-cluster", "--name", CLUSTER],
        [aws, "eks", "list-pod-identity-associations", "--cluster-name", CLUSTER],
        [f"{binaries}/helm", "--kubeconfig", kubeconfig, "-n", "kube-system", "get", "values", "karpenter"],
        [*kubectl, "-n", "kube-system", "rollout", "status", "deployment/karpenter"],
        [*kubectl, "get", "nodepools,ec2nodeclasses", "-o", "yaml"],
        [*kubectl, "get", "nodes,nodeclaims"],
    ]


def further_reads(aws: str, binaries: str, kubeconfig: str) -> list[list[str]]:
    """What ``site.yml`` reads besides, to tell whether anything differs from what is wanted. Each thing once.

    Names are those of the sandbox's cluster; the front's call log of a converged run has the list.
    """
    kubectl = [f"{binaries}/kubectl", "--kubeconfig", kubeconfig]
    eks = [aws, "eks"]
    of_cluster = ["--cluster-name", CLUSTER]
    stacks = [[aws, "cloudformation", "describe-stacks", "--stack-name", f"Eks{kind}-{CLUSTER}"] for kind in STACKS]
    templates = [
        [aws, "cloudformation", operation, "--stack-name", name]
        for operation in ("get-template", "list-stack-resources")
        for name in (f"Karpenter-{CLUSTER}", *(f"Eks{kind}-{CLUSTER}" for kind in STACKS))
    ]
    add_ons = ("coredns", "eks-pod-identity-agent", "kube-proxy", "vpc-cni")
    return [
        *stacks,
        *templates,
        [aws, "iam", "list-roles", "--path-prefix", "/aws-service-role/spot.amazonaws.com/"],
        [aws, "ec2", "describe-tags", "--filters", "Name=key,Values=karpenter.sh/discovery"],
        [*eks, "list-nodegroups", *of_cluster],
        [*eks, "list-addons", *of_cluster],
        *([*eks, "describe-addon", *of_cluster, "--addon-name", name] for name in add_ons),
        [*eks, "list-access-entries", *of_cluster],
        [*kubectl, "get", "customresourcedefinitions"],
        [*kubectl, "-n", "kube-system", "get", "pods,leases", "-o", "yaml"],
        [*kubectl, "-n", "kube-system", "logs", "deployment/karpenter", "--tail=100"],
    ]


def environments(account: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """For the commands, and for ansible-playbook, which takes the account from the inventory."""
    state = State.locate()
    folder = state.accounts / account if account else state.root
    variables = read_json(folder / "environment.json")
    if variables is None:
        raise SystemExit("the sandbox is not up, or has no such account: make sandbox-up")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    playbook = {**clean, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "EKSOPS_SANDBOX_ACCOUNT": account or ""}
    return {**clean, **variables}, playbook


def rounds(number: int, account: str | None) -> dict[str, list[Cost]]:
    """Costs of ``number`` converged runs, and of as many passes of the commands, by turns."""
    commands, playbook = environments(account)
    site = ["ansible-playbook", "-i", "inventories/sandbox", "site.yml", "-e", "eksops_scale_test=false"]
    measure(site, playbook)  # brings the account there; not counted
    state = State.locate()
    kubeconfig = str(state.root / "kubeconfigs" / f"{account or 'default'}-{CLUSTER}.json")
    binaries = str((read_json(state.description) or {})["binary_dir"])
    shell = {read: read(str(install_aws()), binaries, kubeconfig) for read in (tutorial, further_reads)}
    costs: dict[str, list[Cost]] = {"site": [], "tutorial": [], "further_reads": []}
    for turn in range(number):
        costs["site"].append(measure(site, playbook))
        for read, lines in shell.items():
            costs[read.__name__].append(sum((measure(command, commands) for command in lines), Cost(0, 0)))
        told = " / ".join(f"{cost[-1].cpu_seconds:.1f}" for cost in costs.values())
        print(f"round {turn + 1}: {told} CPU-seconds ({', '.join(costs)})", flush=True)
    return costs


def summary(costs: Mapping[str, Sequence[Cost]]) -> dict[str, float]:
    """Medians of the rounds, and the ratios of each round's figures."""
    cpu = {name: [cost.cpu_seconds for cost in every] for name, every in costs.items()}
    figures = {f"{name}_cpu_seconds": statistics.median(every) for name, every in cpu.items()}
    figures |= {f"{name}_seconds": statistics.median(cost.seconds for cost in every) for name, every in costs.items()}
    pairs = list(zip(cpu["site"], cpu["tutorial"], cpu["further_reads"], strict=True))
    figures["ratio_to_the_tutorials_reads"] = statistics.median(ours / theirs for ours, theirs, _ in pairs)
    figures["ratio_to_the_same_reads"] = statistics.median(ours / (theirs + more) for ours, theirs, more in pairs)
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures, and write them as JSON when asked to."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--account", help="an account of the sandbox (default: the default one)")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args(arguments)
    figures = summary(rounds(options.rounds, options.account))
    for name, value in figures.items():
        print(f"{name:32} {value:8.2f}")
    print("The aim for ratios is below 2.")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
