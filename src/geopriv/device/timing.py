"""When a report leaves: at a fixed time after it was asked for, so that the time of drawing tells nothing."""

from __future__ import annotations

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
        """What `work` makes, or the error it raises, when `after` seconds have passed, or else 2, 4, 8, … times that.

        The first of these that is not over when the work is done. It is `after` whatever the value is, and time tells
        nothing, if `after` exceeds the longest time that the work takes. Where it does not, the time tells how often
        `after` has to be doubled, and no more. Multiples would tell more; and an error in place of a report would tell
        no less, since it could not leave before the work is done.

        Args:
            work: that depends on a private value.
            after: seconds; 0 waits for nothing.
        """
        began = self.now()
        try:
            return work()
        finally:
            if after > 0:
                waits, took = after, self.now() - began
                while waits < took:
                    waits *= 2
                due = began + waits
                while (left := due - self.now()) > 0:  # a signal may end a sleep early
                    self.sleep(left)


SYSTEM = Clock()
