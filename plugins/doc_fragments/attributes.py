# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What modules say of check mode, diff mode and a second run."""

from __future__ import annotations


class ModuleDocFragment:
    """One set for modules that write, one for modules that only read."""

    WRITES = r"""
attributes:
  check_mode:
    description: Says what it would do, from reads alone. Works without a cluster too.
    support: full
  diff_mode:
    description: Shows the plan, one document per write.
    support: full
  idempotent:
    description: A second run with the same options and an unchanged cluster writes nothing.
    support: full
"""

    READS = r"""
attributes:
  check_mode:
    description: Runs the same in check mode, since it writes nothing.
    support: full
  diff_mode:
    description: There is no change to show.
    support: none
  idempotent:
    description: Returns the same as long as what it reads stays the same.
    support: full
"""
