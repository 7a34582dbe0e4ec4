"""What can be changed about the agent while it runs: ``agent.json`` in the state folder."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """Durations in seconds.

    :param node_start_seconds: from the launch of an instance until its kubelet registers.
    :param node_ready_seconds: from registration until the container network is up and the node Ready.
    :param poll_seconds: how often an account's instances are looked at.
    :param backoff_base_seconds: the first delay before a crashed container starts again, as the kubelet's 10 s.
    :param backoff_cap_seconds: the longest such delay.
    """

    node_start_seconds: float = 1.0
    node_ready_seconds: float = 0.5
    poll_seconds: float = 1.0
    backoff_base_seconds: float = 10.0
    backoff_cap_seconds: float = 300.0


class SettingsFile:
    """Reads ``agent.json`` again whenever it has changed; a missing key or file means the default."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: int | None = None
        self._settings = Settings()

    def read(self) -> Settings:
        """The settings in force. What is not a number, or not known, is left out: a bad file stops nothing."""
        try:
            stamp = self._path.stat().st_mtime_ns
        except FileNotFoundError:
            self._stamp, self._settings = None, Settings()
            return self._settings
        if stamp != self._stamp:
            self._stamp, self._settings = stamp, self._parse()
        return self._settings

    def _parse(self) -> Settings:
        try:
            given = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):
            return Settings()
        names = {field.name for field in dataclasses.fields(Settings)}
        known = given if isinstance(given, dict) else {}
        return Settings(
            **{
                name: float(value)
                for name, value in known.items()
                if name in names and isinstance(value, (int, float)) and not isinstance(value, bool)
            }
        )
