"""Reports counted in SQL: the same counts and the same reasons as by reading the files."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.reports.engines.duckdb.counting import reports_query
from geopriv.reports.files import COLUMNS
from geopriv.surveys.design import Design
from tests.designs import small_table

QUERY = gp.Threshold(0.0, 2.0)
SHARES = (gp.Share("above", QUERY),)
DESIGN = Design("both", (small_table(QUERY, 1.0), gp.Lattice.calibrate(gp.Line(), 1.0)), (1, 2), SHARES)
GOOD: dict[str, Any] = {"design": DESIGN.hash, "mechanism": 0, "report": [1]}


def rows(n: int = 300) -> list[dict[str, Any]]:
    """Reports, and after them what is none."""
    rng = np.random.default_rng(0)
    which, letters, cells = rng.integers(0, 2, n), rng.integers(0, 4, n), rng.normal(0.0, 9.0, n).astype(int)
    sent = np.where(which == 0, letters, cells)
    pairs = zip(which.tolist(), sent.tolist(), strict=True)
    found = [GOOD | {"id": f"{i:032x}", "mechanism": k, "report": [cell]} for i, (k, cell) in enumerate(pairs)]
    found += [found[7], found[7], found[9]]
    found += [GOOD | {"id": f"{990:032x}", "design": "0" * 64}, GOOD | {"id": "X" * 32}, GOOD | {"id": "0" * 31}]
    found += [GOOD | {"id": f"{900 + k:032x}", "mechanism": index} for k, index in enumerate((2, 1 << 40, -1))]
    found += [GOOD | {"id": f"{910 + k:032x}", "report": r} for k, r in enumerate(([4], [-1], [], [1, 1], None))]
    return [*found, GOOD | {"id": f"{920:032x}", "mechanism": 1, "report": [1 << 60]}, GOOD | {"id": None}]


def write(path: Path, found: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        schema = COLUMNS.set(2, pa.field("mechanism", pa.int64()))
        pq.write_table(pa.Table.from_pylist(found, schema), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in found))
    return path


@pytest.mark.parametrize("name", ["reports.parquet", "reports.ndjson"])
def test_files_are_counted_as_by_reading_them(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, rows())
    expected = gp.tally(DESIGN, [path])
    assert expected.n == 300
    assert sum(expected.rejected.values()) == 16
    counted = gp.tally(DESIGN, path, engine="duckdb")
    assert counted == expected
    both = [gp.estimate(DESIGN, tally).to_document() for tally in (expected, counted)]
    assert both[0] == both[1]


def test_lines_that_are_no_reports_are_malformed(tmp_path: Path) -> None:
    path = tmp_path / "reports.ndjson"
    good = GOOD | {"id": f"{1:032x}"}
    mechanisms, reports = (0.5, "0", True, 1 << 63, None), ([1.5], ["1"], "[1]", [[1]], [None], None, [1 << 63], [1e18])
    bad: list[Any] = [good | {"mechanism": index} for index in mechanisms]
    bad += [good | {"report": report} for report in reports]
    bad += [good | {"extra": 1}, good | {"id": 7}, [1], 5, None]
    again: list[Any] = [good | change for change in ({"mechanism": 0.0}, {"report": [1.0]}, {"mechanism": -0.0})]
    path.write_text("".join(json.dumps(line) + "\n" for line in [good, *again, *bad]) + '{"design":\nnot json\n\n')
    counted, expected = gp.tally(DESIGN, path, engine="duckdb"), gp.tally(DESIGN, [path])
    assert expected.n == 1
    assert expected.rejected == {"malformed": 19, "out of range": 2, "repeated id": 3}
    counted.rejected["malformed"] += 1  # to DuckDB an empty line is none
    assert counted == expected


def test_a_line_that_was_cut_off_is_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "reports.ndjson"
    path.write_text(json.dumps(GOOD | {"id": f"{1:032x}"}))
    with pytest.raises(gp.InvalidParameter, match="was cut off"):
        reports_query([path])


def test_a_line_that_is_longer_than_any_report_is_not_read(tmp_path: Path) -> None:
    """DuckDB would take gigabytes for one of 15 MB."""
    path, good = tmp_path / "reports.ndjson", json.dumps(GOOD | {"id": f"{1:032x}"})
    for size, fits in ((4095, True), (4096, False), (1 << 20, False)):
        path.write_text(f"{good}\n{good[:-1].ljust(size - 1)}}}\n{good}\n")
        if fits:
            reports_query([path])
            continue
        with pytest.raises(gp.InvalidParameter, match="longer than any report"):
            reports_query([path])
        assert gp.tally(DESIGN, path).rejected["malformed"] == 1


def test_ids_are_checked_across_files_of_both_kinds(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, rows()) for name in ("it's.parquet", "b.ndjson")]
    expected = gp.tally(DESIGN, paths)
    assert expected.n == 300
    assert gp.tally(DESIGN, paths, engine="duckdb") == expected


def test_reports_are_counted_in_any_table_that_duckdb_reads(tmp_path: Path) -> None:
    """A CSV, and a table of a database: there a report is the text of a list."""
    texts = [row | {"report": json.dumps(row["report"])} for row in rows() if row["report"] is not None and row["id"]]
    numbers = [row | {"report": json.loads(row["report"])} for row in texts]
    expected = gp.tally(DESIGN, [write(tmp_path / "r.parquet", numbers)])
    csv.write_csv(pa.Table.from_pylist(texts), tmp_path / "reports.csv")
    assert gp.tally(DESIGN, gp.Sql(f"select * from '{tmp_path / 'reports.csv'}';")) == expected
    with duckdb.connect(str(tmp_path / "reports.duckdb")) as database:
        database.execute(f"create table sent as from '{tmp_path / 'r.parquet'}'")
    assert gp.tally(DESIGN, gp.Sql("from sent", tmp_path / "reports.duckdb")) == expected


def test_of_two_reports_with_one_id_the_least_counts(tmp_path: Path) -> None:
    one, other = (GOOD | {"id": f"{1:032x}", "report": [letter]} for letter in (3, 2))
    for k, order in enumerate(([one, other], [other, one])):
        counted = gp.tally(DESIGN, write(tmp_path / f"{k}.parquet", order), engine="duckdb")
        assert counted.counts(0).rows.tolist() == [[2]]
        assert counted.rejected == {"repeated id": 1}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select 1 as design", "has no column 'id'"),
        ("select 'a' design, 'b' id, 0.5 mechanism, [1] report", "'mechanism' must hold whole numbers"),
        ("select 'a' design, 'b' id, 0 mechanism, [0.5] report", "'report' must hold lists of whole numbers"),
        ("select", "cannot be run"),
    ],
)
def test_other_columns_are_refused(query: str, message: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=message):
        gp.tally(DESIGN, gp.Sql(query))


@pytest.mark.parametrize("axes", [2, 3])
def test_reports_of_several_numbers_are_counted(axes: int, tmp_path: Path) -> None:
    """Up to two go through one large number, signs, ends and all; three do not fit in it."""
    space = gp.Plane() if axes == 2 else gp.Euclidean(3)
    mechanisms: Any = (gp.Lattice.calibrate(space, 1.0, 1.0),)
    if axes == 2:
        mechanisms = (*mechanisms, small_table(gp.Ball((0.0, 0.0), 3.0, 1.0, space), 1.0))
    design, end = Design("places", mechanisms), (1 << 53) - 1
    cells = [
        [0, 0, 1],
        [-end, end, 0],
        [end, -end, 5],
        [-1, 0, 0],
        [0, -1, 0],
        [0, 0, 1],
        [1 << 53, 0, 0],
        [0, -(1 << 53), 0],
    ]
    found = [
        {"design": design.hash, "id": f"{i:032x}", "mechanism": 0, "report": cell[:axes]}
        for i, cell in enumerate(cells)
    ]
    found += [{"design": design.hash, "id": f"{99 - i:032x}", "mechanism": 1, "report": [i]} for i in range(3)]
    path = write(tmp_path / "reports.parquet", found)
    expected = gp.tally(design, [path])
    assert expected.counts(0).n == 6
    assert gp.tally(design, path, engine="duckdb") == expected


def test_names_of_files_and_folders_are_taken_as_they_are(tmp_path: Path) -> None:
    """Not as a pattern, which another file fits, nor as a column in the place of the file's own."""
    folder = tmp_path / "design=none"
    folder.mkdir()
    for name, n in (("r[1].parquet", 20), ("r1.parquet", 10), ("s[1].ndjson", 20), ("s1.ndjson", 10)):
        write(folder / name, [GOOD | {"id": f"{i:032x}"} for i in range(n)])
    for name in ("r[1].parquet", "s[1].ndjson"):
        counted = gp.tally(DESIGN, folder / name, engine="duckdb")
        assert (counted.n, +counted.rejected) == (20, {})


def test_no_reports_make_an_empty_tally(tmp_path: Path) -> None:
    assert gp.tally(DESIGN, write(tmp_path / "none.parquet", []), engine="duckdb") == gp.Tally(DESIGN)


def test_an_extension_that_cannot_be_fetched_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite and PostgreSQL are read by extensions of DuckDB, which it fetches where it may."""
    sqlite3.connect(tmp_path / "reports.sqlite").close()
    query = f"select * from sqlite_scan('{tmp_path / 'reports.sqlite'}', 'sent')"
    offline = {"extension_directory": str(tmp_path), "custom_extension_repository": str(tmp_path / "none")}
    monkeypatch.setattr("geopriv.reports.engines.duckdb.sql._CONFIG", offline)
    for allowed in (False, True):
        with pytest.raises(gp.InvalidParameter, match="extension 'sqlite_scanner'"):
            gp.tally(DESIGN, gp.Sql(query, extensions=allowed))
