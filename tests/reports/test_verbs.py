"""One verb for every source: the engine that takes what is given does the work, and no other is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.reports.engines.arrow.engine import Arrow
from tests.designs import small_table

QUERY = gp.Threshold(0.0, 2.0)
SOURCE = gp.Source(("income",), low=(-4.0,), high=(4.0,))
DESIGN = gp.Design("survey", (small_table(QUERY, 1.0),), questions=(gp.Share("above", QUERY),), source=SOURCE)
PEOPLE = pa.table({"income": np.linspace(-4.0, 4.0, 100)})


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """A folder with a file of reports."""
    (tmp_path / "sent").mkdir()
    gp.privatize(DESIGN, PEOPLE, tmp_path / "sent" / "reports.parquet", register=tmp_path / "register.sqlite")
    return tmp_path / "sent"


def test_files_folders_tables_and_queries_are_counted_alike(reports: Path) -> None:
    file = reports / "reports.parquet"
    whole = gp.tally(DESIGN, file)
    assert whole.n == 100
    table = pq.read_table(file)
    query = gp.Sql(f"from '{file}'")
    for given in (str(file), [file], reports, [reports], table, table.to_pandas(), query, reports.iterdir()):
        assert gp.tally(DESIGN, given) == whole
    for engine in ("arrow", "duckdb", Arrow()):
        assert gp.tally(DESIGN, reports, engine=engine) == whole


def test_a_table_in_memory_is_judged_as_a_file_is(reports: Path) -> None:
    table = pq.read_table(reports / "reports.parquet")
    twice = gp.tally(DESIGN, pa.concat_tables([table, table]))
    assert (twice.n, twice.rejected["repeated id"]) == (100, 100)
    with pytest.raises(gp.InvalidParameter, match="has no column 'design'"):
        gp.tally(DESIGN, gp.tally(DESIGN, table).to_table())


@pytest.mark.parametrize("name", ["arrow", "duckdb"])
def test_every_engine_reads_people_of_a_file(name: str, tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    done = gp.privatize(DESIGN, tmp_path / "people.parquet", tmp_path / "reports.parquet", engine=name)
    assert (done.rows, done.reports) == (100, 100)


@pytest.mark.parametrize(
    ("given", "engine", "words"),
    [
        ([1.0], None, "must be a path, a query"),
        (7, None, "must be a path, a query"),
        (PEOPLE, "duckdb", "must be arrow, for what is given"),
        (gp.Sql("select 1 as income"), "arrow", "must be duckdb or spark, for what is given"),
        (gp.Sql("select 1 as income", "people.duckdb"), "spark", "must be duckdb, for what is given"),
        (PEOPLE, "dask", "must be one of arrow, duckdb, spark"),
    ],
)
def test_what_no_engine_or_another_one_takes_is_refused(given: Any, engine: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match=words):
        gp.privatize(DESIGN, given, tmp_path / "reports.parquet", engine=engine)
    with pytest.raises(gp.InvalidParameter, match=words):
        gp.tally(DESIGN, given, engine=engine)
    assert list(tmp_path.iterdir()) == []
