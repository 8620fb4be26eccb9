"""A copy that was made while reports came serves again, and knows all that was acknowledged before it was made."""

from __future__ import annotations

import json
import shlex
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

from starlette.testclient import TestClient

import geopriv as gp
from geopriv.collector.app import Service, application
from geopriv.collector.publish import publish
from geopriv.collector.server import Settings, service_of
from tests.collector.conftest import DESIGN, KEY
from tests.collector.test_collector import line, send
from tests.databases import postgres_programs

GUIDE = (Path(__file__).parents[2] / "docs" / "collector.md").read_text(encoding="utf-8")


def guide(start: str) -> list[str]:
    """The words of the guide's command that starts so."""
    lines = [line.removeprefix("    umask 077; ").strip().split(" #")[0] for line in GUIDE.splitlines()]
    (found,) = [line for line in lines if line.startswith(start)]
    return shlex.split(found)


def sqlite_copy(database: str, folder: Path) -> str:
    """A copy, as the guide makes it."""
    program, *words = guide("geopriv backup")
    assert (program, words) == ("geopriv", ["backup", "copy.sqlite"])
    code = "from geopriv.commands.cli import main; main()"
    subprocess.run([sys.executable, "-c", code, *words, "--database", database], cwd=folder, check=True)
    return f"sqlite:///{folder}/copy.sqlite"


def postgresql_copy(database: str, folder: Path) -> str:
    """A dump, and a new database of it, as the guide makes them."""
    import psycopg

    programs = postgres_programs()
    where, _, options = database.partition("?")
    start, _, name = where.rpartition("/")
    with psycopg.connect(f"{start}/postgres?{options}", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}_copy".encode())
    restored = f"{start}/{name}_copy?{options}"
    told = {"copy.dump": str(folder / "copy.dump"), "postgresql://collector@db/survey": database}
    told["--dbname=postgresql://collector@db/restored"] = f"--dbname={restored}"
    for command in ("pg_dump", "pg_restore"):
        program, *words = (told.get(word, word) for word in guide(command))
        words = [word.replace("--file=copy.dump", f"--file={folder}/copy.dump") for word in words]
        subprocess.run([programs / program, *words], check=True, capture_output=True)
    return restored


@contextmanager
def speaking(database: str) -> Iterator[tuple[TestClient, Service]]:
    service = service_of(DESIGN, Settings(database, rate=0.0, age=0.0, key=KEY, open_answers=True, together=1))
    with TestClient(application(service), raise_server_exceptions=False) as client:
        yield client, service


COPIES: dict[str, Callable[[str, Path], str]] = {"sqlite": sqlite_copy, "postgresql": postgresql_copy}


def test_a_restored_copy_serves_and_forgets_nothing_before_it(
    client: TestClient, service: Service, invited: list[str], database: str, tmp_path: Path
) -> None:
    """Copied in the middle of reports: 10 are there before, others come while it is made, and the last after it."""
    assert {send(client, invited[k], line(k))[0] for k in range(5)} == {201}
    first = publish(DESIGN, service.live.store, tmp_path / "first.ndjson")
    assert {send(client, invited[k], line(k))[0] for k in range(5, 10)} == {201}
    copied = threading.Event()

    def device() -> int:
        k = 10
        while not copied.is_set() and k < 50:
            assert send(client, invited[k], line(k))[0] == 201
            k += 1
        return k

    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(device)
        try:
            copy = COPIES[database.partition(":")[0]](database, tmp_path)
        finally:
            copied.set()
        last = sending.result(60)
    send(client, invited[last], line(last))
    with speaking(copy) as (again, restored):
        store = restored.live.store
        known = store.counted()
        assert known == store.invitations()[1]  # no token is spent without its report
        assert 10 <= known <= last
        for k in range(10):
            assert send(again, invited[k], line(k)) == (200, "counted before")
            assert send(again, invited[k], line(100 + k)) == (200, "counted before")
        assert again.get("/v1/answers").json()["n"] == known
        assert send(again, invited[55], line(55)) == (201, "counted")
        # what came since is forgotten: a device that sends again is counted, once
        assert send(again, invited[last], line(last)) == (201, "counted")
        assert send(again, invited[last], line(last)) == (200, "counted before")
        # what was published is closed in the copy too, and is the same
        output = tmp_path / "again.ndjson"
        publish(DESIGN, store, output, [one.number for one in first.batches])
        assert output.read_bytes() == first.output.read_bytes()


def test_batches_that_are_published_again_after_an_older_copy_was_restored_count_once(
    client: TestClient, service: Service, invited: list[str], database: str, tmp_path: Path
) -> None:
    """The copy is older than the file: its batch is open again, and takes a report that the file has not."""
    send(client, invited[0], line(0))
    send(client, invited[1], line(1))
    copy = COPIES[database.partition(":")[0]](database, tmp_path)
    publish(DESIGN, service.live.store, tmp_path / "before.ndjson")
    with speaking(copy) as (again, restored):
        send(again, invited[2], line(2))
        publish(DESIGN, restored.live.store, tmp_path / "after.ndjson")
    both = gp.tally(DESIGN, [tmp_path / "before.ndjson", tmp_path / "after.ndjson"])
    assert (both.n, both.rejected["repeated id"]) == (3, 2)


def test_a_report_is_deleted_as_the_guide_says(tmp_path: Path) -> None:
    path = tmp_path / "survey.sqlite"
    _, _, statement = guide('sqlite3 survey.sqlite "PRAGMA secure_delete')
    with speaking(f"sqlite:///{path}") as (client, service):
        from geopriv.collector import tokens

        (token,) = tokens.issue(1)
        service.live.store.invite([tokens.digest(token)])
        send(client, token, line(1))
        name = json.loads(line(1))["id"]
        with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
            connection.executescript(statement.replace("0123456789abcdef0123456789abcdef", name))
        assert service.live.store.counted() == 0
        assert send(client, token, line(2)) == (200, "counted before")
        for file in tmp_path.iterdir():
            assert bytes.fromhex(name) not in file.read_bytes()
