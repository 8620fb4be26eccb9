"""Readers of people's rows: one table in many forms, and what is wrong with it told in one sentence without a value."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.reports.engines.arrow import files
from geopriv.reports.engines.duckdb.sql import Sql, sql_batches
from geopriv.reports.engines.people import People
from geopriv.reports.engines.reading import BATCH, RAGGED, Reading
from geopriv.reports.engines.rows import (
    FINE,
    REASONS,
    read_numbers,
    read_rows,
)
from tests.designs import table_design
from tests.sources import Seeded

pd, pl = (pytest.importorskip(name) for name in ("pandas", "polars"))

SECRET = "987654321"
INCOMES = [12.5, -3.0, 1e6, 0.0]
TABLE = pa.table({"name": ["a", "b", "c", "d"], "income": INCOMES, "other": [1, 2, 3, 4]})
TEXT = "name,income,other\na,12.5,1\nb,-3,2\nc,1e6,3\nd,0.0,4\n"


Data = Any


def batches(data: Data, reading: Reading) -> Iterator[pa.RecordBatch]:
    """By the engine that takes it."""
    return sql_batches(data, reading) if isinstance(data, Sql) else files.batches(data, reading)


def read(data: Data, *columns: str) -> pa.Table:
    return pa.Table.from_batches(list(batches(data, Reading(columns or ("income",)))))


def values(data: Data) -> list[float]:
    found = [read_rows(batch, ("income",), gp.Line()) for batch in batches(data, Reading(("income",)))]
    assert all((status == FINE).all() for _, status in found)
    return [float(value) for numbers, _ in found for value in numbers[:, 0]]


def write_arrow(path: Path, table: pa.Table, stream: bool = False) -> None:
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(path, table.schema) as file:
        file.write_table(table)


def in_folder(folder: Path) -> Path:
    (folder / "people" / "deeper").mkdir(parents=True)
    (folder / "people" / "_SUCCESS").write_text("")
    (folder / "people" / ".hidden.csv").write_text("nothing of the kind")
    (folder / "people" / "1.csv").write_text("name,income\na,12.5\n")
    pq.write_table(TABLE.slice(1, 1), folder / "people" / "2.parquet")
    write_arrow(folder / "people" / "deeper" / "3.arrow", TABLE.slice(2))
    return folder / "people"


def in_database(folder: Path) -> Sql:
    with duckdb.connect(folder / "people.duckdb") as connection:
        connection.sql("create table people(name text, income decimal(12, 2))")
        connection.sql("insert into people values ('a', 12.5), ('b', -3), ('c', 1e6), ('d', 0)")
    return Sql("select * from people order by name", folder / "people.duckdb")


def written(name: str, content: bytes | str) -> Callable[[Path], Data]:
    def write(folder: Path) -> Data:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return folder / name

    return write


def parquet(folder: Path, table: pa.Table = TABLE, **options: Any) -> Path:
    pq.write_table(table, folder / "people.parquet", **options)
    return folder / "people.parquet"


def arrow(folder: Path, table: pa.Table = TABLE, stream: bool = False) -> Path:
    write_arrow(folder / "people.arrow", table, stream)
    return folder / "people.arrow"


FORMS: dict[str, Callable[[Path], Data]] = {
    "csv": written("people.csv", TEXT),
    "csv with a mark": written("people.csv", "\ufeff" + TEXT),
    "csv of Windows": written("people.CSV", TEXT.replace("\n", "\r\n")),
    "csv of old": written("people.csv", TEXT.replace("\n", "\r")),
    "csv without a last end": written("people.csv", TEXT[:-1]),
    "csv with quotes and spaces": written("people.csv", TEXT.replace("12.5", '" +12.5 "').replace("name", '"name"')),
    "csv in another encoding": written("people.csv", TEXT.replace("a,", "\xe9,").encode("latin-1")),
    "tsv": written("people.tsv", TEXT.replace(",", "\t")),
    "packed": written("people.csv.gz", gzip.compress(TEXT.encode())),
    "packed in two": written("people.csv.gz", gzip.compress(TEXT[:30].encode()) + gzip.compress(TEXT[30:].encode())),
    "parquet": parquet,
    "parquet in small groups": lambda folder: parquet(folder, row_group_size=1),
    "parquet of texts": lambda folder: parquet(folder, pa.table({"income": ["12.5", "-3", " 1e6", "0.0"]})),
    "parquet of categories": lambda folder: parquet(
        folder, pa.table({"income": pa.array(INCOMES).dictionary_encode()})
    ),
    "arrow": arrow,
    "arrow stream": lambda folder: arrow(folder, stream=True),
    "folder": in_folder,
    "query": lambda folder: Sql(f"select income from '{parquet(folder)}'"),
    "database": in_database,
    "text of a path": lambda folder: str(parquet(folder)),
    "table": lambda _: TABLE,
    "reader": lambda _: TABLE.to_reader(),
    "pandas": lambda _: pd.DataFrame({"income": INCOMES}),
    "polars": lambda _: pl.DataFrame({"income": INCOMES}),
    "single precision": lambda _: pa.table({"income": pa.array(INCOMES, pa.float32())}),
    "decimals": lambda _: pa.table({"income": [Decimal("12.5"), Decimal(-3), Decimal(10**6), Decimal(0)]}),
    "views": lambda _: pa.table({"income": pa.array(["12.5", "-3", "1e6", "0"], pa.string_view())}),
}


@pytest.mark.parametrize("form", FORMS)
def test_one_table_is_read_from_every_form_in_its_order(form: str, tmp_path: Path) -> None:
    assert values(FORMS[form](tmp_path)) == INCOMES


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "table", "reader", "query", "folder"])
def test_only_the_wanted_columns_are_read(form: str, tmp_path: Path) -> None:
    found = batches(FORMS[form](tmp_path), Reading(("income",)))
    assert all(batch.schema.names == ["income"] for batch in found)


@pytest.mark.parametrize("form", ["csv", "packed", "parquet", "parquet in small groups", "arrow", "table", "folder"])
def test_the_share_that_is_read_ends_at_one(form: str, tmp_path: Path) -> None:
    reading = Reading(("income",))
    list(batches(FORMS[form](tmp_path), reading))
    assert reading.share == pytest.approx(1.0)


def test_a_long_batch_comes_in_slices(tmp_path: Path) -> None:
    table = pa.table({"income": np.arange(2 * BATCH + 5.0)})
    sizes = [batch.num_rows for batch in batches(arrow(tmp_path, table), Reading(("income",)))]
    assert sizes == [BATCH, BATCH, 5]


def test_reading_a_long_file_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    path = parquet(
        tmp_path, pa.table({"income": np.random.default_rng(0).uniform(size=3_000_000)}), row_group_size=10**6
    )

    def most(found: Iterable[pa.RecordBatch]) -> int:
        before = int(pa.total_allocated_bytes())
        return max(int(pa.total_allocated_bytes()) - before for _ in found)

    assert most(batches(path, Reading(("income",)))) < 8e6
    assert most(pq.ParquetFile(path).iter_batches(BATCH)) > 16e6  # what would happen by default


# ---- what is in a cell

CELLS = {
    "1.5": "", "-2": "", "+3": "", " 4\t": "", ".5": "", "5.": "", "1e3": "", "1E-3": "", "1e-400": "", "007": "",
    "": "missing", " ": "missing", None: "missing",
    "1,000": "not a number", "1 000": "not a number", "1_000": "not a number",
    "0x10": "not a number", "a": "not a number",
    "1e": "not a number", "--1": "not a number", "+-1": "not a number", "1.2.3": "not a number", "٣": "not a number",
    "$5": "not a number",
    "5%": "not a number", "1\n2": "not a number", "e5": "not a number", ".": "not a number",
    "true": "not a number", "1d": "not a number", "1\x00": "not a number", "½": "not a number", "N/A": "not a number",
    "nan": "not finite", "NaN": "not finite", "-inf": "not finite", "Infinity": "not finite", "1e400": "not finite",
    "nan(7)": "not finite",
}  # fmt: skip


@pytest.mark.parametrize("company", [[], ["1"], ["x"], ["x", "", "1"]], ids=str)
@pytest.mark.parametrize(("cell", "reason"), CELLS.items(), ids=repr)
def test_a_text_is_read_alike_in_any_company(cell: str | None, reason: str, company: list[str]) -> None:
    numbers, status = read_numbers(pa.array([cell, *company], pa.string()), "income")
    assert REASONS[status[0]] == reason
    if not reason:
        assert cell is not None
        assert numbers[0] == float(cell)


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.decimal128(38, 0), pa.decimal256(60, 2)], ids=str)
def test_whole_numbers_that_floats_do_not_hold_never_move_apart(kind: pa.DataType) -> None:
    held = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 3, None, 2**62]
    numbers, status = read_numbers(pa.array(held, kind), "income")
    assert numbers[[0, 1, 2, 3, 5]].tolist() == [2.0**53 - 1, *[2.0**53] * 4]
    assert [REASONS[code] for code in status.tolist()] == ["", "", "", "", "missing", ""]


@pytest.mark.parametrize(
    ("column", "reasons"),
    [
        (pa.array([1.0, None, np.nan, np.inf]), ["", "missing", "not finite", "not finite"]),
        (pa.array([1, None, 2**63 - 1]), ["", "missing", ""]),
        (pa.array([2**64 - 1], pa.uint64()), [""]),
        (pa.nulls(2), ["missing", "missing"]),
        (pa.array([b"1", b"\xff", None]), ["", "not a number", "missing"]),
    ],
)
def test_cells_of_other_types_have_their_reasons_too(column: pa.Array, reasons: list[str]) -> None:
    assert [REASONS[code] for code in read_numbers(column, "income")[1]] == reasons


@pytest.mark.parametrize(
    "column",
    [
        pa.array([True]),
        pa.array([0], pa.timestamp("us")),
        pa.array([0], pa.date32()),
        pa.array([[1.0]]),
        pa.array([{SECRET: 1}]),
        pa.array([[{SECRET: 1}]]),
    ],
    ids=lambda column: str(column.type),
)
def test_a_column_of_something_else_is_refused_by_its_type(column: pa.Array) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'income' must hold numbers; it holds \w+\.$"):
        read_numbers(column, "income")


def test_a_row_has_the_first_of_its_reasons_and_a_map_has_ends() -> None:
    columns = {"lat": [40.0, 90.5, -90.0, None, 1e9, 0.0], "lon": [-74.0, 0.0, 360.0, np.nan, np.inf, -181.0]}
    batch = pa.table(columns).to_batches()[0]
    _, status = read_rows(batch, ("lat", "lon"), gp.Earth())
    found = [REASONS[code] for code in status]
    assert found == ["", "not on the map", "", "missing", "not finite", "not on the map"]
    assert [REASONS[code] for code in read_rows(batch, ("lat", "lon"), gp.Plane())[1]][1] == ""


# ---- what is wrong with a file

LONG = "income\n" + "".join(f"{SECRET}.{k}\n" for k in range(2000))
PARQUET = io.BytesIO()
pq.write_table(pa.table({"income": np.arange(1000.0)}), PARQUET)
STREAM = io.BytesIO()
with pa.ipc.new_stream(STREAM, TABLE.schema) as _file:
    _file.write_table(TABLE)

BAD: dict[str, tuple[Callable[[Path], Data], str]] = {
    "nothing there": (lambda folder: folder / "none.csv", "no file"),
    "an empty file": (written("people.csv", ""), "empty"),
    "an empty folder": (lambda folder: folder, "no files"),
    "another kind": (written("people.xlsx", SECRET), r"must be one of \.csv"),
    "another kind in a folder": (lambda folder: Path(str(written("a.txt", SECRET)(folder))).parent, "must be one of"),
    "no header": (written("people.csv", f"{SECRET},3\n4,5\n"), "begins with values"),
    "no header and no number": (written("people.csv", f"Ann {SECRET},unknown\nBob,none\n"), "begin with a line"),
    "no header but words": (written("people.csv", f"Ann,unknown\nBob,{SECRET}\n"), "begins with values"),
    "no such column": (written("people.csv", f"who,wages\nAnn,{SECRET}\n"), "nor one of a name like it"),
    "no header but a name": (written("people.csv", f'{SECRET} Ann,"1,000"\nBob,5\n'), "begins with values"),
    "an empty first line": (written("people.csv", f"\n{SECRET}\n"), "column names"),
    "another encoding": (written("people.csv", f"income\n{SECRET}\n".encode("utf-16")), "column names"),
    "a column that is not there": (written("people.csv", f"incone,b\n{SECRET},1\n"), "Did you mean 'incone'"),
    "a column twice": (written("people.csv", f"income,income\n{SECRET},1\n"), "2 columns"),
    "a quote that swallows lines": (written("people.csv", f'a,income\n1,{SECRET}\n"2,3\n4,5\n"6,7\n8,9\n'), "quote"),
    "a quote to the end": (written("people.csv", f'a,income\n1,2\n"3,{SECRET}\n4,5\n'), "quote"),
    "a quote over blocks": (written("people.csv", f'a,income\n"{SECRET},1\n' + "2,3\n" * 2_000_000), "quote|damaged"),
    "a line break in a value": (written("people.csv", f'a,income\n"x\ny",{SECRET}\n'), "line break"),
    "a cut gzip": (written("people.csv.gz", gzip.compress(LONG.encode())[:-20]), "damaged"),
    "no gzip": (written("people.csv.gz", LONG), "damaged"),
    "a cut Parquet": (written("people.parquet", PARQUET.getvalue()[:-30]), "damaged"),
    "a Parquet without its middle": (
        written("people.parquet", PARQUET.getvalue()[:60] + bytes(3000) + PARQUET.getvalue()[3060:]),
        "damaged",
    ),
    "no Parquet": (written("people.parquet", LONG), "damaged"),
    "a cut stream": (written("people.arrow", STREAM.getvalue()[:-200]), "damaged"),
    "no stream": (written("people.arrow", LONG), "damaged"),
    "a Parquet of others": (lambda folder: parquet(folder, pa.table({"wages": [1.0]})), "Its columns are 'wages'"),
    "values as names": (lambda _: pa.table({f"{SECRET}k": [1.0], "wages": [2.0]}), "are 'wages', and 1 not shown"),
    "a value in a name": (lambda _: pa.table({f"incom {SECRET}": [1.0]}), "are none, and 1 not shown"),
    "a table of others": (lambda _: pa.table({"wages": [1.0]}), "no column 'income'"),
    "a query of nothing": (lambda _: Sql("create table a(income int)"), "one statement that reads"),
    "no query": (lambda _: Sql("selec 1"), "syntax"),
    "a query of others": (lambda _: Sql("select 1 as wages"), "no column 'income'"),
    "a query that names nobody": (lambda _: Sql("select income from folks"), "folks does not exist"),
    "a query of a wrong column": (lambda _: Sql(f"select earnings from (select {SECRET} as income)"), "is not there"),
    "a query that fails": (lambda _: Sql(f"select ('x' || '{SECRET}')::double as income"), "cannot be run|stopped"),
    "a query that fails late": (
        lambda _: Sql(f"select (if(range = 300000, 'x{SECRET}', '1'))::int as income from range(600000)"),
        "stopped",
    ),
    "a variable of Python": (lambda _: Sql("select income from TABLE_OF_MINE"), "does not exist"),
    "no database": (lambda folder: Sql("select 1 as income", folder / "none.duckdb"), "no database"),
    "no database but a text": (
        lambda folder: Sql("select 1 as income", str(written("a.duckdb", LONG)(folder))),
        "cannot be run",
    ),
}  # fmt: skip
TABLE_OF_MINE = TABLE


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_one_sentence_without_a_value(name: str, tmp_path: Path) -> None:
    make, words = BAD[name]
    with pytest.raises(gp.InvalidParameter, match=words) as caught:
        read(make(tmp_path))
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None  # nothing that quotes a value is behind it


@pytest.mark.parametrize("text", ["income", "income\n", "income\r\n"])
def test_a_header_alone_is_no_rows(text: str, tmp_path: Path) -> None:
    assert list(batches(written("people.csv", text)(tmp_path), Reading(("income",)))) == []


def test_rows_of_another_length_are_counted_and_the_others_read(tmp_path: Path) -> None:
    data = written("people.csv", "a,income\n1,2\n3\n4,5,6\n7,8\n")(tmp_path)
    reading = Reading(("income",))
    assert sum(batch.num_rows for batch in batches(data, reading)) == 2
    assert reading.left_out == {RAGGED: 2}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("length", [(1 << 22) + k for k in (-2, -1, 0, 1, 2)])
def test_lines_are_counted_over_the_ends_of_blocks(end: str, length: int, tmp_path: Path) -> None:
    """A file is refused when lines and rows differ, so a wrong count would be an error here."""
    row = "7," + "x" * 61 + end
    text = "income,note" + end + row * ((length // len(row)) - 1)
    text += "7," + "y" * (length - len(text) - 2 - len(end)) + end + row * 3
    data = written("people.csv", text)(tmp_path)
    assert read(data).num_rows == text.count(end) - 1


# ---- who is who


def names(*given: Any, kind: pa.DataType | None = None) -> pa.RecordBatch:
    return pa.table({"who": pa.array(given, kind)}).to_batches()[0]


def test_a_name_has_one_key_and_another_run_another_one() -> None:
    batch = names("a", "b", "a", "ä")
    people = People("who")
    keys = people.keys(people.names(batch), 4)
    assert (keys[0] == keys[2]).all()
    assert len({tuple(key) for key in keys.tolist()}) == 3
    again = People("who")
    assert not (again.keys(again.names(batch), 4) == keys).any()


def test_a_number_and_its_text_are_one_name_and_an_empty_one_is_none() -> None:
    people = People("who", Seeded(0))
    forms = [names(12, None), names("12", ""), names(b"12", b""), names("12", None, kind=pa.large_string())]
    found = [people.names(batch) for batch in forms]
    assert all(name is not None and name.to_pylist() == [b"12", None] for name in found)


COMPOSED, APART = "Ren\u00e9", "Rene\u0301"


def test_spaces_around_a_name_and_how_its_accents_are_written_make_nobody_else() -> None:
    people = People("who", Seeded(0))
    given = ["anna", " anna", "anna\t", "\u00a0anna ", COMPOSED, APART, f" {APART}\n", " ", "\u3000", None]
    wanted = [*[b"anna"] * 4, *[COMPOSED.encode()] * 3, None, None, None]
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        assert people.names(names(*given, kind=kind)).to_pylist() == wanted  # type: ignore[union-attr]
    raw = [None if text is None else text.encode() for text in given]
    assert people.names(names(*raw, kind=pa.binary())).to_pylist() == wanted  # type: ignore[union-attr]


def test_other_texts_are_other_people() -> None:
    people = People("who", Seeded(0))
    given = ["anna", "Anna", "an na", "\u0430nna", "1", "1.0", "01", "+1", "1e0", "anna\u200b", "ﬁn", "fin"]
    found = people.names(names(*given))
    assert found is not None
    assert len(set(found.to_pylist())) == len(given)


def test_bytes_that_are_no_text_are_names_too_and_leave_the_others_what_they_are() -> None:
    """A CSV in Latin-1, in which plain names are the same bytes."""
    given = ["René ".encode("latin-1"), b" anna ", APART.encode(), b"\xff", "René".encode("latin-1"), b" ", None]
    found = People("who", Seeded(0)).names(names(*given, kind=pa.binary()))
    assert found is not None
    latin = "René".encode("latin-1")
    assert found.to_pylist() == [latin, b"anna", COMPOSED.encode(), b"\xff", latin, None, None]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0, 12.0, None, -3.0, 2.0**53 - 1]),
        pa.array([1.0, 12.0, float("nan"), -3.0, 2.0**53 - 1]),  # as pandas has whole numbers of which some are missing
        pa.array([1, 12, None, -3, 2**53 - 1]),
        pa.array([1, 12, None, -3, 2**53 - 1], pa.decimal128(20, 2)),
        pa.array([1, 12, None, -3, 2**53 - 1], pa.decimal256(60, 30)),
    ],
    ids=lambda column: str(column.type),
)
def test_whole_numbers_are_the_same_names_in_columns_of_every_kind(column: pa.Array) -> None:
    found = People("who", Seeded(0)).names(pa.RecordBatch.from_arrays([column], ["who"]))
    assert found is not None
    assert found.to_pylist() == [b"1", b"12", None, b"-3", b"9007199254740991"]
    zero = pa.RecordBatch.from_arrays([pa.array([-0.0, 0.0])], ["who"])
    assert People("who").names(zero).to_pylist() == [b"0", b"0"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "given",
    [
        names(None, kind=pa.bool_()),
        names(None, kind=pa.timestamp("us")),
        names(1.5, 1.0),
        names(float("inf")),
        names(2.0**53),  # a neighbour may have become the same float
        names("1.50", kind=pa.string()).cast(pa.schema([("who", pa.decimal128(5, 2))])),
    ],
    ids=lambda batch: f"{batch.schema.types[0]} {batch.num_rows}",
)
def test_a_column_that_cannot_name_people_is_refused(given: pa.RecordBatch) -> None:
    with pytest.raises(gp.InvalidParameter, match="'who' must hold texts or whole numbers") as caught:
        People("who").names(given)
    assert "1.5" not in str(caught.value)


@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_a_person_whose_name_is_written_in_several_ways_reports_once(form: str, tmp_path: Path) -> None:
    people = {"who": ["anna", "anna ", COMPOSED, APART, "1", "1.0"], "income": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    table = pa.table(people)
    given: Any = table
    if form != "frame":
        given = tmp_path / f"people.{form}"
        (pq.write_table if form == "parquet" else pacsv.write_csv)(table, given)
    design = table_design(gp.Threshold(0.0, 2.0))
    source = gp.Source(("income",), (), (), "who")
    design, output = replace(design, source=source), tmp_path / "reports.parquet"
    told = gp.privatize(design, given, output, register=tmp_path / "register", allow_odd=True)
    assert (told.reports, told.repeated) == (4, 2)


def test_rows_without_names_have_keys_of_their_own() -> None:
    keys = People("").keys(None, 1000)
    assert len(np.unique(keys)) == 2000
