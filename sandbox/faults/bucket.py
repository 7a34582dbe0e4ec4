"""A token bucket, as AWS throttles: a bucket of ``burst`` tokens that is filled again at ``rate`` a second. Pure.

https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Bucket:
    """Starts full. Times in seconds on any one clock."""

    rate: float
    burst: float
    _tokens: float = -1.0
    _at: float = 0.0

    def take(self, now: float) -> bool:
        """Take a token; False when there is none."""
        if self._tokens < 0:
            self._tokens, self._at = self.burst, now
        self._tokens = min(self.burst, self._tokens + (now - self._at) * self.rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
