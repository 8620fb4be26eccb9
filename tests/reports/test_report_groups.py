"""Groups that reports carry openly: written, judged, counted and added up alike by every engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from scipy import stats

import geopriv as gp
from geopriv.queries import Groups
from geopriv.reports import ReportBatch, ReportReader, write_reports
from geopriv.reports.drawing import draw_reports
from geopriv.reports.engines.duckdb import counting
from geopriv.reports.engines.labels import read_groups
from geopriv.reports.engines.rows import FINE, NO_GROUP
from geopriv.reports.engines.spark import frames, work
from geopriv.reports.engines.spark import session as spark_session
from geopriv.reports.files import COLUMNS, GROUPED
from geopriv.surveys.design import Design
from tests.designs import grouped_design, small_table, table_design
from tests.java import provide_java
from tests.sources import Seeded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DESIGN = grouped_design()
NAMES = ("Kings", "Queens", "New York")
MIXED = Design(
    "both",
    (small_table(gp.Threshold(0.0, 2.0), 1.0), gp.Lattice.calibrate(gp.Line(), 1.0)),
    (1, 2),
    source=gp.Source(("income",), (-4.0,), (4.0,)),
    groups=Groups("county", NAMES),
)
GOOD: dict[str, Any] = {"design": MIXED.hash, "group": 0, "mechanism": 0, "report": [1]}


def batch(n: int, seed: int, design: Design = DESIGN, mechanism: int = 0) -> ReportBatch:
    rng = np.random.default_rng(seed)
    return ReportBatch(mechanism, rng.integers(0, 4, (n, 1)), groups=rng.integers(0, 3, n))


def lines(found: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in found)


def rows(n: int = 300) -> list[dict[str, Any]]:
    """Reports, and after them what is none; ids come twice with other groups."""
    rng = np.random.default_rng(0)
    which, groups = rng.integers(0, 2, n), rng.integers(0, 3, n)
    sent = np.where(which == 0, rng.integers(0, 4, n), rng.normal(0.0, 9.0, n).astype(int))
    each = zip(which.tolist(), groups.tolist(), sent.tolist(), strict=True)
    found = [
        GOOD | {"id": f"{i:032x}", "mechanism": k, "group": g, "report": [cell]} for i, (k, g, cell) in enumerate(each)
    ]
    found += [found[7], found[9]]
    found += [GOOD | {"id": f"{900 + k:032x}", "group": group} for k, group in enumerate((3, -1, 1 << 31, 1 << 40))]
    found += [{key: value for key, value in GOOD.items() if key != "group"} | {"id": f"{910:032x}"}]
    found += [GOOD | {"id": f"{920:032x}", "group": 7, "mechanism": 9}]  # the group is looked at first
    found += [GOOD | {"id": f"{930:032x}", "group": 9, "design": "0" * 64}, GOOD | {"id": f"{940:032x}", "report": [4]}]
    return found


def test_files_keep_the_group_of_every_report(tmp_path: Path) -> None:
    sent = batch(500, 1)
    for name in ("reports.parquet", "reports.ndjson"):
        assert write_reports(tmp_path / name, DESIGN, [sent]) == 500
        (read,) = ReportReader(DESIGN).read(tmp_path / name)
        assert read.groups is not None
        assert sent.groups is not None
        np.testing.assert_array_equal(read.groups, sent.groups)
        np.testing.assert_array_equal(read.rows, sent.rows)
        assert read.ids == sent.ids
    assert pq.read_schema(tmp_path / "reports.parquet").names == ["design", "group", "id", "mechanism", "report"]
    first = (tmp_path / "reports.ndjson").read_text().splitlines()[0]
    assert first == json.dumps(json.loads(first), sort_keys=True, separators=(",", ":"))
    assert list(json.loads(first)) == ["design", "group", "id", "mechanism", "report"]


def test_files_of_a_design_without_groups_have_the_columns_they_had(tmp_path: Path) -> None:
    plain = table_design()
    write_reports(tmp_path / "r.parquet", plain, [ReportBatch(0, np.zeros((3, 1), dtype=np.int64))])
    write_reports(tmp_path / "r.ndjson", plain, [ReportBatch(0, np.zeros((3, 1), dtype=np.int64))])
    assert pq.read_schema(tmp_path / "r.parquet").names == COLUMNS.names
    assert "group" not in (tmp_path / "r.ndjson").read_text()
    gp.Tally(plain).write(tmp_path / "t.parquet")
    assert pq.read_schema(tmp_path / "t.parquet").names == ["mechanism", "report", "times"]


@pytest.mark.parametrize("groups", [None, np.array([3]), np.array([-1])], ids=str)
def test_a_batch_without_a_group_of_the_design_is_not_counted_or_written(groups: Any, tmp_path: Path) -> None:
    wrong = ReportBatch(0, np.zeros((1, 1), dtype=np.int64), groups=groups)
    with pytest.raises(gp.ReportRejected, match="a group of the design's"):
        gp.Tally(DESIGN).add(wrong)
    with pytest.raises(gp.ReportRejected, match="a group of the design's"):
        write_reports(tmp_path / "r.parquet", DESIGN, [wrong])
    with pytest.raises(gp.ReportRejected, match="none where it has none"):
        gp.Tally(table_design()).add(ReportBatch(0, np.zeros((1, 1), dtype=np.int64), groups=np.array([0])))


# ---- judged alike

REJECTED = {"repeated id": 2, "wrong group": 6, "wrong design": 1, "out of range": 1}


def write(path: Path, found: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        schema = pa.schema([("group", pa.int64()), *list(COLUMNS)])
        pq.write_table(pa.Table.from_pylist(found, schema), path)
    else:
        path.write_text(lines(found))
    return path


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
@pytest.mark.parametrize("name", ["reports.parquet", "reports.ndjson"])
def test_what_has_no_group_of_the_design_is_rejected_with_its_reason(name: str, engine: str, tmp_path: Path) -> None:
    counted = gp.tally(MIXED, write(tmp_path / name, rows()), engine=engine)
    assert counted.n == 300
    assert counted.rejected == REJECTED
    expected = gp.tally(MIXED, write(tmp_path / "other.ndjson", rows()))
    assert counted == expected


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
@pytest.mark.parametrize("name", ["reports.parquet", "reports.ndjson"])
def test_a_group_in_a_design_without_groups_is_rejected(name: str, engine: str, tmp_path: Path) -> None:
    plain = Design("both", MIXED.mechanisms, MIXED.shares)
    found = [row | {"design": plain.hash} for row in rows()[:50]]
    found += [{key: value for key, value in row.items() if key != "group"} | {"id": f"{77:032x}"} for row in found[:1]]
    counted = gp.tally(plain, write(tmp_path / name, found), engine=engine)
    assert counted.n == 1
    assert counted.rejected == {"wrong group": 50}


@pytest.mark.parametrize("group", [None, "1", 1.5, True, [1]], ids=str)
@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_a_group_that_is_no_whole_number_is_malformed(group: object, engine: str, tmp_path: Path) -> None:
    good = GOOD | {"id": f"{1:032x}"}
    path = write(tmp_path / "r.ndjson", [good, good | {"group": group, "id": f"{2:032x}"}])
    assert gp.tally(MIXED, path, engine=engine).rejected == {"malformed": 1}


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_a_group_may_be_written_with_a_point_as_every_whole_number(engine: str, tmp_path: Path) -> None:
    """To JSON Schema 1.0 is an integer."""
    good = GOOD | {"id": f"{1:032x}"}
    path = write(tmp_path / "r.ndjson", [good, good | {"group": 1.0, "id": f"{2:032x}"}])
    counted = gp.tally(MIXED, path, engine=engine)
    assert counted.n == 2
    assert not counted.rejected


def test_of_two_groups_under_one_id_the_least_counts_where_rows_have_no_order(tmp_path: Path) -> None:
    one, other = (GOOD | {"id": f"{1:032x}", "group": group} for group in (2, 1))
    for k, order in enumerate(([one, other], [other, one])):
        counted = gp.tally(MIXED, write(tmp_path / f"{k}.parquet", order), engine="duckdb")
        assert [counted.counts(0, group).n for group in range(3)] == [0, 1, 0]


def test_very_many_strata_are_counted_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where mechanism, group and report do not fit in one number of DuckDB's."""
    path = write(tmp_path / "r.parquet", rows())
    expected = gp.tally(MIXED, path)
    monkeypatch.setattr(counting, "_STRATA", 2)
    assert gp.tally(MIXED, path, engine="duckdb") == expected


