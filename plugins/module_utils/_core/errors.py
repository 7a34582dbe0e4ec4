# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The one exception that modules show to a user. Private to the collection."""

from __future__ import annotations


class EksopsError(Exception):
    """Something a user can act on: what was wrong, where, what is allowed, what to do next.

    :param what: one sentence that names the offending value.
    :param where: the option, variable, object or file that holds it.
    :param allowed: what would have been accepted.
    :param next_step: what to do now.
    """

    def __init__(
        self, what: str, *, where: str | None = None, allowed: str | None = None, next_step: str | None = None
    ) -> None:
        self.what = what
        self.where = where
        self.allowed = allowed
        self.next_step = next_step
        super().__init__(str(self))

    def __str__(self) -> str:
        parts = [self.what.rstrip(".")]
        if self.where:
            parts[0] += f" (in {self.where})"
        if self.allowed:
            parts.append(f"Allowed: {self.allowed.rstrip('.')}")
        if self.next_step:
            parts.append(f"Next: {self.next_step.rstrip('.')}")
        return ". ".join(parts) + "."


class EksopsTimeoutError(EksopsError):
    """A wait that ran out; ``missing`` names each thing that was still not as wanted, and why."""

    def __init__(self, what: str, *, missing: list[str], next_step: str | None = None) -> None:
        self.missing = missing
        detail = f"{what}; still missing: {'; '.join(missing)}" if missing else what
        super().__init__(detail, next_step=next_step)
