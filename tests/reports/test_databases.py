"""Tables of SQLite and of PostgreSQL: people's rows out of them, and reports counted in them."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.commands.cli import main
from geopriv.surveys.design import Design
from tests.databases import postgres, provide_extensions
from tests.designs import small_table

QUERY = gp.Threshold(0.0, 2.0)
SHARES = (gp.Share("above", QUERY),)
SOURCE = gp.Source(("income",), low=(-4.0,), high=(4.0,), person="who")
DESIGN = Design("survey", (small_table(QUERY, 1.0),), questions=SHARES, source=SOURCE)
PEOPLE = [(f"person {i}", None if i == 3 else 0.01 * i - 2.0) for i in range(400)]
PEOPLE += PEOPLE[:5]
EXPECTED = {"rows": 405, "reports": 399, "repeated": 4, "unread": {"missing": 2}, "earlier": 0, "spent": ""}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("home")
    provide_extensions(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[str]:
    """The address of a PostgreSQL server, which is started here."""
    with postgres() as started:
        values = ", ".join(f"('{who}', {'NULL' if income is None else income})" for who, income in PEOPLE)
        started.psql(f"CREATE TABLE people (who text, income double precision); INSERT INTO people VALUES {values};")
        yield started.get_uri()


@pytest.fixture(scope="module")
def file(home: Path) -> str:
    with sqlite3.connect(home / "it's.sqlite") as database:
        database.execute("CREATE TABLE people (who TEXT, income REAL)")
        database.executemany("INSERT INTO people VALUES (?, ?)", PEOPLE)
    return str(home / "it's.sqlite")


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue("file" if request.param == "sqlite" else "server")
    return found


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["geopriv", *words])
    with pytest.raises(SystemExit) as done:
        main()
    return int(done.value.code or 0)


def test_people_of_a_database_report(database: str, tmp_path: Path) -> None:
    done = gp.privatize(DESIGN, gp.Sql("SELECT * FROM people", database), tmp_path / "reports.parquet")
    assert {name: value for name, value in done.as_json().items() if name != "output"} == EXPECTED
    assert gp.tally(DESIGN, [done.output]).n == 399


def test_the_command_line_reads_it_too(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    DESIGN.write("design.json")
    query = ["--query", "SELECT who, income FROM people", "--database", database]
    assert run(monkeypatch, "privatize", "design.json", *query, "--json") == 0
    assert json.loads(capsys.readouterr().out)["reports"] == 399


def test_reports_are_counted_where_they_are(server: str, file: str, tmp_path: Path) -> None:
    """Lists of PostgreSQL, and their texts in SQLite."""
    done = gp.privatize(DESIGN, gp.Sql("FROM people", file), tmp_path / "reports.parquet")
    expected = gp.tally(DESIGN, [done.output])
    rows = pq.read_table(done.output).to_pylist()
    texts = [(row["design"], row["id"], row["mechanism"], json.dumps(row["report"])) for row in rows]
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE sent (design TEXT, id TEXT, mechanism INTEGER, report TEXT)")
        database.executemany("INSERT INTO sent VALUES (?, ?, ?, ?)", texts)
    assert gp.tally(DESIGN, gp.Sql("FROM sent", file)) == expected
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{server}' AS there (TYPE postgres)")
        connection.execute(f"CREATE TABLE there.sent AS FROM '{done.output}'")
    assert gp.tally(DESIGN, gp.Sql("FROM sent", server)) == expected


def test_it_is_opened_for_reading_only(database: str, tmp_path: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match="query"):
        gp.privatize(DESIGN, gp.Sql("DROP TABLE people", database), tmp_path / "reports.parquet")
    assert gp.privatize(DESIGN, gp.Sql("FROM people", database), tmp_path / "reports.parquet").rows == 405


@pytest.mark.parametrize(
    "address",
    [
        "postgres:host=/nowhere dbname=people password=secret",
        "postgresql://me:secret@localhost:1/people",
        "postgres:it's no address, but a secret",
    ],
)
def test_a_database_that_cannot_be_reached_is_an_error_without_its_password(
    address: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    DESIGN.write("design.json")
    assert run(monkeypatch, "privatize", "design.json", "--query", "FROM people", "--database", address) == 2
    said = capsys.readouterr().err
    assert "cannot be" in said
    assert "secret" not in said
    assert "secret" not in repr(gp.Sql("FROM people", address))


def test_without_its_extension_duckdb_says_what_to_do(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offline = {"extension_directory": str(tmp_path), "custom_extension_repository": str(tmp_path / "none")}
    monkeypatch.setattr("geopriv.reports.engines.duckdb.sql._CONFIG", offline)
    with pytest.raises(gp.InvalidParameter, match=r"extension 'sqlite_scanner'.*INSTALL sqlite"):
        gp.privatize(DESIGN, gp.Sql("FROM people", file), tmp_path / "reports.parquet")
