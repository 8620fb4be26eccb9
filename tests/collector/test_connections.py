"""Connections: who says nothing, never ends, or reads nothing holds none for long, and leaves no line in the log."""

from __future__ import annotations

import http.client
import json
import socket
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest

import geopriv.collector.bodies
from geopriv.collector.hurried import Hurried, Seats
from geopriv.collector.verdicts import Verdict
from tests.collector.conftest import DESIGN
from tests.collector.servers import free_port, running, serving, status
from tests.collector.test_collector import line

GARBAGE = b"no request\r\n\r\n"
UPGRADE = b"GET /v1/ready HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n"


def heard(address: str, sent: bytes, patience: float = 10.0) -> bytes:
    """All that is answered until the connection ends."""
    port = int(address.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
        connection.sendall(sent)
        found = b""
        while part := connection.recv(1 << 16):
            found += part
        return found


def read_all(connection: socket.socket, pause: float = 0.0) -> bytes:
    """What comes until the connection ends, however that is; with a pause after each 4 MB."""
    found = bytearray()
    marks = 0
    try:
        while part := connection.recv(1 << 16):
            found += part
            if len(found) >> 22 > marks:
                marks += 1
                time.sleep(pause)
    except ConnectionError:
        pass
    return bytes(found)


@pytest.mark.parametrize("path", ["/v1/reports", "/v1/batch"])
def test_a_request_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(geopriv.collector.bodies, "PATIENCE", 0.3)
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False) as (address, service):
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 4000\r\n\r\n"
        found = heard(address, head.encode() + b"{")
        assert found.startswith(b"HTTP/1.1 408 ")
        assert found.endswith(b'{"verdict":"too slow"}')
        assert service.receiver.verdicts == Counter({Verdict.TOO_SLOW: 1})
        assert service._room.left == 1 << 26


@pytest.mark.parametrize("sent", [b"", b"GET /v1/design HTTP/1.1\r\nHost:"])
def test_a_connection_on_which_nothing_is_asked_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(Hurried, "patience", 0.3)
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False) as (address, _):
        assert heard(address, sent) == b""
        with closing(http.client.HTTPConnection(address.split("/")[2], timeout=10)) as connection:
            for _ in range(4):  # who goes on asking is not
                connection.request("GET", "/v1/ready")
                assert connection.getresponse().read()
                time.sleep(0.5 * Hurried.patience)
            connection.sock.sendall(b"GET /v1/ready HTTP/1.1\r\n")
            assert connection.sock.recv(1 << 16) == b""


def test_a_slow_answer_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hurried, "patience", 0.2)
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False) as (address, service):
        take = service.live.store.take

        def slowly(sent: Any) -> Any:
            time.sleep(1.0)
            return take(sent)

        monkeypatch.setattr(service.live.store, "take", slowly)
        body = line(1).encode()
        head = f"POST /v1/reports HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        assert b'"counted"' in heard(address, head.encode() + body)


