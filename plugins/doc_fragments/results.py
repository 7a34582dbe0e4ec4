# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What modules that write return alike; ``_core/result.py`` makes it."""

from __future__ import annotations


class ModuleDocFragment:
    """Return values by concern. A module says what is its own, such as a sample, beside the fragment."""

    PLANNED = r"""
plan:
  description: The writes of this run, or of the run that check mode predicts, in order.
  type: list
  elements: dict
  returned: success
  contains:
    action:
      description: One of create, update, delete.
      type: str
    kind:
      description: What is written, as the API calls it.
      type: str
    name:
      description: Its name or id.
      type: str
    before:
      description: What was there.
      type: raw
    after:
      description: What is to be there.
      type: raw
  sample: []
notices:
  description: Differences that this module reports and leaves alone.
  type: list
  elements: str
  returned: success
  sample: []
"""
