# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The patterns of Karpenter's schemas in words. Pure. Private to the collection."""

from __future__ import annotations

_LABEL = "letters, digits, -, _ and ., with a letter or digit at both ends"
FORMS = {
    r"^(([0-9]+(s|m|h))+|Never)$": "hours, minutes and seconds such as 720h, 90m or 1h30m (no days), or Never",
    r"^([0-9]+(s|m|h))+$": "hours, minutes and seconds such as 1h, 90m or 1h30m (no days)",
    r"^((100|[0-9]{1,2})%|[0-9]+)$": "a number of nodes such as 5, or a share such as 10%",
    r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$": _LABEL,
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?"
    r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$": f"{_LABEL}, after a domain and / where there is one",
}
"""Words by pattern; a pattern of a version that is not here is told as it is."""
