"""The cluster that is judged: made by site.yml in an account of its own of a sandbox of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.commands import accounts
from sandbox.state import State, read_json
from scripts import stage
from scripts.stage import ROOT, Stage

HOST = "conformance"
LIMIT_SECONDS = 1200.0


class NoClusterError(RuntimeError):
    """site.yml did not make a cluster; its log says why."""


@dataclass
class Cluster:
    """One of the clusters that work side by side. ``number`` tells them apart, ``made`` counts those before it."""

    state: State
    number: int
    made: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def account(self) -> str:
        """The name of its account; a new cluster has a new, empty one."""
        return f"{HOST}-{self.number}-{self.made}"

    def make(self) -> None:
        """Run site.yml, which changes nothing where it is there already. Raises NoClusterError."""
        accounts.run_account(self.state, self.account, None)
        inventories = ["-i", "inventories/sandbox", "-i", "inventories/conformance", f"--limit=localhost,{HOST}"]
        command = stage.python("-m", "ansible", "playbook", *inventories, "site.yml")
        where = {"EKSOPS_SANDBOX_DIR": str(self.state.root), "EKSOPS_SANDBOX_ACCOUNT": self.account}
        done = stage.run_and_report(Stage(f"site.yml for {self.account}", command, LIMIT_SECONDS, where))
        if not done.ok:
            raise NoClusterError(f"site.yml did not make the cluster of account {self.account}")
        kubeconfig = self.state.root / "kubeconfigs" / f"{self.account}-{HOST}.json"
        values = read_json(accounts.environment_path(self.state, self.account)) or {}
        self.environment = {**where, **values, "KUBECONFIG": str(kubeconfig)}

    def renew(self) -> None:
        """Make another one, in a new account, in place of one that a spec has spoilt. Raises NoClusterError."""
        self.made += 1
        self.make()


def own_sandbox(environ: dict[str, str]) -> State:
    """The state folder: ``$EKSOPS_SANDBOX_DIR``, by default one below .cache, away from the developer's own sandbox."""
    return State.locate({"EKSOPS_SANDBOX_DIR": str(ROOT / ".cache" / "conformance" / "sandbox"), **environ})
