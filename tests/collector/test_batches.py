"""Batches: reports of a day, closed once published; and what is published is what was counted."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

import geopriv as gp
import geopriv.collector.batches
import geopriv.collector.store
from geopriv.collector.app import Service
from geopriv.collector.publish import publish
from geopriv.collector.store import Store
from geopriv.collector.tables import METADATA
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.errors import GeoprivError, InvalidParameter
from tests.collector.conftest import DESIGN

# takes one report after another until its input ends, and says the id of each that was acknowledged
RECEIVER = """
import os, sys, threading, time
from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent
store, ended = Store(sys.argv[1]), threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
print("ready", flush=True)
while not ended.is_set():
    one = Sent(os.urandom(16), 0, None, "[1]", None)
    store.take([one])
    print(one.id.hex(), flush=True)
    time.sleep(0.001)
store.close()
"""


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    """A store that takes reports from anybody."""
    with closing(Store(database)) as made:
        made.begin(DESIGN.hash, False)
        yield made


def sent(number: int, report: int = 1) -> Sent:
    return Sent(number.to_bytes(16, "big"), 0, None, f"[{report}]", None)


def test_a_day_is_a_batch_and_what_was_closed_takes_no_report(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [date(2030, 1, 1), date(2030, 1, 1), date(2030, 1, 2), date(2030, 1, 2), date(2030, 1, 1)]
    for k, day in enumerate(days):
        monkeypatch.setattr(geopriv.collector.batches, "today", lambda day=day: day)
        assert store.take([sent(k)]) == [Verdict.COUNTED]
        if k == 2:
            store.close_batches([2])
    found = [(one.number, one.day.day, one.closed, one.reports) for one in store.batches()]
    # the last one came over another process, whose clock is late
    assert found == [(1, 1, False, 3), (2, 2, True, 1), (3, 2, False, 1)]
    assert store.take([sent(2)]) == [Verdict.AGAIN]  # of a closed batch, and it changes nothing there
    assert [one.reports for one in store.batches()] == [3, 1, 1]


def test_a_report_that_is_repeated_begins_no_batch(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.take([sent(1)])
    store.close_batches([1])
    store.take([sent(1)])
    with store._engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM batches")).scalar_one() == 1


@pytest.mark.parametrize("turns", [True, False])
def test_who_closes_waits_for_who_writes(
    store: Store, database: str, monkeypatch: pytest.MonkeyPatch, turns: bool
) -> None:
    """A report has its batch and is not written yet. Without turns, in PostgreSQL, it would enter a closed one."""
    if not turns:
        if database.startswith("sqlite"):
            pytest.skip("SQLite takes turns by itself")
        for module in (geopriv.collector.batches, geopriv.collector.store):
            monkeypatch.setattr(module, "await_turn", lambda *_, **__: None)
    chosen, go_on = threading.Event(), threading.Event()
    store.take([sent(0)])
    original = geopriv.collector.batches.open_batch

    def slow(connection: sa.Connection) -> int:
        found = original(connection)
        chosen.set()
        assert go_on.wait(30)
        return found

    monkeypatch.setattr(geopriv.collector.store, "open_batch", slow)
    with ThreadPoolExecutor(2) as pool:
        try:
            writing = pool.submit(store.take, [sent(1)])
            assert chosen.wait(30)
            closing_it = pool.submit(store.close_batches, [1])
            waits = not _ends(closing_it.result, 0.3)
        finally:
            go_on.set()
        assert writing.result(30) == [Verdict.COUNTED]
        closing_it.result(30)
    assert waits is turns


def _ends(result: object, seconds: float) -> bool:
    try:
        result(seconds)  # type: ignore[operator]
    except TimeoutError:
        return False
    return True


def test_a_batch_stays_as_it_was_published_while_another_process_takes_reports(
    store: Store, database: str, tmp_path: Path
) -> None:
    """Published again and again in the middle: no closed batch grows, and every acknowledged report is in one."""
    command = [sys.executable, "-c", RECEIVER, database]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as receiver:
        assert receiver.stdin is not None
        assert receiver.stdout is not None
        try:
            lines = [receiver.stdout.readline() for _ in range(5)]
            published: dict[int, set[str]] = {}
            for k in range(8):
                lines += [receiver.stdout.readline() for _ in range(3)]  # some came since
                done = publish(DESIGN, store, tmp_path / f"{k}.ndjson")
                new = {one.number for one in done.batches} - set(published)
                published |= {number: ids(store, number) for number in new}
                assert len(ids_of(tmp_path / f"{k}.ndjson")) == done.reports
        finally:
            receiver.stdin.close()
        acknowledged = {line.strip() for line in (*lines, *receiver.stdout)} - {"ready"}
    publish(DESIGN, store, tmp_path / "last.ndjson")
    assert ids_of(tmp_path / "last.ndjson") == acknowledged
    assert len(published) >= 4
    assert {number: ids(store, number) for number in published} == published


def ids(store: Store, number: int) -> set[str]:
    return {bytes(row[0]).hex() for rows in store.reports([number]) for row in rows}


def ids_of(path: Path) -> set[str]:
    found = [json.loads(line)["id"] for line in path.read_text().splitlines()]
    assert len(found) == len(set(found))
    return set(found)


GROUPED = gp.Design(
    "grouped",
    DESIGN.mechanisms * 2,
    (1, 1),
    DESIGN.questions,
    gp.Source((), (-10.0,), (10.0,)),
    gp.queries.Groups("county", ("one", "two")),
)


@pytest.mark.parametrize("name", ["reports.parquet", "reports.ndjson"])
def test_what_is_published_gives_the_answers_that_were_live(service: Service, tmp_path: Path, name: str) -> None:
    store = service.live.store
    store.take([sent(k, k % 7 - 3) for k in range(60)])
    done = publish(DESIGN, store, tmp_path / name)
    live = service.live.answers()
    assert live is not None
    assert done.reports == 60
    assert gp.estimate(DESIGN, tmp_path / name).to_document() == live.to_document()
    again = publish(DESIGN, store, tmp_path / f"again.{name}")
    assert (tmp_path / name).read_bytes() == again.output.read_bytes()


def test_a_file_holds_the_batches_that_were_asked_for(store: Store, tmp_path: Path) -> None:
    store.take([sent(1)])
    store.close_batches([1])
    store.take([sent(2), sent(3)])
    done = publish(DESIGN, store, tmp_path / "first.ndjson", [1])
    assert ids_of(done.output) == {sent(1).id.hex()}
    assert [one.closed for one in store.batches()] == [True, False]  # what was not published goes on
    assert ids_of(publish(DESIGN, store, tmp_path / "all.ndjson").output) == {sent(k).id.hex() for k in (1, 2, 3)}
    with pytest.raises(InvalidParameter, match=r"one that has reports, 1 to 2\. Got 7"):
        publish(DESIGN, store, tmp_path / "none.ndjson", [7])
    assert not (tmp_path / "none.ndjson").exists()


def test_groups_and_mechanisms_are_published_with_their_reports(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path}/survey.sqlite")) as store:
        store.begin(GROUPED.hash, False)
        store.take([Sent(bytes([k]) * 16, k % 2, k % 3 % 2, f"[{k}]", None) for k in range(20)])
        publish(GROUPED, store, tmp_path / "reports.ndjson")
    rows = [json.loads(line) for line in (tmp_path / "reports.ndjson").read_text().splitlines()]
    found = sorted((row["report"][0], row["mechanism"], row["group"], row["id"]) for row in rows)
    assert found == [(k, k % 2, k % 3 % 2, bytes([k]).hex() * 16) for k in range(20)]


@pytest.mark.parametrize("report", ["[]", "[1, 2]", f"[{1 << 60}]"])
def test_what_cannot_be_published_leaves_no_file(tmp_path: Path, report: str) -> None:
    output = tmp_path / "reports.parquet"
    with closing(Store(f"sqlite:///{tmp_path}/survey.sqlite")) as store:
        with pytest.raises(InvalidParameter, match="holds no survey"):
            publish(DESIGN, store, output)
        store.begin(DESIGN.hash, False)
        with pytest.raises(InvalidParameter, match="no report to publish"):
            publish(DESIGN, store, output)
        store.take([sent(1), Sent(bytes(16), 0, None, report, None)])
        with pytest.raises(InvalidParameter, match="must be of this design"):
            publish(GROUPED, store, output)
        assert not store.batches()[0].closed
        with pytest.raises(GeoprivError):
            publish(DESIGN, store, output)
    assert [path.name for path in tmp_path.iterdir() if "reports" in path.name] == []


def test_tables_are_those_that_the_migrations_make(store: Store) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with store._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


@pytest.mark.parametrize("more", [0, 60])
def test_days_are_compared_in_numbers_and_in_words(
    client: TestClient, service: Service, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    """One day in three has other reports, or not."""
    assert "cannot be compared yet" in client.get("/v1/shifts").json()["words"]
    for k in range(3):
        monkeypatch.setattr(geopriv.collector.batches, "today", lambda k=k: date(2030, 1, 1 + k))
        rows = [sent(1_000 * k + j, j % 5 if j >= more * (k == 1) else 40) for j in range(300)]
        service.live.store.take(rows)
        if k == 1:  # what came later on that day is of the same day
            service.live.store.close_batches([2])
            service.live.store.take([sent(9_999)])
    found = client.get("/v1/shifts").json()
    assert [(one["name"], one["reports"]) for one in found["days"]] == [
        ("2030-01-01", 300),
        ("2030-01-02", 301),
        ("2030-01-03", 300),
    ]
    assert found["differ"] is bool(more)
    if more:
        assert found["oddest"] == "2030-01-02"
        assert found["moved"]["question"] == "above"
    assert client.get("/v1/overview").json()["shifts"] == found
