# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What several modules return alike. What writing ones do, ``_core/result.py`` makes."""

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

    # What was changed by hand in the resources of a stack; _stack_drift/model.py makes it.
    DRIFT = r"""
drift:
  description: What of the stack's resources is not as the stack made it.
  type: list
  elements: dict
  returned: always
  contains:
    logical_id:
      description: Logical id of the resource.
      type: str
    physical_id:
      description: Its id in its service.
      type: str
    type:
      description: Its type.
      type: str
    aspect:
      description: The property, or V(existence).
      type: str
    before:
      description: What is there.
      type: raw
    after:
      description: What the stack made.
      type: raw
    repairable:
      description: Whether it can be put right in place.
      type: bool
  sample:
    - logical_id: PrivateSubnet1
      physical_id: subnet-0a1b2c3d4e5f60718
      type: AWS::EC2::Subnet
      aspect: Tags
      before: {}
      after: {karpenter.sh/discovery: demo}
      repairable: true
"""