@pytest.mark.parametrize("requests", [1, 3])
def test_who_does_not_read_what_was_answered_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, requests: int
) -> None:
    """It waits in memory, and on a connection that others cannot have. Who reads slowly gets all of it."""
    monkeypatch.setattr(Hurried, "unread", 0.5)
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False) as (address, service):
        service._handed = bytes(1 << 25)  # more than the system keeps for a connection
        port = int(address.rstrip("/").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as idle:
            idle.sendall(requests * b"GET /v1/design HTTP/1.1\r\nHost: a\r\n\r\n")
            time.sleep(2.5)
            assert 0 < len(read_all(idle)) < len(service._handed)
        with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
            slow.sendall(b"GET /v1/design HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert len(read_all(slow, pause=0.4)) > len(service._handed)


def test_no_request_writes_a_line_into_the_log(tmp_path: Path) -> None:
    """Or anybody could fill a disk with lines, and each would tell the minute of one request."""
    design, log, port = tmp_path / "design.json", tmp_path / "log", free_port()
    design.write_bytes(DESIGN.to_bytes())
    with serving(design, f"sqlite:///{tmp_path}/survey.sqlite", port, "--log", "json", log=log) as process:
        assert heard(f":{port}", GARBAGE).startswith(b"HTTP/1.1 400 ")
        assert heard(f":{port}", UPGRADE).startswith(b"HTTP/1.1 200 ")
        assert status(port, "GET", "/nowhere", "", "") == 404
        process.terminate()
        assert process.wait(60) == 0
    assert [json.loads(each)["event"] for each in log.read_text().splitlines()] == ["began", "ended"]


PIECES = b"POST /v1/reports HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("more", [b"", b"Content-Length: 3\r\n"])
def test_a_request_that_does_not_say_how_long_it_is_is_refused_before_its_body(tmp_path: Path, more: bytes) -> None:
    with running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False) as (address, service):
        found = heard(address, PIECES.replace(b"\r\n\r\n", b"\r\n" + more + b"\r\n"))
        assert found.startswith(b"HTTP/1.1 411 ")
        assert json.loads(found.partition(b"\r\n\r\n")[2])["error"].endswith("(Content-Length).")
        assert service.receiver.verdicts.total() == 0
        body = line(1).encode()
        head = f"POST /v1/reports HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        assert b'"counted"' in heard(address, head.encode() + body)


def test_who_sends_pieces_of_a_byte_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Each was an event of its own: the 64 kB that come at once kept all others waiting for half a second."""
    design, port, ended = tmp_path / "design.json", free_port(), threading.Event()
    design.write_bytes(DESIGN.to_bytes())

    def flood() -> None:
        while not ended.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as one:
                one.sendall(PIECES + b"1\r\nx\r\n" * 10_000)
                one.recv(1 << 12)

    took = []
    with serving(design, f"sqlite:///{tmp_path}/survey.sqlite", port, "--anybody"), ThreadPoolExecutor(4) as pool:
        for _ in range(4):
            pool.submit(flood)
        try:
            for k in range(15):
                began = time.monotonic()
                assert status(port, "POST", "/v1/reports", "", line(k)) == 201
                took.append(time.monotonic() - began)
        finally:
            ended.set()
    assert sorted(took)[len(took) // 2] < 0.25


def connect(port: int, source: str, number: int) -> list[socket.socket]:
    return [
        socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0)) for _ in range(number)
    ]


def still_open(connections: list[socket.socket]) -> list[bool]:
    """Which of them were not closed at the other end."""
    time.sleep(0.3)
    found = []
    for one in connections:
        one.setblocking(False)
        try:
            found.append(one.recv(1 << 12) != b"")
        except BlockingIOError:
            found.append(True)
        except ConnectionResetError:
            found.append(False)
        one.settimeout(10)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a machine has one address of its own")
def test_one_caller_has_so_many_connections_and_the_oldest_that_asks_nothing_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hurried, "seats", seats := Seats(mine=4, proxies=("127.0.0.9", "127.0.8.7/24")))
    with (
        running(DESIGN, f"sqlite:///{tmp_path}/survey.sqlite", invited=False) as (address, service),
        ExitStack() as end,
    ):
        port = int(address.rstrip("/").rpartition(":")[2])
        one = connect(port, "127.0.0.2", 6)
        assert still_open(one) == [False, False, True, True, True, True]
        others = [*connect(port, "127.0.0.3", 1), *connect(port, "127.0.0.9", 6), *connect(port, "127.0.8.1", 6)]
        assert all(still_open(others))
        take = service.live.store.take

        def slowly(sent: Any) -> Any:
            time.sleep(1.0)
            return take(sent)

        monkeypatch.setattr(service.live.store, "take", slowly)
        for k, each in enumerate(one[2:]):  # who waits for an answer is not sent away: the last is
            body = line(k).encode()
            each.sendall(b"POST /v1/reports HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        late = connect(port, "127.0.0.2", 1)
        assert still_open(late) == [False]
        for each in one[2:]:
            while b'"counted"' not in each.recv(1 << 12):
                pass
        again = connect(port, "127.0.0.2", 1)  # they ask no more
        assert still_open([*one[2:], *again]) == [False, True, True, True, True]
        for each in (*one, *others, *late, *again):
            end.enter_context(each)
    assert (seats._all, seats._taken, seats._idle, seats._idle_of) == ({}, {}, {}, {})


@pytest.mark.parametrize("files", [(400, 400), (256, 4096)])
def test_idle_connections_keep_nobody_out(tmp_path: Path, files: tuple[int, int]) -> None:
    """There were as many as descriptors, and nobody else was heard. Where it may have more, it takes more."""
    design, port, log = tmp_path / "design.json", free_port(), tmp_path / "log"
    design.write_bytes(DESIGN.to_bytes())
    options = ["--anybody", "--proxy", "127.0.0.1"]  # who speaks for many, and may have many connections
    with (
        serving(design, f"sqlite:///{tmp_path}/survey.sqlite", port, *options, log=log, files=files) as process,
        ExitStack() as end,
    ):
        idle = [end.enter_context(one) for one in connect(port, "127.0.0.1", 500)]
        for k in range(5):
            began = time.monotonic()
            assert status(port, "POST", "/v1/reports", "", line(k)) == 201
            assert time.monotonic() < began + 2
        kept = sum(still_open(idle))
        assert kept == 500 if files[1] > 1000 else 200 < kept < 300
        process.terminate()
        assert process.wait(60) == 0
    assert "ERROR" not in log.read_text()
