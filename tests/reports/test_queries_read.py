"""A query is one statement that reads: anything else is refused before it is run."""

from __future__ import annotations

import socket
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import geopriv as gp
from geopriv.commands.cli import main
from geopriv.reports.engines.duckdb.sql import connected, sql_batches
from geopriv.reports.engines.reading import Reading
from geopriv.surveys.design import Design
from tests.designs import small_table

INCOME = gp.Source(("income",), low=(-4.0,), high=(4.0,))
DESIGN = Design("survey", (small_table(gp.Threshold(0.0, 2.0), 1.0),), source=INCOME)


def rows(query: str, database: Path | None = None) -> int:
    """How many rows of incomes a query gives."""
    return sum(batch.num_rows for batch in sql_batches(gp.Sql(query, database), Reading(("income",))))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where there are a database and a table of people."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(tmp_path / "people.duckdb") as connection:
        connection.execute("CREATE TABLE people AS SELECT 1.0 AS income FROM range(5)")
        connection.execute("COPY people TO 'people.csv'")
    return tmp_path


READS = [
    "select income from people",
    "SELECT income FROM people;  -- all of them",
    "/* people */ from people",
    "with few as (from people limit 3) select * from few",
    "select * from (values (1.0), (2.0)) t(income)",
    "table people",
    "(from people) union all (select i::double from range(3) t(i))",
    "from 'people.csv'",
    "select income from read_csv('people.csv'), unnest([1, 2])",
    "from people where income > (select avg(income) - 1 from people)",
]


@pytest.mark.parametrize("query", READS)
def test_what_reads_is_run(query: str, folder: Path) -> None:
    assert rows(query, folder / "people.duckdb") > 0


ACTS = [
    "copy (select 1) to 'made.csv'",
    "copy (select 1) to 'made.csv'; select 1.0 as income",
    "select 1.0 as income; copy (select 1) to 'made.csv'",
    "select 1.0 as income; select 2.0 as income",
    "create table made as select 1.0 as income",
    "insert into people values (2.0)",
    "delete from people returning income",
    "drop table people",
    "attach 'made.duckdb' as other; select 1.0 as income",
    "detach given",
    "export database 'made'",
    "install httpfs",
    "load httpfs",
    "set threads = 1",
    "pragma version",
    "pragma database_list; select 1.0 as income",
    "call pragma_version()",
    "checkpoint",
    "explain analyze select 1",
    "prepare made as select 1",
    "create secret made (type s3)",
    "begin; select 1.0 as income",
    "pivot people on income",
    "",
    ";",
]


@pytest.mark.parametrize("query", ACTS)
def test_what_does_anything_else_is_refused_and_not_run(query: str, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(gp.InvalidParameter, match="must be one statement that reads"):
        rows(query, folder / "people.duckdb")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "query",
    [
        "from enable_logging(level = 'debug', storage = 'file', storage_path = 'made')",
        "select 1.0 as income where exists (from enable_logging())",
        "with a as (from checkpoint()) select 1.0 as income from a",
        "from query('from enable_logging()')",
        "from people, lateral (from enable_logging())",
        "from postgres_execute('given', 'drop table people')",
        "from duckdb_secrets()",
        "select length(getenv('HOME')) as income",
        "select length(write_log('x')) as income from people",
        "from json_execute_serialized_sql('{}')",
    ],
)
def test_a_function_that_does_more_than_read_is_not_called(query: str, folder: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"may not (take rows from|call) \w+\(\)"):
        rows(query, folder / "people.duckdb")
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "people.duckdb"]


def test_what_cannot_be_parsed_is_told(folder: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match='cannot be run: syntax error at or near "selec"'):
        rows("selec income from people")


def test_nothing_is_fetched_unless_it_is_asked_for(folder: Path) -> None:
    """A server that counts who calls. Settings are closed, so that no query can open them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/people.csv"
        for query in (f"from '{address}'", f"from read_csv('{address}')"):
            with pytest.raises(gp.InvalidParameter, match="needs its extension 'httpfs'; --allow-extensions"):
                rows(query)
        with pytest.raises(TimeoutError):
            server.accept()
    wanted = ("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions")
    for allowed in (False, True):
        with connected(replace(gp.Sql("from people", folder / "people.duckdb"), extensions=allowed)) as found:
            told = dict(found.query("given", "select name, value from duckdb_settings()").fetchall())
        assert [told[name] for name in wanted] == [str(allowed).lower()] * 2 + ["false"]
        assert told["lock_configuration"] == "true"


def test_a_database_of_sqlite_is_not_read_by_what_is_fetched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    connection = sqlite3.connect(folder / "people.sqlite")
    connection.execute("CREATE TABLE people (income REAL)")
    connection.close()
    with pytest.raises(gp.InvalidParameter, match=r"extension 'sqlite_scanner'; --allow-extensions"):
        rows("from people", folder / "people.sqlite")
    assert not (folder / ".duckdb").exists()


@pytest.mark.parametrize("verb", ["privatize", "estimate"])
def test_both_verbs_refuse_what_does_not_read(
    verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    DESIGN.write(folder / "design.json")

    def told(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["geopriv", verb, "design.json", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 2
        return capsys.readouterr().err

    assert "must be one statement that reads" in told("--query", "copy (select 1) to 'made.csv'; select 1")
    assert not (folder / "made.csv").exists()
    assert "where DuckDB does the work" in told("people.csv", "--allow-extensions")
