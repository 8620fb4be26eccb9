"""What everybody may ask of the database: whether it can be used, and a number too coarse to see a report come."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from geopriv.errors import Unavailable

_Seen = TypeVar("_Seen")
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
class Look(Generic[_Seen]):
    """One look at the database for all who ask what everybody may: their requests are not limited.

    Nobody looks again before `age` seconds are over, or ten times as long as it took where that is more, and nobody is
    waited for longer than `patience`, whatever the database does. That it cannot be used is looked at again soon.

    Args:
        look: at the database.
        age: seconds.
        old: whether who waits too long may hear what was seen before.
        patience: seconds.
    """

    look: Callable[[], _Seen]
    age: float = 1.0
    old: bool = False
    patience: float = 2.0
    _now: Future[_Seen] | None = None
    _last: Future[_Seen] | None = None
    _until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def seen(self) -> _Seen:
        """What is in the database.

        Raises:
            Unavailable: where it cannot be used, or does not answer in time.
        """
        with self._lock:
            if self._now is None or (self._now.done() and time.monotonic() >= self._until):
                self._now = Future()
                self._now.set_running_or_notify_cancel()  # who no longer waits does not end it for others
                threading.Thread(target=self._work, args=(self._now,), daemon=True).start()
            now = self._now
        # not awaited itself: an error that nobody waits for any more is none
        heard = asyncio.Event()
        loop = asyncio.get_running_loop()
        now.add_done_callback(lambda _: loop.is_closed() or loop.call_soon_threadsafe(heard.set))
        try:
            await asyncio.wait_for(heard.wait(), self.patience)
        except TimeoutError:
            if not self.old or self._last is None:
                raise Unavailable("The database does not answer.") from None
            now = self._last
        return now.result()

    def close(self) -> None:
        """Wait for who still looks, though not for long: the database may be let go of then."""
        wait([self._now] if self._now is not None else [], self.patience)

    def _work(self, now: Future[_Seen]) -> None:
        began, pause = time.monotonic(), 0.0
        try:
            seen = self.look()
        except Exception as error:
            self._until = time.monotonic() + self.age
            now.set_exception(error)
        else:
            pause = 10 * (time.monotonic() - began) if self.age else 0.0
            self._until, self._last = time.monotonic() + max(self.age, pause), now
            now.set_result(seen)