def test_tables_in_memory_and_queries_bring_their_groups(tmp_path: Path) -> None:
    path = write(tmp_path / "r.parquet", rows())
    expected = gp.tally(MIXED, path)
    assert gp.tally(MIXED, pq.read_table(path)) == expected
    assert gp.tally(MIXED, gp.Sql(f"from '{path}'")) == expected
    bare = gp.tally(MIXED, pq.read_table(path).drop_columns("group"))
    assert bare.n == 0
    assert bare.rejected["wrong group"] == len(rows()) - 1  # and one of another design


# ---- counted


def test_counts_are_by_group_or_together(tmp_path: Path) -> None:
    total = gp.Tally(DESIGN)
    total.add(ReportBatch(0, np.array([[3], [1], [3], [0]]), groups=np.array([2, 0, 0, 2])))
    assert [total.counts(0, group).rows.tolist() for group in range(3)] == [[[1], [3]], [], [[0], [3]]]
    assert total.counts(0).rows.tolist() == [[0], [1], [3]]
    assert total.counts(0).times.tolist() == [1, 1, 2]
    total.add(ReportBatch(0, np.array([[3]]), groups=np.array([1])))
    assert total.counts(0).times.tolist() == [1, 1, 3]  # nothing is remembered that has changed since
    assert (total.n, total.of_group(2).n, total.of_group(1).n) == (5, 2, 1)


