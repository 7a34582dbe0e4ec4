"""Where the sandbox keeps what it writes: one state folder per checkout, private to its user."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Set in the environment of the daemon and of every process below it; its value is the state folder. ``down`` finds
#: leftovers by it when the daemon that knew them is gone.
MARK = "EKSOPS_SANDBOX_DIR_MARK"
_KEPT = {"logs", "registry", "token", "lock"}
_OF_ONE_RUN = {"sandbox.json", "environment.json", "aws", "accounts", "agent", "bin", "processes"}
_STARTING = "start-"


@dataclass(frozen=True)
class State:
    """The paths below one state folder (``.sandbox`` of the checkout, or ``$EKSOPS_SANDBOX_DIR``)."""

    root: Path

    @classmethod
    def locate(cls, environ: Mapping[str, str] = os.environ) -> State:
        """The state folder that this command means; it need not exist yet."""
        given = environ.get("EKSOPS_SANDBOX_DIR")
        root = Path(given) if given else Path(__file__).resolve().parent.parent / ".sandbox"
        return cls(root.expanduser().resolve())

    @property
    def processes(self) -> Path:
        """Records of child processes, one JSON file each."""
        return self.root / "processes"

    @property
    def logs(self) -> Path:
        """Logs of the last run; kept by ``down``, replaced by the next ``up``."""
        return self.root / "logs"

    @property
    def daemon_log(self) -> Path:
        """What the daemon itself prints."""
        return self.logs / "daemon.log"

    @property
    def clusters(self) -> Path:
        """Data of control planes: PKI, etcd, kubeconfigs; one folder per cluster."""
        return self.root / "clusters"

    @property
    def saved(self) -> Path:
        """What outlives the processes: one file per account, and the ports that others know."""
        return self.root / "saved"

    @property
    def registry(self) -> Path:
        """Storage of the chart registry; kept by ``down`` because it holds no account's data."""
        return self.root / "registry"

    @property
    def aws(self) -> Path:
        """AWS configuration and credential files of the default account."""
        return self.root / "aws"

    @property
    def accounts(self) -> Path:
        """The same for each further account, one folder each."""
        return self.root / "accounts"

    @property
    def description(self) -> Path:
        """``sandbox.json``: daemon pid, front URL, admin token, registry address, binary folder."""
        return self.root / "sandbox.json"

    @property
    def environment(self) -> Path:
        """``environment.json``: the environment variables that point AWS clients at the default account."""
        return self.root / "environment.json"

    @property
    def binaries(self) -> Path:
        """Links to helm and kubectl, for users and for Ansible."""
        return self.root / "bin"

    @property
    def lock(self) -> Path:
        """Held by ``up`` and ``down``, so that two of them do not work on one state folder at once."""
        return self.root / "lock"

    @property
    def _stamp(self) -> Path:
        return self.root / "this-is-a-sandbox"

    def create(self) -> None:
        """Make the folder, readable by its user only: it holds keys.

        Raises RuntimeError when it holds something else already, since ``down`` empties it.
        """
        self.refuse_foreign()
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.root.chmod(0o700)
        self._stamp.touch()

    def refuse_foreign(self) -> None:
        """Raise RuntimeError when the folder is somebody else's: nothing may be written there, not even the lock."""
        if not self.root.exists():
            return
        entries = {entry.name for entry in self.root.iterdir()}
        # Two ups at once: the second one may find the lock of the first one, and no stamp yet.
        if entries - {self.lock.name} and self._stamp.name not in entries:
            raise RuntimeError(f"{self.root} holds files that are not the sandbox's; name another EKSOPS_SANDBOX_DIR")

    def settle(self) -> None:
        """Remove what only says something about processes that have ended; what they kept stays for the next run."""
        if not self._stamp.exists():
            return
        for entry in self.root.iterdir():
            if entry.name in _OF_ONE_RUN or entry.name.startswith(_STARTING):
                _remove(entry)

    def wipe(self) -> None:
        """Remove the state of a run; logs, the chart store and the secret of the account ids stay."""
        if not self._stamp.exists():
            return
        for entry in self.root.iterdir():
            if entry.name in _KEPT:
                continue
            _remove(entry)
        self._stamp.touch()


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()


def write_private(path: Path, text: str) -> None:
    """Write a whole file at once (readers see the old or the new one) with mode 0600."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as JSON with mode 0600."""
    write_private(path, json.dumps(value, indent=2) + "\n")


def read_json(path: Path) -> dict[str, Any] | None:
    """The JSON object in ``path``; None when the file is not there or does not hold one."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return value if isinstance(value, dict) else None
