"""Connections on which nothing is asked or read: they end after a while, or who opens many would keep others out."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from geopriv.collector.bodies import PATIENCE

_UNREAD = 120.0  # seconds: the system keeps some of an answer, and a slow phone takes that long for it


class Hurried(H11Protocol):
    """HTTP for who has asked, to the end of the headers, within some seconds of the first byte or of connecting.

    And for who reads what is answered: a connection of which nothing was taken for a while is let go, with what waits
    for it in memory.
    """

    patience = PATIENCE
    unread = _UNREAD
    _waiting: asyncio.TimerHandle | None = None
    _looking: asyncio.TimerHandle | None = None
    _asked = False  # since it was last looked

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()
        self._look(0)

    def data_received(self, data: bytes) -> None:
        """Wait no more where a request is there, and else for its rest."""
        self._asked = True
        super().data_received(data)
        cycle: Any = self.cycle  # None before the first request
        if cycle is not None and not cycle.response_complete:
            self._rest()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._rest()
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.patience, self.transport.close)

    def _rest(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _look(self, before: int) -> None:
        """Let go of who took nothing of what waited before; what is closed only waits for that, for ever."""
        left = self.transport.get_write_buffer_size()
        if 0 < before <= left and not self._asked:
            self.transport.abort()
            return
        self._asked = False
        self._looking = self.loop.call_later(self.unread, self._look, left)
