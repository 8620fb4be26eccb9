"""HTTP as a small device speaks it: one connection that is kept, and requests that may end in the middle."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from geopriv.errors import InvalidParameter, Unavailable

_PATIENCE = 60.0  # seconds for an answer


@dataclass(frozen=True)
class Place:
    """Where a collector listens, on this machine.

    Args:
        host: an address of this machine.
        port: the same.
    """

    host: str
    port: int


def loopback(url: str) -> Place:
    """The place of a collector on this machine.

    Raises:
        InvalidParameter: for any other: made-up reports would be counted among people's.

    >>> loopback("http://127.0.0.1:8000/")
    Place(host='127.0.0.1', port=8000)
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
        found = {str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)} if host else set()
    except (ValueError, OSError):
        found = set()
    here = found and all(ipaddress.ip_address(one.partition("%")[0]).is_loopback for one in found)
    if not here or parts.scheme != "http" or parts.path not in ("", "/"):
        raise InvalidParameter(
            "The 'url' must be that of a collector on this machine, such as http://127.0.0.1:8000: made-up reports "
            "would be counted among people's anywhere else."
        )
    return Place(host, port)


@dataclass(frozen=True)
class Answer:
    """What was answered.

    Args:
        status: of HTTP.
        body: the same.
    """

    status: int
    body: bytes

    @property
    def document(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


def request(method: str, path: str, body: bytes = b"", token: str | None = None) -> bytes:
    """A request as it goes over the wire."""
    told = f"Authorization: Bearer {token}\r\n" if token else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{told}Content-Length: {len(body)}\r\n\r\n"
    return head.encode("ascii") + body


@dataclass
class Wire:
    """A connection, which is made when it is needed and made anew when it broke.

    Args:
        place: to which it leads.
    """

    place: Place
    _open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None, repr=False)

    async def ask(self, sent: bytes, pieces: int = 1, pause: float = 0.0) -> Answer:
        """The answer to a request.

        Args:
            sent: the whole of it.
            pieces: in which it goes.
            pause: seconds between them.

        Raises:
            Unavailable: where the connection broke: nobody knows whether the request was heard.
        """
        try:
            return await asyncio.wait_for(self._answer(sent, pieces, pause), _PATIENCE)
        except (OSError, EOFError, TimeoutError, ValueError):
            self.leave()
            raise Unavailable("The collector does not answer.") from None

    async def begin(self, sent: bytes) -> None:
        """Send this much, and leave without waiting for an answer."""
        self.leave()
        try:
            _, writer = await asyncio.open_connection(self.place.host, self.place.port)
            writer.write(sent)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        except OSError:  # it left first
            return

    def leave(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    async def _answer(self, sent: bytes, pieces: int, pause: float) -> Answer:
        if self._open is None:
            self._open = await asyncio.open_connection(self.place.host, self.place.port)
        reader, writer = self._open
        length = -(-len(sent) // pieces)
        for at in range(0, len(sent), length):
            if at:
                await asyncio.sleep(pause)
            writer.write(sent[at : at + length])
            await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        body = await _body(reader, head)
        if b"connection: close" in head:
            self.leave()
        return Answer(int(head[9:12]), body)


async def _body(reader: asyncio.StreamReader, head: bytes) -> bytes:
    _, _, rest = head.partition(b"content-length:")
    if rest:
        return await reader.readexactly(int(rest.split(b"\r\n", 1)[0]))
    return await reader.read()