def test_tallies_of_groups_add_up_and_come_back_from_a_file(tmp_path: Path) -> None:
    first, second, both = gp.Tally(DESIGN), gp.Tally(DESIGN), gp.Tally(DESIGN)
    for tally, seed in ((first, 1), (second, 2)):
        tally.add(batch(1000, seed))
        both.add(batch(1000, seed))
    assert first + second == both
    both.write(tmp_path / "tally.parquet")
    assert pq.read_schema(tmp_path / "tally.parquet").names == ["group", "mechanism", "report", "times"]
    assert gp.Tally.read(tmp_path / "tally.parquet", DESIGN) == both
    assert gp.tally(DESIGN, [], tallies=[tmp_path / "tally.parquet"]) == both
    other = gp.Tally(DESIGN)
    shifted = batch(1000, 1)
    assert shifted.groups is not None
    other.add(ReportBatch(0, shifted.rows, groups=(shifted.groups + 1) % 3))
    assert other != first  # the same reports, of other groups


@pytest.mark.parametrize("group", [-1, 3])
def test_a_tally_with_a_group_that_the_design_lacks_is_refused(group: int, tmp_path: Path) -> None:
    total = gp.Tally(DESIGN)
    total.add(batch(10, 1))
    table = total.to_table()
    groups = pa.array([group] * table.num_rows, pa.int32())
    pq.write_table(table.set_column(0, table.schema.field(0), groups), tmp_path / "tally.parquet")
    with pytest.raises(gp.InvalidParameter, match="counts that the design can have"):
        gp.Tally.read(tmp_path / "tally.parquet", DESIGN)


# ---- privatized


def people(n: int, labels: Any = NAMES) -> pa.Table:
    rng = np.random.default_rng(5)
    county = pa.array([labels[k] for k in rng.integers(0, 3, n)])
    return pa.table({"income": rng.normal(0.0, 2.0, n), "county": county, "who": [f"p{k}" for k in range(n)]})


