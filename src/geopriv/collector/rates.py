"""How many requests one address may make: so many a second, and some at once. Kept in memory, and only for a while."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

_ADDRESSES = 100_000  # that are remembered


@dataclass
class Rates:
    """A bucket for each address, which fills by `rate` a second.

    Args:
        rate: requests a second; 0 for as many as come.
        burst: requests at once.
        now: seconds that only grow.

    >>> clock = iter([0.0, 0.0, 0.0, 1.0])
    >>> rates = Rates(1.0, 2, lambda: next(clock))
    >>> [rates.allow("here") for _ in range(4)]
    [True, True, False, True]
    """

    rate: float
    burst: int
    now: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)

    def allow(self, address: str) -> bool:
        """Whether one more request may be answered."""
        if not self.rate:
            return True
        now = self.now()
        left, then = self._left.pop(address, (float(self.burst), now))
        left = min(left + (now - then) * self.rate, self.burst)
        allowed = left >= 1
        self._left[address] = (left - allowed, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return allowed

    def charge(self, address: str, requests: int) -> None:
        """Count so many more, which were one: who owes is allowed nothing until that is over."""
        if self.rate and requests:
            left, then = self._left.get(address, (float(self.burst), self.now()))
            self._left[address] = left - requests, then
