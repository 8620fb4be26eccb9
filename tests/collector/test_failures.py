"""A collector that is killed or stopped, or whose database is full, locked or away: nothing is lost or half done."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

import geopriv.collector.store
from geopriv.collector import tokens
from geopriv.collector.app import Service
from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.errors import Unavailable
from tests.collector.conftest import DESIGN
from tests.collector.servers import free_port, serving, status
from tests.collector.test_collector import line, send

SENDERS, EACH = 4, 250  # far more than are sent before the end


def insist(port: int, token: str, body: str, acknowledged: list[str], ended: threading.Event) -> None:
    """Send a report until it is acknowledged, as a device does."""
    while not ended.is_set():
        found = status(port, "POST", "/v1/reports", token, body)
        if found in (200, 201):
            acknowledged.append(json.loads(body)["id"])
            return
        assert found in (None, 503), found
        time.sleep(0.02)


def test_what_was_acknowledged_is_there_after_a_kill_and_after_a_stop(database: str, tmp_path: Path) -> None:
    """Killed in the middle, started again, and stopped in the middle, while devices go on sending."""
    design, port, ended = tmp_path / "design.json", free_port(), threading.Event()
    design.write_bytes(DESIGN.to_bytes())
    invited = list(tokens.issue(SENDERS * EACH))
    acknowledged: list[str] = []

    def device(which: int) -> None:
        for k in range(which, len(invited), SENDERS):
            insist(port, invited[k], line(k), acknowledged, ended)

    with closing(Store(database)) as store, ThreadPoolExecutor(SENDERS) as pool:
        store.begin(DESIGN.hash, True)
        store.invite(map(tokens.digest, invited))
        going = [pool.submit(device, which) for which in range(SENDERS)]
        try:
            for order, enough in ((signal.SIGKILL, 30), (signal.SIGTERM, 80)):
                with serving(design, database, port) as process:
                    while len(acknowledged) < enough:
                        assert process.poll() is None, "it ended"
                        time.sleep(0.002)
                    os.kill(process.pid, order)
                    code = process.wait(60)
                    before = set(acknowledged)
                assert before <= ids(store)
                assert store.counted() == store.invitations()[1] < len(invited)  # it was in the middle
        finally:
            ended.set()
        for each in going:
            each.result()
        assert code in (0, -signal.SIGTERM)  # it ended by itself: uvicorn says by which order, once all is written
        assert ids(store) >= set(acknowledged)
        assert len(acknowledged) == len(set(acknowledged)) >= 80


def ids(store: Store) -> set[str]:
    return {bytes(row[0]).hex() for rows in store.reports() for row in rows}


@contextmanager
def full(service: Service, database: str) -> Iterator[None]:
    """SQLite may take no page more than it has."""
    engine = service.live.store._engine
    with sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None) as tidy:
        tidy.execute("VACUUM")  # no page is free
    tidy.close()

    def no_more(connection: Any, record: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    engine.dispose()
    sa.event.listen(engine, "connect", no_more)
    yield
    sa.event.remove(engine, "connect", no_more)
    engine.dispose()


@contextmanager
def locked(service: Service, database: str) -> Iterator[None]:
    """Another program writes and does not end."""
    service.live.store._engine.dispose()
    other = sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


@contextmanager
def away(service: Service, database: str) -> Iterator[None]:
    """The server ends all connections and takes no more."""
    import psycopg

    where, _, options = database.partition("?")
    start, _, name = where.rpartition("/")
    with psycopg.connect(f"{start}/postgres?{options}", autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        yield
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())


@pytest.mark.parametrize(
    ("database", "fault"),
    [("sqlite", full), ("sqlite", locked), ("postgresql", away)],
    indirect=["database"],
)
def test_a_database_that_takes_nothing_is_said_so_and_used_again_by_itself(
    client: TestClient,
    invited: list[str],
    service: Service,
    database: str,
    fault: Callable[[Service, str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, kept = service.live.store, {0}
    assert send(client, invited[0], line(0)) == (201, "counted")
    before = [Sent(os.urandom(16), 0, None, "[1]", os.urandom(32)) for _ in range(99)]  # nearly a page of SQLite's
    store.invite(one.token for one in before if one.token)
    store.take(before)
    lines = {k: line(k) for k in range(1, 60)}
    with monkeypatch.context() as patched:
        patched.setattr(geopriv.collector.store, "_PATIENCE", 0)  # for connections that are made from now on
        with fault(service, database):
            for k, one in lines.items():
                answer = client.post("/v1/reports", content=one, headers={"Authorization": f"Bearer {invited[k]}"})
                if answer.status_code == 503:
                    break
                kept.add(k)
            assert answer.status_code == 503
            assert answer.headers["retry-after"]
            assert json.loads(one)["id"] not in answer.text
    assert store.counted() == store.invitations()[1] == 99 + len(kept)
    for k, one in lines.items():
        assert send(client, invited[k], one)[1] == ("counted before" if k in kept else "counted")
    assert store.counted() == store.invitations()[1] == 99 + 60


def test_answers_are_read_while_another_process_writes(
    client: TestClient, invited: list[str], service: Service, database: str
) -> None:
    send(client, invited[0], line(0))
    send(client, invited[1], line(1))
    with service.live.store._engine.begin() as writing:
        writing.execute(sa.text("UPDATE tokens SET spent = spent"))
        assert client.get("/v1/ready").json() == {"design": DESIGN.hash}
        assert client.get("/v1/overview").json()["reports"] == 2
        assert client.get("/v1/answers").status_code == 200


@pytest.mark.parametrize("moved", ["survey.sqlite", "survey.sqlite-wal", "survey.sqlite-shm"])
def test_a_database_whose_file_was_moved_takes_nothing_until_it_is_back(tmp_path: Path, moved: str) -> None:
    """SQLite goes on writing into a file that was moved away: what it wrote there was acknowledged, and lost."""
    database, design, port, log = f"sqlite:///{tmp_path}/survey.sqlite", tmp_path / "design.json", free_port(), "log"
    design.write_bytes(DESIGN.to_bytes())
    with serving(design, database, port, "--anybody", log=tmp_path / log) as process:
        assert status(port, "POST", "/v1/reports", "", line(0)) == 201
        (tmp_path / moved).rename(tmp_path / "away")
        for k in range(1, 4):
            assert status(port, "POST", "/v1/reports", "", line(k)) == 503
        assert not (tmp_path / moved).exists()  # no other is made in its place
        (tmp_path / "away").rename(tmp_path / moved)
        assert status(port, "POST", "/v1/reports", "", line(4)) == 201
        process.terminate()
        assert process.wait(60) == 0
    said = (tmp_path / log).read_text()
    assert said.count("ERROR") == 1
    assert "was moved or replaced" in said
    assert ids(Store(database)) == {json.loads(line(k))["id"] for k in (0, 4)}


def test_locks_that_were_moved_away_are_nobody_s(tmp_path: Path) -> None:
    """They are in the index of the log: who makes another waits for nobody, and what it writes is written over."""
    with closing(Store(f"sqlite:///{tmp_path}/survey.sqlite")) as store:
        store.begin(DESIGN.hash, True)
        (tmp_path / "survey.sqlite-shm").unlink()
        code = "import sys; from geopriv.collector.store import Store; Store(sys.argv[1]).invite([bytes(32)])"
        subprocess.run([sys.executable, "-c", code, f"sqlite:///{tmp_path}/survey.sqlite"], check=True, timeout=60)
        with pytest.raises(Unavailable, match="was moved or replaced"):
            store.reject(Counter({Verdict.MALFORMED: 1}))


@pytest.mark.parametrize("linked", [False, True])
def test_a_database_whose_file_was_replaced_takes_nothing(tmp_path: Path, linked: bool) -> None:
    """Connections that were open write into the old file, and new ones into the new, or where a link now leads to."""
    path = tmp_path / "survey.sqlite"
    if linked:
        path.symlink_to("first.sqlite")
    with closing(Store(f"sqlite:///{path}")) as store:
        store.begin(DESIGN.hash, False)
        path.rename(tmp_path / "old")
        shutil.copy(tmp_path / "old", tmp_path / "new")
        path.symlink_to("new") if linked else (tmp_path / "new").rename(path)
        for _ in range(2):
            with pytest.raises(Unavailable, match="was moved or replaced"):
                store.take([Sent(bytes(16), 0, None, "[1]", None)])
            store.close()  # its connections: the next is a new one
