"""What stands in requests: never more of it at a time than there is room for, and nobody is waited for without end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.requests import Request

from geopriv.errors import Unavailable

PATIENCE = 30.0  # seconds in which a request must come to its end
_ROOM, _SHARE = 1 << 26, 1 << 24  # bytes, of all addresses and of one


@dataclass
class Room:
    """Memory for what is read and not yet answered, a part of it for each address.

    What a request says of its length is not believed: it may say two things, or announce much and send nothing.

    Args:
        left: bytes.
        share: bytes that one address may take.

    >>> room = Room(10, 8)
    >>> with room.taken("here") as take:
    ...     take(5)
    ...     take(3)
    ...     room.left
    2
    >>> room.left
    10
    """

    left: int = _ROOM
    share: int = _SHARE
    _taken: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def taken(self, address: str) -> Iterator[Callable[[int], None]]:
        """Takes bytes as they come, for an address, and gives them back at the end.

        Raises:
            Unavailable: where there are no more.
        """
        mine = 0

        def take(size: int) -> None:
            nonlocal mine
            if size > min(self.left, self.share - self._taken[address]):
                raise Unavailable("Too many batches come at once. Try again.")
            self.left -= size
            self._taken[address] += size
            mine += size

        try:
            yield take
        finally:
            self.left += mine
            self._taken[address] -= mine
            if not self._taken[address]:
                del self._taken[address]


def _nothing(size: int) -> None:
    """Take no room."""


async def body_of(request: Request, most: int, take: Callable[[int], None] = _nothing) -> bytes | None:
    """What was sent, if it is not larger than that; no more is read.

    Args:
        request: that is read.
        most: bytes.
        take: is told how many more bytes came, before they are kept.

    Raises:
        TimeoutError: for what did not come in time.
    """
    body = bytearray()
    async with asyncio.timeout(PATIENCE):
        async for part in request.stream():
            if len(body) + len(part) > most:
                return None
            take(len(part))
            body += part
    return bytes(body)