def told(table: pa.Table, names: Any = NAMES) -> list[int]:
    return [sum(str(label).strip() == str(name) for label in table["county"].to_pylist()) for name in names]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_every_report_has_the_group_of_its_row(engine: str, suffix: str, tmp_path: Path) -> None:
    table, path = people(3000), tmp_path / f"people.{suffix}"
    if suffix == "csv":
        csv.write_csv(table, path)
    else:
        pq.write_table(table, path)
    done = gp.privatize(DESIGN, path, tmp_path / "reports.parquet", engine=engine)
    assert (done.rows, done.reports, done.unread) == (3000, 3000, {})
    counted = gp.tally(DESIGN, tmp_path / "reports.parquet")
    assert [counted.counts(0, group).n for group in range(3)] == told(table)


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_an_unknown_label_is_an_unreadable_row(engine: str, tmp_path: Path) -> None:
    labels = ["Kings", " Queens\t", "kings", "", None, "Bronx", "New York"]
    pq.write_table(pa.table({"income": [0.5] * 7, "county": labels}), tmp_path / "people.parquet")
    path, output = tmp_path / "people.parquet", tmp_path / "r.parquet"
    with pytest.raises(gp.InvalidParameter, match=r"4 unknown group.*names of the design's groups"):
        gp.privatize(DESIGN, path, output, engine=engine)
    assert not output.exists()
    done = gp.privatize(DESIGN, path, output, engine=engine, allow_unreadable=0.6)
    assert (done.rows, done.reports, done.unread) == (7, 3, {"unknown group": 4})
    counted = gp.tally(DESIGN, tmp_path / "r.parquet")
    assert [counted.counts(0, group).n for group in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([7, 12, 7, 5]),
        pa.array(["7", "12", " 7", "5"]),
        pa.array([b"7", b"12", b"7", b"\xff"]),
        pa.array(["7", "12", "7", None]).dictionary_encode(),
        pa.array([7, 12, 7, 5], pa.uint8()),
    ],
    ids=lambda column: str(column.type),
)
def test_labels_are_texts_or_whole_numbers(column: pa.Array) -> None:
    status = np.zeros(4, dtype=np.uint8)
    assert read_groups(column, Groups("county", ("12", "7")), status).tolist() == [1, 0, 1, -1]
    assert status.tolist() == [FINE, FINE, FINE, NO_GROUP]


@pytest.mark.parametrize("column", [pa.array([7.0]), pa.array([True]), pa.array([[7]])], ids=lambda c: str(c.type))
def test_other_columns_are_refused(column: pa.Array, tmp_path: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match="'county' must hold texts or whole numbers"):
        gp.privatize(DESIGN, pa.table({"income": [0.5], "county": column}), tmp_path / "r.parquet")
    assert not (tmp_path / "r.parquet").exists()


def test_a_table_without_the_column_and_a_design_without_its_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(gp.InvalidParameter, match="no column 'county'"):
        gp.privatize(DESIGN, pa.table({"income": [0.5]}), tmp_path / "r.parquet")
    with pytest.raises(gp.InvalidParameter, match="in which column the groups are"):
        gp.privatize(grouped_design(column=""), people(3), tmp_path / "r.parquet")
    with pytest.raises(gp.InvalidParameter, match="told openly"):
        gp.privatize(DESIGN, people(3), tmp_path / "r.parquet", person="county")


def test_a_group_changes_nothing_of_what_is_drawn() -> None:
    values = np.random.default_rng(1).normal(0.0, 2.0, 400)
    first, second = (draw_reports(MIXED, values, Seeded(3), np.full(400, group)) for group in (0, 2))
    np.testing.assert_array_equal(first[:, 1:], second[:, 1:])
    np.testing.assert_array_equal(first[:, 0] + 2, second[:, 0])


def test_a_person_tells_the_group_of_the_row_that_counts(tmp_path: Path) -> None:
    table = pa.table({"income": [None, 1.0, 2.0], "county": ["Kings", "Queens", "Kings"], "who": ["a", "a", "a"]})
    done = gp.privatize(DESIGN, table, tmp_path / "r.parquet", person="who", allow_unreadable=0.5)
    assert (done.reports, done.repeated) == (1, 1)
    counted = gp.tally(DESIGN, tmp_path / "r.parquet")
    assert [counted.counts(0, group).n for group in range(3)] == [0, 1, 0]


