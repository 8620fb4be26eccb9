"""Connections: who asks nothing, reads nothing or opens too many holds none for long, or others would be kept out."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from geopriv.collector.bodies import PATIENCE
from geopriv.collector.callers import network

_UNREAD = 120.0  # seconds: the system keeps some of an answer, and a slow phone takes that long for it
_MINE = 256  # connections of one caller
_ENDLESS = json.dumps({"error": "A request must say how long it is (Content-Length)."}).encode()


@dataclass
class Seats:
    """The connections of a process: as many as it has descriptors for, and so many of one caller.

    One more is taken in place of the one that has asked nothing for longest, of the caller's or of all. Who waits for
    an answer keeps the connection; where all do, who comes last is turned away.

    Args:
        most: of all callers.
        mine: of one caller.
        proxies: addresses and networks of reverse proxies, who speak for many; "*" for all.
    """

    most: int = 1 << 15
    mine: int = _MINE
    proxies: tuple[str, ...] = ()
    _all: dict[Hurried, str] = field(default_factory=dict)
    _taken: Counter[str] = field(default_factory=Counter)
    _idle: dict[Hurried, None] = field(default_factory=dict)  # in the order in which they began to be
    _idle_of: defaultdict[str, dict[Hurried, None]] = field(default_factory=lambda: defaultdict(dict))

    def take(self, one: Hurried, host: str) -> None:
        """Let one more in, and another go where there are too many."""
        caller = "" if self._speaks_for_many(host) else network(host)
        crowded = caller and self._taken[caller] >= self.mine
        self._all[one] = caller
        self._taken[caller] += 1
        if crowded or len(self._all) > self.most:
            gone = next(iter(self._idle_of.get(caller, ()) if crowded else self._idle), one)
            self.leave(gone)
            gone.transport.abort()
        self.rest(one)

    def rest(self, one: Hurried) -> None:
        """It asks nothing from now on."""
        if one in self._all:
            self._idle[one] = self._idle_of[self._all[one]][one] = None

    def ask(self, one: Hurried) -> None:
        """It waits for an answer."""
        if one in self._idle:
            caller = self._all[one]
            del self._idle[one], self._idle_of[caller][one]
            if not self._idle_of[caller]:
                del self._idle_of[caller]

    def leave(self, one: Hurried) -> None:
        """It is there no more."""
        self.ask(one)
        if one in self._all:
            caller = self._all.pop(one)
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]

    def _speaks_for_many(self, host: str) -> bool:
        if not host or "*" in self.proxies or host in self.proxies:
            return True
        with suppress(ValueError):  # of what is no network, which uvicorn takes for a name
            return any(ip_address(host) in ip_network(one, strict=False) for one in self.proxies if "/" in one)
        return False


class _Counted(h11.Connection):
    """HTTP in which each request says how long it is: of one in pieces every byte could be a piece of work."""

    endless = False

    def next_event(self) -> Any:
        """What comes next, and no body in pieces."""
        event = super().next_event()
        if any(name == b"transfer-encoding" for name, _ in getattr(event, "headers", ())):
            self.endless = True
            raise h11.RemoteProtocolError("the length is not said", error_status_hint=411)
        return event


class Hurried(H11Protocol):
    """HTTP for who has asked, to the end of the headers, within some seconds of the first byte or of connecting.

    And for who reads what is answered: a connection of which nothing was taken for a while is let go, with what waits
    for it in memory.
    """

    patience = PATIENCE
    unread = _UNREAD
    seats = Seats()
    _waiting: asyncio.TimerHandle | None = None
    _looking: asyncio.TimerHandle | None = None
    _asked = False  # since it was last looked

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.conn: _Counted = _Counted(h11.SERVER)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.seats.take(self, self.client[0] if self.client else "")
        self._wait()
        self._look(0)

    def data_received(self, data: bytes) -> None:
        """Wait no more where a request is there, and else for its rest."""
        self._asked = True
        super().data_received(data)
        if self._is_answering():
            self._rest()
            self.seats.ask(self)
        else:
            self._wait()

    def on_response_complete(self) -> None:
        """It may ask again, and until then others may need its place."""
        super().on_response_complete()
        if not self._is_answering():
            self.seats.rest(self)

    def send_400_response(self, msg: str) -> None:
        """Say what is wrong with a request that cannot be read."""
        if not self.conn.endless:
            super().send_400_response(msg)
            return
        length = str(len(_ENDLESS)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
        for event in (h11.Response(status_code=411, headers=headers), h11.Data(data=_ENDLESS), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._rest()
        self.seats.leave(self)
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

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
