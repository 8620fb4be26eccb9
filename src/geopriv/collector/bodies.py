"""What stands in requests: never more of it at a time than there is room for, and nobody is waited for without end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.requests import Request

from geopriv.errors import Unavailable

PATIENCE = 30.0  # seconds in which a request must come to its end
_ROOM = 1 << 26  # bytes


@dataclass
class Room:
    """Memory for what is read and not yet answered.

    Args:
        left: bytes.

    >>> room = Room(10)
    >>> with room.taken(10):
    ...     room.left
    0
    >>> room.left
    10
    """

    left: int = _ROOM

    @contextmanager
    def taken(self, size: int) -> Iterator[None]:
        """As much of it as that, until the end.

        Raises:
            Unavailable: where there is less.
        """
        if size > self.left:
            raise Unavailable("Too many batches come at once. Try again.")
        self.left -= size
        try:
            yield
        finally:
            self.left += size


def announced(request: Request, most: int) -> int:
    """How many bytes a request says to have, and no more than may be read of it."""
    said = request.headers.get("content-length", "")
    return min(int(said), most) if said.isascii() and said.isdecimal() and len(said) < 20 else most


async def body_of(request: Request, most: int) -> bytes | None:
    """What was sent, if it is not larger than that; no more is read.

    Raises:
        TimeoutError: for what did not come in time.
    """
    parts: list[bytes] = []
    size = 0
    async with asyncio.timeout(PATIENCE):
        async for part in request.stream():
            size += len(part)
            if size > most:
                return None
            parts.append(part)
    return b"".join(parts)