# ---- on Spark


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    folder = tmp_path_factory.mktemp("spark")
    provide_java(folder / "java")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    started = spark_session.session("local[2]", settings)
    started.sparkContext.setLogLevel("OFF")
    started.sparkContext.setCheckpointDir(str(folder / "checkpoints"))
    yield started
    started.stop()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("person", ["who", ""])
def test_spark_tells_the_same_groups(session: SparkSession, person: str, tmp_path: Path) -> None:
    table = people(2000)
    odd = pa.table({"income": [1.0], "county": ["Bronx"], "who": ["odd"]})
    pq.write_table(pa.concat_tables([table, odd]), tmp_path / "people.parquet")
    done = gp.privatize(DESIGN, tmp_path / "people.parquet", tmp_path / "reports", engine="spark", person=person)
    assert (done.rows, done.reports, done.unread) == (2001, 2000, {"unknown group": 1})
    tallies = [gp.tally(DESIGN, tmp_path / "reports", engine=engine) for engine in ("arrow", "duckdb", "spark")]
    assert tallies[0] == tallies[1] == tallies[2]
    assert [tallies[0].counts(0, group).n for group in range(3)] == told(table)
    assert pq.read_schema(next((tmp_path / "reports").glob("*.parquet"))).names == GROUPED.names
    order = gp.privatize(DESIGN, table, tmp_path / "reports.parquet", person=person, again=True)
    assert order.reports == 2000


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark_judges_groups_as_the_others_do(session: SparkSession, tmp_path: Path) -> None:
    paths = [write(tmp_path / name, rows()) for name in ("reports.parquet", "reports.ndjson")]
    plain = [{key: value for key, value in row.items() if key != "group"} for row in rows()[:20]]
    without = tmp_path / "without.parquet"
    pq.write_table(pa.Table.from_pylist(plain, COLUMNS), without)
    for given in ([paths[0]], [paths[1]], paths, [paths[0], without]):
        expected = gp.tally(MIXED, given)
        assert gp.tally(MIXED, given, engine="spark") == expected
        assert gp.tally(MIXED, given, engine="duckdb") == expected
        assert expected.rejected["wrong group"] >= 6


def two_rows(session: SparkSession, values: tuple[float, float], n: int) -> list[int]:
    """How many of n people tell each group, who have a row in Kings and one in Queens."""
    who, county = [f"p{k}" for k in range(n)] * 2, ["Kings"] * n + ["Queens"] * n
    frame = session.createDataFrame(pa.table({"who": who, "county": county, "income": np.repeat(values, n)}))
    design = Design(
        "two", DESIGN.mechanisms, source=gp.Source(("income",), (-4.0,), (4.0,), person="who"), groups=DESIGN.groups
    )
    reports = frames.privatize(frame, design, bytes(range(32)), again=True)
    counted = frames.tally(reports, design)
    return [counted.counts(0, group).n for group in range(2)]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_which_of_two_groups_is_told_does_not_depend_on_the_values(session: SparkSession) -> None:
    """Both are told alike often, for equal and for different values (fixed key; level 1e-4 each).

    Planted: were the row chosen by its value alone, as without groups, equal values would always tell the first group.
    """
    n = 4000
    for values in ((1.0, 1.0), (1.0, 1.25), (-4.0, 4.0)):
        found = two_rows(session, values, n)
        assert sum(found) == n
        assert stats.binomtest(found[0], n).pvalue > 1e-4, values
    same = two_rows(session, (1.0, 1.0), n)
    assert same == two_rows(session, (1.0, 1.25), n)  # the key decides, and nothing else
    column = np.array([[1.0], [1.0]])
    assert (work._choice(column, None)[0] == work._choice(column, None)[1]).all()
    assert (work._choice(column, np.array([0, 1]))[0] != work._choice(column, np.array([0, 1]))[1]).all()
