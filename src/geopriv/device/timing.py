"""When a report leaves: at a fixed time after it was asked for, so that the time of drawing tells nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Clock:
    """Seconds that only grow, and a way to wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def leave(self, work: Callable[[], _Made], after: float) -> _Made:
        """What `work` makes, or the error it raises, when a whole multiple of `after` seconds have passed.

        The multiple is the first one that is not over when the work is done. It is 1 whatever the value is, and time
        tells nothing, if `after` exceeds the longest time that the work takes.

        Args:
            work: that depends on a private value.
            after: seconds; 0 waits for nothing.
        """
        began = self.now()
        try:
            return work()
        finally:
            if after > 0:
                due = began + after * max(1, math.ceil((self.now() - began) / after))
                while (left := due - self.now()) > 0:  # a signal may end a sleep early
                    self.sleep(left)


SYSTEM = Clock()
