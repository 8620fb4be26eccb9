"""Many reports at once from a lean client, so that the service is measured and not who asks it; and a plain rival."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geopriv.collector import tokens
from geopriv.collector.simulated.wire import request
from geopriv.collector.store import Store
from geopriv.device.designs import verify
from geopriv.device.draws import system_bytes
from geopriv.surveys.design import Design
from tests.collector.servers import serving

_AGAIN = 0.05  # seconds after which a report that was not acknowledged is sent again


@dataclass
class Load:
    """Reports to send, and what became of them.

    Args:
        requests: each whole, as it goes over the wire.
        ids: of the reports.
        took: seconds from a request to its acknowledgement, where it was sent once.
        acknowledged: reports that were.
        refused: all other answers, by status.
        broken: how often a connection broke before an answer.
        seconds: that all took.
        processor: seconds of a processor that the server used meanwhile.
    """

    requests: list[bytes]
    ids: list[str]
    took: list[float] = field(default_factory=list)
    acknowledged: set[int] = field(default_factory=set)
    refused: Counter[int] = field(default_factory=Counter)
    broken: int = 0
    seconds: float = 0.0
    processor: float = 0.0

    @property
    def rate(self) -> float:
        """Acknowledged reports a second."""
        return len(self.acknowledged) / self.seconds

    def run(self, port: int, clients: int) -> None:
        """Send all, over so many connections at once, until each is acknowledged or refused."""
        began = time.perf_counter()
        asyncio.run(self._run(port, clients))
        self.seconds = time.perf_counter() - began

    async def _run(self, port: int, clients: int) -> None:
        waiting = iter(range(len(self.requests)))
        async with asyncio.TaskGroup() as group:
            for _ in range(clients):
                group.create_task(self._lane(port, waiting))

    async def _lane(self, port: int, waiting: Iterator[int]) -> None:
        loop = asyncio.get_running_loop()
        lane = _Lane(self, waiting)
        while not lane.done:
            lane.closed = loop.create_future()
            with suppress(OSError):
                await loop.create_connection(lambda: lane, "127.0.0.1", port)
                await lane.closed
            if not lane.done:
                await asyncio.sleep(_AGAIN)


class _Lane(asyncio.Protocol):
    """One connection, with one request at a time."""

    def __init__(self, load: Load, waiting: Iterator[int]) -> None:
        self._load, self._waiting = load, waiting
        self._current: int | None = None
        self._once = True
        self.done = False
        self.closed: asyncio.Future[None]

    def connection_made(self, transport: Any) -> None:
        self._transport, self._found = transport, b""
        self._send()

    def data_received(self, data: bytes) -> None:
        self._found += data
        head, end, body = self._found.partition(b"\r\n\r\n")
        if not end or len(body) < int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]):
            return
        self._found = b""
        self._heard(int(head[9:12]))

    def connection_lost(self, error: Exception | None) -> None:
        if self._current is not None:
            self._load.broken += 1
            self._once = False
        if not self.closed.done():
            self.closed.set_result(None)

    def _heard(self, status: int) -> None:
        assert self._current is not None
        if status == 503:
            self._once = False
            asyncio.get_running_loop().call_later(_AGAIN, self._send)
            return
        if status in (200, 201):
            self._load.acknowledged.add(self._current)
            if self._once:
                self._load.took.append(time.perf_counter() - self._began)
        else:
            self._load.refused[status] += 1
        self._current, self._once = None, True
        self._send()

    def _send(self) -> None:
        if self._transport.is_closing():
            return
        if self._current is None:
            self._current = next(self._waiting, None)
        if self._current is None:
            self.done = True
            self._transport.close()
            return
        self._began = time.perf_counter()
        self._transport.write(self._load.requests[self._current])


def load_of(design: Design, database: str, reports: int) -> Load:
    """So many reports of a device, with invitations that the database knows."""
    device, invited = verify(design.to_bytes()), list(tokens.issue(reports))
    store = Store(database)
    store.begin(design.hash, True)
    store.invite(map(tokens.digest, invited))
    store.close()
    lines = [device._line(k % 7 - 3.0, system_bytes) for k in range(reports)]
    return Load(
        [request("POST", "/v1/reports", line.encode(), token) for line, token in zip(lines, invited, strict=True)],
        [json.loads(line)["id"] for line in lines],
    )


def faults(load: Load, database: str) -> list[str]:
    """What is lost, doubled, or spent without its report, once all was sent."""
    store = Store(database)
    kept = [bytes(row[0]).hex() for rows in store.reports() for row in rows]
    _, spent = store.invitations()
    store.close()
    lost = {load.ids[k] for k in load.acknowledged} - set(kept)
    found = {
        "acknowledged and lost": len(lost),
        "counted twice": len(kept) - len(set(kept)),
        "counted and never sent": len(set(kept) - set(load.ids)),
        "tokens spent without a report, or reports without one": abs(spent - len(kept)),
        "refused": load.refused.total(),
        "never acknowledged": len(load.requests) - len(load.acknowledged),
    }
    return [f"{what}: {times:,}" for what, times in found.items() if times]


def plain(database: str) -> Any:
    """What one would write in ten minutes: an endpoint that puts each report into a table in its own transaction."""
    import sqlalchemy as sa
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    engine = sa.create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    table = sa.Table("plain", sa.MetaData(), sa.Column("id", sa.Text, primary_key=True), sa.Column("report", sa.Text))

    def insert(found: dict[str, Any]) -> None:
        with engine.begin() as connection:
            connection.execute(sa.insert(table).values(id=found["id"], report=json.dumps(found["report"])))

    async def take(asked: Request) -> JSONResponse:
        await run_in_threadpool(insert, await asked.json())
        return JSONResponse({"verdict": "counted"}, 201)

    async def health(asked: Request) -> JSONResponse:
        return JSONResponse({})

    @asynccontextmanager
    async def living(app: Starlette) -> Any:
        with engine.begin() as connection:
            if connection.dialect.name == "sqlite":  # as durable as the collector, and as ready to wait
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            table.create(connection)
        yield

    routes = [Route("/v1/reports", take, methods=["POST"]), Route("/v1/ready", health)]
    return Starlette(routes=routes, lifespan=living)


class Killer:
    """Runs `geopriv serve` in a thread, kills it with SIGKILL again and again, and begins it anew.

    Args:
        design: the file of the design.
        database: the address of its database.
        port: on which it listens.
        every: seconds that it lives after it has answered for the first time.
    """

    def __init__(self, design: Path, database: str, port: int, every: float) -> None:
        self._arguments, self._every, self._ended = (design, database, port), every, threading.Event()
        self.kills = 0

    @contextmanager
    def killing(self) -> Iterator[None]:
        """At the end the last one is stopped."""
        thread = threading.Thread(target=self._work)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def _work(self) -> None:
        while not self._ended.is_set():
            with serving(*self._arguments) as process:
                if self._ended.wait(self._every):
                    return
                process.kill()
                process.wait()
                self.kills += 1


def main() -> None:
    """The plain endpoint as a process: its database and its port."""
    import uvicorn

    uvicorn.run(plain(sys.argv[1]), port=int(sys.argv[2]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
