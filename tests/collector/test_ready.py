"""Green means that reports are being written: a disk that is full, a writer that stalls, a server that is frozen."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

import geopriv.collector.app
import geopriv.collector.receiver
import geopriv.collector.store
from geopriv.collector.app import Service
from geopriv.collector.publish import publish
from geopriv.collector.receiver import Receiver
from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.errors import Unavailable
from tests.collector.conftest import DESIGN
from tests.collector.servers import COMMAND, free_port, running, serving, status
from tests.collector.test_collector import line

only_postgresql = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


def ask(port: int, name: str) -> int | None:
    return status(port, "GET", f"/v1/{name}", "", "")


def port_of(address: str) -> int:
    return int(address.rstrip("/").rpartition(":")[2])


def becomes(port: int, wanted: int, within: float = 10.0) -> bool:
    """Whether it is ready, or is not, soon."""
    due = time.monotonic() + within
    while (found := ask(port, "ready")) != wanted and time.monotonic() < due:
        time.sleep(0.1)
    return found == wanted


def test_a_collector_whose_disk_is_full_is_not_ready_until_it_writes_again(tmp_path: Path) -> None:
    """Reading goes on there. Files may grow no more, as on a full disk, and then they may."""
    design, port = tmp_path / "design.json", free_port()
    design.write_bytes(DESIGN.to_bytes())
    with serving(design, f"sqlite:///{tmp_path}/survey.sqlite", port, "--anybody") as process:
        assert status(port, "POST", "/v1/reports", "", line(0)) == 201
        assert ask(port, "ready") == 200
        size = (tmp_path / "survey.sqlite-wal").stat().st_size
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        assert status(port, "POST", "/v1/reports", "", line(1)) == 503
        assert [ask(port, name) for name in ("ready", "live", "count")] == [503, 200, 200]
        time.sleep(2.5)  # nobody sends any more, and it is tried again
        assert ask(port, "ready") == 503
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert becomes(port, 200)
        assert status(port, "POST", "/v1/reports", "", line(1)) == 201


def test_a_collector_that_begins_where_nothing_can_be_written_is_not_ready(tmp_path: Path) -> None:
    design, port = tmp_path / "design.json", free_port()
    design.write_bytes(DESIGN.to_bytes())
    with serving(design, f"sqlite:///{tmp_path}/survey.sqlite", port, "--anybody") as process:
        process.terminate()
        process.wait(60)
    command = ["sh", "-c", 'ulimit -f 256; exec "$@"', "sh", *COMMAND, "design.json", "--port", str(port)]
    with subprocess.Popen([*command, "--anybody"], cwd=tmp_path) as process:
        try:
            while ask(port, "live") is None:
                assert process.poll() is None
                time.sleep(0.05)
            assert becomes(port, 503)
            assert ask(port, "count") == 200
        finally:
            process.kill()


@contextmanager
def frozen(database: str) -> Iterator[None]:
    """All processes of the server stand still; the system goes on answering for them."""
    with psycopg.connect(database, autocommit=True) as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity").fetchall()
        parent = Path(f"/proc/{connection.info.backend_pid}/stat").read_text().rpartition(")")[2].split()[1]

    def tell(order: int) -> None:
        for pid in (int(parent), *(row[0] for row in rows)):
            with suppress(ProcessLookupError):  # it has ended since
                os.kill(pid, order)

    tell(signal.SIGSTOP)
    try:
        yield
    finally:
        tell(signal.SIGCONT)


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="processes are found in /proc")
@only_postgresql
def test_a_server_that_is_frozen_is_neither_ready_nor_waited_for(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(geopriv.collector.app, "_ANSWERED", 1.0)
    with running(DESIGN, database, invited=False) as (address, _):
        port = port_of(address)
        assert status(port, "POST", "/v1/reports", "", line(0)) == 201
        assert ask(port, "ready") == 200
        with frozen(database):
            began = time.monotonic()
            assert ask(port, "ready") == 503
            assert time.monotonic() < began + 4
            assert status(port, "POST", "/v1/reports", "", line(1)) == 503
            assert [ask(port, name) for name in ("live", "ready")] == [200, 503]
            assert time.monotonic() < began + 10
        assert becomes(port, 200)
        assert status(port, "POST", "/v1/reports", "", line(1)) in (200, 201)


@only_postgresql
def test_reports_go_on_where_publishing_waits_for_a_writer_that_has_stalled(database: str, tmp_path: Path) -> None:
    """Who closes batches waits for who writes, and reports wait behind: they wait for seconds, and it gives up."""
    with running(DESIGN, database, invited=False) as (address, service), ThreadPoolExecutor(1) as pool:
        port = port_of(address)
        assert status(port, "POST", "/v1/reports", "", line(0)) == 201
        with psycopg.connect(database) as stalled:
            stalled.execute("LOCK TABLE batches IN ROW EXCLUSIVE MODE")
            publishing = pool.submit(publish, DESIGN, service.live.store, tmp_path / "reports.ndjson")
            time.sleep(0.5)
            began = time.monotonic()
            assert status(port, "POST", "/v1/reports", "", line(1)) == 201
            assert time.monotonic() < began + 6
            with pytest.raises(Unavailable):
                publishing.result(10)
            stalled.rollback()
        assert publish(DESIGN, service.live.store, tmp_path / "reports.ndjson").reports == 2


@only_postgresql
def test_a_table_that_is_locked_is_no_longer_waited_for_than_said(database: str) -> None:
    with running(DESIGN, database, invited=False) as (address, _), psycopg.connect(database) as other:
        port = port_of(address)
        other.execute("LOCK TABLE reports IN EXCLUSIVE MODE")
        with ThreadPoolExecutor(1) as pool:
            began = time.monotonic()
            sending = pool.submit(status, port, "POST", "/v1/reports", "", line(0))
            assert becomes(port, 503)  # before it fails: nothing is being written
            assert not sending.done()
            assert sending.result(30) == 503
            assert time.monotonic() < began + 10
        assert ask(port, "ready") == 503
        other.rollback()
        assert becomes(port, 200)


@only_postgresql
def test_a_collector_that_stalls_in_a_transaction_is_ended_by_the_server(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stall(store: Store) -> None:
        with store._transaction() as connection:
            connection.execute(sa.text("LOCK TABLE batches"))
            time.sleep(1.5)
            connection.execute(sa.text("SELECT 1"))

    limits = geopriv.collector.store._LIMITS | {"idle_in_transaction_session_timeout": "500ms"}
    with closing(Store(database)) as store:
        store.begin(DESIGN.hash, False)
        with monkeypatch.context() as patched:
            patched.setattr(geopriv.collector.store, "_LIMITS", limits)
            with pytest.raises(Unavailable):
                stall(store)
            with psycopg.connect(database) as other:
                other.execute("LOCK TABLE batches NOWAIT")
        assert store.take([Sent(bytes(16), 0, None, "[1]", None)])


@only_postgresql
def test_reports_do_not_wait_for_counts_of_rejections(database: str, client: TestClient, service: Service) -> None:
    """Another process that stalled while it counted kept reports waiting for five seconds at a time."""
    service.invited = False
    with psycopg.connect(database) as other:
        other.execute("LOCK TABLE rejected IN ACCESS EXCLUSIVE MODE")
        assert client.post("/v1/reports", content="garbage").status_code == 400
        for k in range(4):
            time.sleep(0.5)  # it is tried each second
            began = time.monotonic()
            assert client.post("/v1/reports", content=line(k)).status_code == 201
            assert time.monotonic() < began + 1
    deadline = time.monotonic() + 20
    while not service.live.store.rejected():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert service.live.store.rejected() == {"malformed": 1}


@pytest.mark.parametrize("work", ["reject", "try_writing"])
def test_who_waits_behind_anything_that_is_written_is_not_told_that_all_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    def writes() -> bool:
        with suppress(Unavailable):
            receiver.require_writing()
            return True
        return False

    def wait(wanted: bool) -> None:
        due = time.monotonic() + 20
        while writes() is not wanted:
            assert time.monotonic() < due
            time.sleep(0.05)

    monkeypatch.setattr(geopriv.collector.receiver, "_SLOW", 0.2)
    ended = threading.Event()
    with closing(Store(f"sqlite:///{tmp_path}/survey.sqlite")) as store:
        monkeypatch.setattr(store, work, lambda *_: ended.wait(60))
        with closing(Receiver(store)) as receiver:
            receiver.note([Verdict.MALFORMED])
            wait(False)
            ended.set()
            wait(True)


def test_a_look_that_takes_long_is_not_ready(client: TestClient, service: Service) -> None:
    assert client.get("/v1/ready").json() == {"design": DESIGN.hash}
    look = service.live.store.look

    def slowly() -> None:
        time.sleep(3.0)
        look()

    service.able.look = slowly
    began = time.monotonic()
    assert client.get("/v1/ready").status_code == 503
    assert 1.9 < time.monotonic() - began < 2.9
    assert client.get("/v1/live").status_code == 200


def test_who_stops_it_does_not_wait_for_a_database_without_end(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(geopriv.collector.receiver, "_END", 0.2)
    ended = threading.Event()
    with monkeypatch.context() as patched:
        patched.setattr(service.live.store, "take", lambda _: [Verdict.COUNTED] * ended.wait(20))
        service.receiver.take([Sent(bytes(16), 0, None, "[1]", None)])
        began = time.monotonic()
        service.receiver.close()
        assert time.monotonic() < began + 2
        ended.set()
        service.receiver._thread.join(20)


@only_postgresql
@pytest.mark.parametrize("asked", [True, False])
def test_a_report_is_on_the_disk_before_the_answer_whatever_the_database_is_set_to(
    database: str, monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    """Where `synchronous_commit` is off, a report is told as written before the log is; three of 100 were lost."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET synchronous_commit = off".encode())
    if not asked:
        limits = {
            name: value for name, value in geopriv.collector.store._LIMITS.items() if name != "synchronous_commit"
        }
        monkeypatch.setattr(geopriv.collector.store, "_LIMITS", limits)
    written, late = [], 0
    with closing(Store(database)) as store, psycopg.connect(database, autocommit=True) as looking:
        store.begin(DESIGN.hash, False)

        @sa.event.listens_for(store._engine, "commit")
        def note(connection: sa.Connection) -> None:
            written.append(connection.exec_driver_sql("SELECT pg_current_wal_insert_lsn()").scalar_one())

        for k in range(30):
            store.take([Sent(bytes([k]) * 16, 0, None, "[1]", None)])
            row = looking.execute("SELECT pg_current_wal_flush_lsn() < %s::pg_lsn", [written[-1]]).fetchone()
            assert row is not None
            late += row[0]
    assert (late == 0) is asked


@only_postgresql
def test_a_server_that_does_not_wait_for_its_disk_is_named_in_the_log(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Store(database)) as store, psycopg.connect(database, autocommit=True) as connection:
        store.begin(DESIGN.hash, False)
        assert not caplog.records
        try:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
            time.sleep(0.5)
            store.begin(DESIGN.hash, False)
        finally:
            connection.execute("ALTER SYSTEM RESET fsync")
            connection.execute("SELECT pg_reload_conf()")
    (said,) = caplog.records
    assert said.levelname == "WARNING"
    assert "fsync" in said.getMessage()
