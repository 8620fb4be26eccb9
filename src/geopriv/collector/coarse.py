"""How many reports there are, as everybody may know: too coarse to see one come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from geopriv.errors import Unavailable

FEW = 10  # reports, below which nothing is said but that there are few


def coarse(n: int) -> int:
    """The largest number of one digit and zeros that is not above; 0 for few.

    >>> [coarse(n) for n in (0, 9, 10, 99, 100, 1_999, 1_048_576)]
    [0, 0, 10, 90, 100, 1000, 1000000]
    """
    if n < FEW:
        return 0
    unit: int = 10 ** (len(str(n)) - 1)
    return n // unit * unit


@dataclass
class About:
    """One look at the database for all who ask what everybody may: their requests are not limited.

    Nobody looks again before `age` seconds are over, or ten times as long as it took where that is more; while one
    looks, others hear what was found before, also where it was that the database cannot be used. It costs such a
    database nothing to be looked at again soon, and a service that works again says so.

    Args:
        count: looks how many reports there are.
        age: seconds.
    """

    count: Callable[[], int]
    age: float = 1.0
    _found: int | str | None = None
    _until: float = -float("inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def now(self) -> int:
        """About how many reports there are.

        Raises:
            Unavailable: where the database cannot be used.
        """
        found = self._found
        if self._lock.acquire(blocking=found is None or not self.age):
            try:
                found = self._looked()
            finally:
                self._lock.release()
        if isinstance(found, str):
            raise Unavailable(found)
        assert found is not None
        return found

    def _looked(self) -> int | str:
        if self._found is None or time.monotonic() >= self._until:
            began, pause = time.monotonic(), 0.0
            try:
                self._found = coarse(self.count())
                pause = 10 * (time.monotonic() - began) if self.age else 0.0
            except Unavailable as error:
                self._found = str(error)
            self._until = time.monotonic() + max(self.age, pause)
        return self._found
