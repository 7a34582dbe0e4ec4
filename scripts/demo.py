"""``make demo``: a sandbox, site.yml against its empty account, and a word on what happened."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from scripts import stage
from scripts.stage import ROOT, python

PLAYBOOK = ["ansible-playbook", "-i", "inventories/sandbox", "site.yml"]

SEEN = """
What you just saw
  An empty (emulated) AWS account became an EKS cluster: real Kubernetes control plane, and the unmodified Karpenter
  controller installed by Helm from an OCI registry, with IAM, queue, access entries and pod identity made as on AWS.
  The scale test asked for pods that fit nowhere; Karpenter launched nodes for them and took them away again.
  The same playbook works on a real account: README.md says what changes (credentials and an inventory).
"""

KEPT = """
The sandbox is still up. Look around:
  eval "$(.venv/bin/python -m sandbox env)"     AWS variables, kubectl and helm of the sandbox
  export KUBECONFIG=.sandbox/kubeconfigs/default-demo.json
  kubectl get nodepools,nodeclaims,nodes
  kubectl -n kube-system logs deployment/karpenter
  .venv/bin/ansible-playbook -i inventories/sandbox site.yml                             changes nothing
  .venv/bin/ansible-playbook -i inventories/sandbox playbooks/run_scale_test.yml         once more
  .venv/bin/ansible-playbook -i inventories/sandbox playbooks/delete_cluster.yml         all of it goes away
  make sandbox-status                           what runs here
Stop it with: make sandbox-down
"""

FAILED = """
site.yml did not end well. The logs stay in .sandbox/logs; KEEP=1 make demo leaves the sandbox up to be looked at."""

FAILED_KEPT = """
site.yml did not end well. The sandbox stays up to be looked at: make sandbox-status
Run KEEP=1 make demo again to go on from here, or make sandbox-down to stop it."""


def _call(command: Sequence[str]) -> int:
    return subprocess.run(command, cwd=ROOT).returncode


def run(*, keep: bool, call: Callable[[Sequence[str]], int] = _call) -> int:
    """Bring the sandbox up, run site.yml, and stop the sandbox again unless it is to be kept."""
    started = time.monotonic()
    if code := call(python("-m", "sandbox", "up", "--fresh")):
        return code
    code = 130
    try:
        code = call(PLAYBOOK)
    finally:
        if code:
            print(FAILED_KEPT if keep else FAILED, flush=True)
        if not keep:
            code = call(python("-m", "sandbox", "down", "--forget")) or code
    if not code:
        print(f"{SEEN}  It took {time.monotonic() - started:.0f} s.", flush=True)
        print(KEPT if keep else "  KEEP=1 make demo leaves the sandbox up, to look around in it.", flush=True)
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of what went wrong, or 0."""
    parser = argparse.ArgumentParser(prog="python -m scripts.demo", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave the sandbox up")
    stage.interruptible()
    try:
        return run(keep=parser.parse_args(arguments).keep)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
