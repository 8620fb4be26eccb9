"""The same design on Spark: the same laws, the same counts, and one report a person however often tasks are run."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

import geopriv as gp
from geopriv.commands.cli import main
from geopriv.noise.keyed import Keyed
from geopriv.reports.drawing import draw_reports
from geopriv.reports.engines import shuffle
from geopriv.reports.engines.spark import frames as spark
from geopriv.reports.engines.spark import session as spark_session
from geopriv.reports.engines.spark import told as spark_told
from geopriv.reports.engines.spark import work as spark_work
from geopriv.reports.engines.spark.blocks import from_blocks, hashed
from geopriv.reports.engines.spark.engine import Spark
from geopriv.reports.engines.spark.queries import rows_of
from geopriv.reports.files import COLUMNS
from geopriv.reports.ids import LEAST
from geopriv.surveys.design import Design
from tests.bad_data import BAD, require_stopped
from tests.designs import small_table
from tests.java import provide_java

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

QUERY = gp.Threshold(0.0, 2.0)
SHARES = (gp.Share("above", QUERY),)
SOURCE = gp.Source(("income",), low=(-4.0,), high=(4.0,), person="who")
DESIGN = Design("survey", (small_table(QUERY, 1.0),), questions=SHARES, source=SOURCE)
BALL = gp.Ball((0.0, 0.0), 3.0, 1.0, gp.Plane())
MIXED = Design(
    "places",
    (small_table(BALL, 1.0), gp.Lattice.calibrate(gp.Plane(), 1.0, 0.5)),
    (1, 3),
    source=gp.Source(("east", "north"), person="who"),
)
KEY = bytes(range(100, 132))
N = 1_000_000

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Spark's own sockets
]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark keeps its event log and its temporary files."""
    folder = tmp_path_factory.mktemp("spark")
    for name in ("events", "local", "checkpoints"):
        (folder / name).mkdir()
    return folder


@pytest.fixture(scope="module")
def session(logs: Path) -> Iterator[SparkSession]:
    provide_java(logs / "java")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.local.dir": str(logs / "local"),
        "spark.sql.warehouse.dir": str(logs / "warehouse"),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{logs / 'events'}",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # a short run
    }
    started = spark_session.session("local[2,4]", settings)
    started.sparkContext.setLogLevel("OFF")  # workers are killed here, and Spark has a lot to say about it
    yield started
    started.stop()


def people(n: int, seed: int = 0) -> pa.Table:
    x = np.random.default_rng(seed).normal(0.0, 2.0, n)
    return pa.table({"who": pa.array([f"person {i}" for i in range(n)]), "income": x})


def frame(session: SparkSession, table: pa.Table, folder: Path, pieces: int = 3) -> DataFrame:
    """The table as files, so that tasks that are run again read them again."""
    folder.mkdir()
    size = -(-table.num_rows // pieces)
    for k in range(pieces):
        pq.write_table(table.slice(k * size, size), folder / f"{k}.parquet")
    return session.read.parquet(f"file://{folder}")


def found(reports: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((row.id, row.mechanism, tuple(row.report)) for row in reports.collect())


# ---- the whole flow on a million rows


@pytest.fixture(scope="module")
def million(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A million people and their reports, made by Spark and by the Arrow engine."""
    folder = tmp_path_factory.mktemp("million")
    table = people(N)
    gp.privatize(DESIGN, table, folder / "arrow.parquet")
    made = spark.privatize(frame(session, table, folder / "people"), DESIGN, KEY, again=True)
    made.write.parquet(f"file://{folder / 'reports'}")
    return folder


def letters(paths: list[Path]) -> np.ndarray[Any, Any]:
    (table,) = (gp.tally(DESIGN, paths).counts(0),)
    assert table.n == N
    return table.times


def test_a_million_reports_agree_with_the_arrow_engines_in_number_and_in_law(million: Path) -> None:
    """A test of two samples, at the level 1e-4 for Spark's (fixed key, real entropy for the other): it finds 0.5 %."""
    arrow, made = letters([million / "arrow.parquet"]), letters(sorted((million / "reports").glob("*.parquet")))
    assert stats.chi2_contingency([arrow, made]).pvalue > 1e-4
    wrong = made + np.array([N // 200, 0, 0, -N // 200])
    assert stats.chi2_contingency([arrow, wrong]).pvalue < 1e-9


def test_the_same_reports_give_the_same_estimates_to_the_last_bit(session: SparkSession, million: Path) -> None:
    files = sorted((million / "reports").glob("*.parquet"))
    arrow = gp.tally(DESIGN, files)
    made = spark.tally(session.read.parquet(f"file://{million / 'reports'}"), DESIGN)
    assert made == arrow
    sql = gp.tally(DESIGN, files, engine="duckdb")
    answers = [gp.estimate(DESIGN, counted) for counted in (arrow, sql)]
    answers.append(gp.estimate(DESIGN, spark.tally(session.read.parquet(f"file://{million / 'reports'}"), DESIGN)))
    documents = [found.to_document() for found in answers]
    assert documents[0] == documents[1] == documents[2]


def test_partitions_are_even_and_their_order_tells_nothing_of_names(million: Path) -> None:
    """Rows are sorted by id, and ids are keyed hashes: the rank of a person in a file is a random one."""
    for path in sorted((million / "reports").glob("*.parquet")):
        ids = pq.read_table(path, columns=["id"]).column(0).to_pylist()
        keys = np.frombuffer(bytes.fromhex("".join(ids)), dtype="<u8").reshape(-1, 2)
        assert (np.lexsort(keys.T[::-1]) == np.arange(len(ids))).all()
        assert len(ids) > N / 8  # 256 buckets in four partitions; small ones may be put together


def test_driver_memory_does_not_grow_with_rows(
    session: SparkSession, million: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One small row a partition comes to the driver, for a thousand rows and for a million."""
    rows: list[list[Any]] = []
    kind = type(session.range(1))
    collect = kind.collect

    def counting(self: DataFrame) -> list[Any]:
        rows.append(collect(self))
        return rows[-1]

    monkeypatch.setattr(kind, "collect", counting)
    whole = session.read.parquet(f"file://{million / 'reports'}")
    for reports in (whole.limit(1000), whole):
        spark.tally(reports, DESIGN)
    assert len(rows) == 2
    assert all(1 <= len(part) <= 4 for part in rows)  # there are four partitions; small ones are put together
    few = 4 * 8 * LEAST // 3  # bytes of its sketch of ids, in base64
    assert all(len(row["packed"]) < 2000 + few for part in rows for row in part)


# ---- one report a person


def test_reports_are_those_of_the_keyed_streams(session: SparkSession, tmp_path: Path) -> None:
    """The definition, without Spark: ids and bits from the key, the design's hash and the name."""
    n = 500
    rng = np.random.default_rng(3)
    places = rng.normal(0.0, 3.0, (n, 2))
    table = pa.table({"who": np.arange(n), "east": places[:, 0], "north": places[:, 1]})
    secrets = [
        blake2b(MIXED.hash.encode(), key=KEY, person=purpose, digest_size=32).digest()
        for purpose in (b"geopriv ids", b"geopriv streams")
    ]
    ids = [blake2b(b"%d" % i, key=secrets[0], digest_size=16).digest() for i in range(n)]
    bits = Keyed(ids, secrets[1])
    bits.words(n, 1)  # the first word of each person decides which of several rows counts
    drawn = draw_reports(MIXED, places, bits).tolist()
    expected = sorted((name.hex(), k, (a, b) if k else (a,)) for name, (k, a, b) in zip(ids, drawn, strict=True))
    reports = spark.privatize(frame(session, table, tmp_path / "people"), MIXED, KEY)
    assert found(reports) == expected
    assert {row.design for row in reports.select("design").distinct().collect()} == {MIXED.hash}


def test_of_several_rows_one_counts_the_same_in_every_order(session: SparkSession, tmp_path: Path) -> None:
    table = people(3000)
    names = pa.array([f"person {i % 1000}" for i in range(3000)])
    table = table.set_column(0, "who", names)
    shuffled = table.take(np.random.default_rng(1).permutation(3000))
    first = found(spark.privatize(frame(session, table, tmp_path / "a"), DESIGN, KEY))
    second = found(spark.privatize(frame(session, shuffled, tmp_path / "b", pieces=5), DESIGN, KEY, again=True))
    assert len(first) == len({name for name, _, _ in first}) == 1000
    assert first == second


def test_another_key_or_another_design_gives_other_ids(session: SparkSession, tmp_path: Path) -> None:
    df = frame(session, people(200), tmp_path / "people")
    other = Design("another survey", DESIGN.mechanisms, source=SOURCE)
    pairs: Any = ((DESIGN, KEY), (other, KEY), (DESIGN, None))
    made = [spark.privatize(df, design, key, again=True) for design, key in pairs]
    assert len({name for reports in made for name, _, _ in found(reports)}) == 600
    assert found(made[2]) == found(made[2])  # a key that nobody gave stays with the frame


def killer(flag: Path, everyone: bool) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Passes rows on. Once, in mid-stream, it kills its own worker or all others, and with them the one before it."""

    def passing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch.slice(0, 10)
            if not os.path.exists(flag):
                open(flag, "x").close()
                mine = os.getpid()
                workers = Path(f"/proc/{os.getppid()}/task/{os.getppid()}/children").read_text().split()
                for worker in map(int, workers) if everyone else [mine]:
                    if not everyone or worker != mine:
                        os.kill(worker, signal.SIGKILL)
            yield batch.slice(10)

    return passing


def test_killing_workers_loses_and_duplicates_nothing(session: SparkSession, tmp_path: Path) -> None:
    """First one that reads people, then all that read or draw while reports are being written."""
    df = frame(session, people(20_000), tmp_path / "people")
    calm = found(spark.privatize(df, DESIGN, KEY))
    assert len(calm) == 20_000
    before, after = killer(tmp_path / "before", everyone=False), killer(tmp_path / "after", everyone=True)
    schema = "who string, income double"
    reports = spark.privatize(spark.mapped(df, before, schema), DESIGN, KEY, again=True)
    disturbed = spark.mapped(reports, after, "design string, id string, mechanism int, report array<bigint>")
    disturbed.write.parquet(f"file://{tmp_path / 'reports'}")
    assert (tmp_path / "before").exists()
    assert (tmp_path / "after").exists()
    assert found(session.read.parquet(f"file://{tmp_path / 'reports'}")) == calm


def test_the_key_is_in_no_plan_no_event_log_and_no_temporary_file(
    session: SparkSession, logs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = b"a key that is easy to find again"
    reports = spark.privatize(frame(session, people(2000), tmp_path / "people"), DESIGN, key)
    assert reports.count() == 2000
    reports.explain(extended=True)
    secrets = [key, *spark._secrets(DESIGN, key)]
    traces = [form for s in secrets for form in (s, s.hex().encode(), base64.b64encode(s), repr(s).encode())]
    written = [path for path in logs.rglob("*") if path.is_file()]
    assert any(path.is_relative_to(logs / "events") for path in written)
    assert any(path.is_relative_to(logs / "local") for path in written)
    told = [capfd.readouterr().out.encode(), *(path.read_bytes() for path in written)]
    assert any(b"Drawing" in text for text in told)
    assert not any(trace in text for trace in traces for text in told)


def test_the_key_is_in_no_log_of_what_is_sent_to_java(session: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    """Py4J logs every call at the level DEBUG, bytes in base 64: functions that hold a key are left out."""
    df = session.createDataFrame([("a", 1.0)], "who string, income double")
    with caplog.at_level("DEBUG", logger="py4j"):
        spark.privatize(df, DESIGN, KEY)
    assert "mapInArrow" in caplog.text
    sent = b"".join(base64.b64decode(word + "==") for word in re.findall(r"(?<=\nj)[A-Za-z0-9+/]{40,}", caplog.text))
    assert not any(secret in sent for secret in spark._secrets(DESIGN, KEY))


def test_a_frame_that_changes_between_attempts_is_refused(session: SparkSession) -> None:
    """Reports would be drawn from the same bits for other values."""
    df = session.createDataFrame([("a", 1.0)], "who string, income double")
    for changing in (
        df.selectExpr("who", "rand() income"),
        df.selectExpr("uuid() who", "income"),
        df.where("rand()<.5"),
    ):
        with pytest.raises(gp.InvalidParameter, match="must be the same whenever Spark computes it"):
            spark.privatize(changing, DESIGN, KEY)
    assert spark.privatize(df.selectExpr("*", "rand() other"), DESIGN, KEY).count() == 1
    stream = session.readStream.format("rate").load().selectExpr("string(value) who", "double(value) income")
    with pytest.raises(gp.InvalidParameter, match="A stream cannot be privatized"):
        spark.privatize(stream, DESIGN, KEY, again=True)


def test_rows_that_wait_on_disk_do_so_in_sparks_own_folder(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There they are removed with the executor, should the worker be killed."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    monkeypatch.setattr(shuffle, "RUN", 100)
    sent: Any = SimpleNamespace(value=spark_work.pack(DESIGN))
    rows = np.random.default_rng(0).integers(0, 1 << 63, (1000, 5)).astype(np.uint64)
    rows[:, 3:] = 0  # a mechanism and a report
    blocks = pa.RecordBatch.from_pydict({"bucket": [0], "rows": [rows.tobytes()]})
    chosen: Any = spark_work.Choosing(sent)(iter([blocks]))
    next(chosen)
    assert [path.stat().st_size for path in tmp_path.glob("*/rows")] == [rows.nbytes]
    chosen.close()
    assert not list(tmp_path.iterdir())


def test_no_value_leaves_a_worker() -> None:
    """Neither values nor hashes of them, which could be guessed: of who has one row nothing but the report tells it."""
    sent: Any = SimpleNamespace(value=spark_work.pack(DESIGN))
    x = np.random.default_rng(0).uniform(-4.0, 4.0, 1000)
    batch = pa.RecordBatch.from_pydict({"c0": x, "c1": [f"person {i}" for i in range(1000)]})
    blocks = spark_work.Drawing(sent, "who", KEY, KEY[::-1], 8)(iter([batch]))
    rows = np.concatenate([from_blocks(block, 5)[0] for block in blocks])
    assert len(rows) == 1000
    told = set(x.view(np.uint64).tolist()) | set(hashed(x.view(np.uint64)[:, None])[:, 0].tolist())
    assert not told & set(rows.ravel().tolist())
    assert set(rows[:, 3].tolist()) == {0}
    assert set(rows[:, 4].tolist()) <= set(range(4))
    assert stats.kstest(rows[:, 2] / 2.0**64, "uniform").pvalue > 1e-4  # fixed keys: it does so or it does not


# ---- a person a row


def test_without_names_reports_are_drawn_once_and_kept(session: SparkSession, tmp_path: Path, logs: Path) -> None:
    df = frame(session, people(2000), tmp_path / "people")
    if session.sparkContext.getCheckpointDir() is None:
        with pytest.raises(gp.InvalidParameter, match="setCheckpointDir"):
            spark.privatize(df, DESIGN, person="")
    session.sparkContext.setCheckpointDir(f"file://{logs / 'checkpoints'}")
    reports = spark.privatize(df, DESIGN, person="")
    assert len(found(reports)) == 2000
    assert found(reports) == found(reports)
    with pytest.raises(gp.InvalidParameter, match="A key needs a column"):
        spark.privatize(df, DESIGN, KEY, person="", again=True)


def test_of_a_table_that_looks_wrong_nothing_is_drawn_and_kept(session: SparkSession, tmp_path: Path) -> None:
    session.sparkContext.setCheckpointDir(f"file://{tmp_path / 'kept'}")
    far = pa.table({"who": people(50)["who"], "income": np.linspace(5.0, 9.0, 50)})
    df = frame(session, far, tmp_path / "people")
    with pytest.raises(gp.InvalidParameter, match="all values of 'income' lie above"):
        gp.privatize(DESIGN, df, str(tmp_path / "reports"), person="")
    assert not [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert not (tmp_path / "reports").exists()
    assert gp.privatize(DESIGN, df, str(tmp_path / "reports"), person="", allow_odd=True).reports == 50


# ---- what cannot be read, and what is no report


@pytest.mark.parametrize("name", BAD)
@pytest.mark.usefixtures("session")  # which the command finds running
def test_a_bad_file_stops_the_command_with_its_likely_reason(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    bad = BAD[name]
    bad.design.write("design.json")
    Path("people.csv").write_text(bad.text)
    people, reports = (str(tmp_path / name) for name in ("people.csv", "reports"))  # Java is in another folder
    command = ["geopriv", "privatize", "design.json", people, "-o", reports, "--engine", "spark", "--person", "who"]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as stopped:
        main()
    told = int(stopped.value.code or 0), *capsys.readouterr()
    require_stopped(bad, told, [Path("design.json"), Path("people.csv")])


def test_values_that_are_one_in_every_partition_are_one_only_if_they_are_the_same(
    session: SparkSession, tmp_path: Path
) -> None:
    """Partitions are compared by a keyed hash, so no value comes to the driver."""
    for name, texts in (("one", [1.0, 1.0]), ("two", [1.0, 2.0])):
        table = pa.table({"who": [f"p{i}" for i in range(400)], "income": np.repeat(texts, 200)})
        df = frame(session, table, tmp_path / name, pieces=2)
        _, _, suspicions = spark.inspected(df, DESIGN, None)
        assert suspicions.is_one_value == (name == "one")


def test_rows_that_cannot_be_read_are_counted_as_by_the_arrow_engine(session: SparkSession, tmp_path: Path) -> None:
    texts = ["1.5", "", None, "many", "inf", "2e0", "1,000"] * 10
    names = pa.array([None if i % 9 == 4 else f"n{i % 30}" for i in range(70)])
    table = pa.table({"who": names, "income": texts})
    done = gp.privatize(DESIGN, table, tmp_path / "arrow.parquet", allow_unreadable=0.9)
    df = frame(session, table, tmp_path / "people")
    rows, unread = spark.count_rows(df, DESIGN)
    assert (rows, unread) == (done.rows, Counter(done.unread))
    assert spark.privatize(df, DESIGN, KEY, again=True).count() == done.reports


def test_a_number_of_partitions_that_spark_leaves_open_is_some_number() -> None:
    for told, number in (("7", 7), ("auto", 200)):
        df: Any = SimpleNamespace(sparkSession=SimpleNamespace(conf={"spark.sql.shuffle.partitions": told}))
        assert spark._partitions(df) == number


def test_a_partition_without_a_readable_row_is_counted_too(session: SparkSession) -> None:
    rows = [("a", float("nan")), ("b", None), (None, 1.0), ("c", float("inf"))]
    df = session.createDataFrame(rows, "who string, income double").coalesce(1)
    assert spark.count_rows(df, DESIGN) == (4, {"missing": 1, "not finite": 2, "no person": 1})
    assert spark.privatize(df, DESIGN, KEY).count() == 0
    more = df.union(df.selectExpr("'d'", "1.0")).coalesce(1)
    assert spark.privatize(more, DESIGN, KEY, again=True).count() == 1


def test_columns_may_have_any_name(session: SparkSession) -> None:
    names = gp.Source(("net.in`come (2024)",), person="Person.No")
    design = Design("survey", DESIGN.mechanisms, source=names)
    df = session.createDataFrame([(7, 1.0), (8, None)], ["Person.No", "net.in`come (2024)"])
    assert spark.count_rows(df, design) == (2, {"missing": 1})
    assert spark.privatize(df, design, KEY).count() == 1


def test_columns_are_checked_before_anything_runs(session: SparkSession) -> None:
    df = session.createDataFrame([("a", True)], "who string, income boolean")
    with pytest.raises(gp.InvalidParameter, match="must hold numbers"):
        spark.privatize(df, DESIGN, KEY)
    with pytest.raises(gp.InvalidParameter, match="has no column 'income'"):
        spark.privatize(df.select("who"), DESIGN, KEY)
    connected: Any = SimpleNamespace(columns=["who", "income"])
    with pytest.raises(gp.InvalidParameter, match="Spark Connect"):
        spark.privatize(connected, DESIGN, KEY)
    with pytest.raises(gp.InvalidParameter, match="upper and lower case are the same to Spark"):
        spark.privatize(df.selectExpr("who", "1.0 income", "2.0 INCOME"), DESIGN, KEY)
    for other in ("current_timestamp()", "make_interval(1)"):
        with pytest.raises(gp.InvalidParameter, match="must hold numbers"):
            spark.privatize(df.selectExpr("who", f"{other} income"), DESIGN, KEY)
    with pytest.raises(gp.InvalidParameter, match="32 to 64 secret bytes"):
        spark.privatize(df.selectExpr("who", "1.0 income"), DESIGN, "x" * 32)  # type: ignore[arg-type]
    with pytest.raises(gp.InvalidParameter, match="32 to 64 secret bytes") as caught:
        spark.privatize(df.selectExpr("who", "1.0 income"), DESIGN, b"short")
    assert "short" not in str(caught.value).replace("short,", "")
    with pytest.raises(gp.InvalidParameter, match="whole numbers"):
        spark.tally(session.createDataFrame([("d", "i", "0", [1])], ["design", "id", "mechanism", "report"]), DESIGN)


def test_what_is_no_report_is_rejected_by_the_same_reasons(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = {"design": DESIGN.hash, "mechanism": 0, "report": [1]}
    rows: list[dict[str, Any]] = [good | {"id": f"{i:032x}"} for i in range(50)]
    rows += [rows[7], rows[7]]
    rows += [good | {"id": f"{99:032x}", "design": "0" * 64}, good | {"id": "X" * 32}, good | {"id": None}]
    rows += [good | {"id": f"{60 + k:032x}", "mechanism": index} for k, index in enumerate((1, 1 << 40, -1))]
    rows += [good | {"id": f"{70 + k:032x}", "report": r} for k, r in enumerate(([4], [-1], [], [1, 1], None))]
    schema = COLUMNS.set(2, pa.field("mechanism", pa.int64()))
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "reports.parquet")
    expected = gp.tally(DESIGN, [tmp_path / "reports.parquet"])
    assert expected.n == 50
    assert expected.rejected == {"repeated id": 2, "wrong design": 1, "malformed": 3, "out of range": 7}
    df = session.read.parquet(f"file://{tmp_path / 'reports.parquet'}")
    assert spark.tally(df, DESIGN) == expected
    monkeypatch.setattr(spark, "_MANY", 1)  # as if there were many partitions: some are added up by workers
    assert spark.tally(df.repartition(7), DESIGN) == expected


def test_lines_are_judged_as_by_reading_the_file(session: SparkSession, tmp_path: Path) -> None:
    """Also those that Spark would take for a report, or for two."""
    sent = {"design": DESIGN.hash, "id": f"{1:032x}", "mechanism": 0, "report": [1]}
    good, huge = json.dumps(sent), str(1 << 70)
    lines = [good, f" {good}\r", f"[{good}, {good}]", f"{good} {good}", good.replace('"', "'"), "", "5", good[:50]]
    lines += [good[:-1] + ', "extra": 1}', good.replace("[1]", f"[{huge}]"), good.replace(": 0", f": {huge}")]
    lines += [good.replace(": 0", ": 0.0"), good.replace("[1]", "[null]"), good.replace("[1]", "[" + " " * 5000 + "1]")]
    lines += [good.replace(f'"{1:032x}"', "1" * 32), good.replace("[1]", "[4]"), good[:-1] + ', "mechanism": 0}']
    (tmp_path / "reports.ndjson").write_bytes("\n".join([*lines, "\u00e9", ""]).encode("latin-1"))
    expected = gp.tally(DESIGN, [tmp_path / "reports.ndjson"])
    assert expected.rejected == {"malformed": 11, "out of range": 3, "repeated id": 3}
    assert gp.tally(DESIGN, tmp_path / "reports.ndjson", engine=Spark(session)) == expected
    (tmp_path / "cut.ndjson").write_text(good)
    with pytest.raises(gp.InvalidParameter, match="was cut off"):
        gp.tally(DESIGN, tmp_path / "cut.ndjson", engine=Spark(session))


# ---- the command line


def test_the_commands_run_on_spark_and_agree_with_the_others(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """People in a CSV, some of them twice or unreadable; then reports counted by all three engines."""
    table = people(500).take([*range(500), 3, 3, 4])
    lines = [f"{who},{x}" for who, x in zip(table["who"].to_pylist(), table["income"].to_pylist(), strict=True)]
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("\n".join(["who,income", *lines, "someone,", ",5"]) + "\n")
    DESIGN.write("design.json")

    def command(*words: str) -> str:
        monkeypatch.setattr("sys.argv", ["geopriv", *words])
        with pytest.raises(SystemExit) as done:
            main()
        told = capsys.readouterr()
        return told.out if not done.value.code else told.err

    spark_too = ("--engine", "spark", "--master", "local[2]")
    here, there = str(tmp_path / "people.csv"), str(tmp_path / "reports")  # Java has not changed its folder
    told = json.loads(command("privatize", "design.json", here, "-o", there, "--json", *spark_too))
    assert (told["rows"], told["reports"], told["repeated"]) == (505, 500, 3)
    assert told["unread"] == {"missing": 1, "no person": 1}
    assert "exists already" in command("privatize", "design.json", here, "-o", there, *spark_too)
    assert "Spark cannot do it: [PATH_NOT_FOUND]" in command("privatize", "design.json", "nobody.parquet", *spark_too)
    answers = [
        command("estimate", "design.json", there, "--no-page", "--json", *engine)
        for engine in ((), ("--engine", "duckdb"), spark_too)
    ]
    assert json.loads(answers[0])["n"] == 500
    assert answers[0] == answers[1] == answers[2]
    query = f"select * from parquet.`{there}` where mechanism = 0"
    assert command("estimate", "design.json", "--query", query, "--no-page", "--json", *spark_too) == answers[0]


def told(session: SparkSession, folder: Path, output: str = "reports", **options: Any) -> str:
    """What is said where people's rows cannot become reports."""
    options = {"data": str(folder / "people.csv"), **options}
    with pytest.raises(gp.InvalidParameter) as caught:
        gp.privatize(DESIGN, options.pop("data"), str(folder / output), engine=Spark(session), **options)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return str(caught.value)


def test_overwriting_removes_reports_and_nothing_else(session: SparkSession, tmp_path: Path) -> None:
    """Spark removes the whole folder before it writes: neither people nor other files may be in it."""
    lake = tmp_path / "lake"
    lake.mkdir()
    frame(session, people(10), lake / "rows", pieces=1).write.parquet(f"file://{lake / 'people'}")
    (tmp_path / "link").symlink_to(lake / "people")
    from_here: Any = {"data": str(lake / "people"), "overwrite": True}
    for output in ("lake/people", "link", "link/."):
        assert "nothing but reports" in told(session, tmp_path, output, **from_here)
    assert "nothing but reports" in told(session, tmp_path, "lake", **from_here)
    assert "nothing but reports" in told(session, tmp_path, "lake/people", data=str(lake / "rows"), overwrite=True)
    assert session.read.parquet(str(lake / "people")).count() == 10
    twice: Any = (str(lake / "people"), str(tmp_path / "{1} [a]*"))
    made = [gp.privatize(DESIGN, *twice, engine=Spark(session), overwrite=True, again=again) for again in (False, True)]
    assert [(done.reports, done.earlier) for done in made] == [(10, 0), (10, 1)]
    assert "the output exists already" in told(session, tmp_path, "{1} [a]*", data=str(lake / "people"))


def test_a_second_run_on_spark_is_refused_too(session: SparkSession, tmp_path: Path) -> None:
    """A frame counts from when it was made; a run that failed before a file was there does not."""
    df = frame(session, people(10), tmp_path / "rows", pieces=1)
    (tmp_path / "closed").write_text("no folder")
    with pytest.raises(gp.InvalidParameter, match="cannot do it"):
        gp.privatize(DESIGN, str(tmp_path / "rows"), str(tmp_path / "closed" / "reports"), engine=Spark(session))
    spark.privatize(df, DESIGN, KEY)
    for second in (
        lambda: spark.privatize(df, DESIGN),
        lambda: gp.privatize(DESIGN, str(tmp_path / "rows"), str(tmp_path / "reports"), engine=Spark(session)),
        lambda: gp.privatize(DESIGN, people(10), tmp_path / "reports.parquet"),
    ):
        with pytest.raises(gp.InvalidParameter, match="privatised before: reports on"):
            second()
    gp.privatize(DESIGN, str(tmp_path / "rows"), str(tmp_path / "reports"), again=True, engine=Spark(session))
    with pytest.raises(gp.InvalidParameter, match="2 times before, the last time 10 reports on"):
        spark.privatize(df, DESIGN)


@pytest.mark.parametrize(
    "query",
    [
        "create table made as select 1.0 income",
        "create or replace temporary view rows_of_others as select 1",
        "insert overwrite directory '{folder}/made' using csv select 1",
        "with a as (select 1) insert overwrite directory '{folder}/made' using csv select * from a",
        "set spark.made = 1",
        "select 1; select 2",
        "add jar made.jar",
        "execute immediate 'select 1'",
        "begin select 1; end",
        "show tables",
        "",
        "select transform(1) using 'touch {folder}/made' as (income)",
        "with a as (select transform(1) using 'touch {folder}/made' as (income)) select * from a",
        "select * from values (1) where exists (select java_method('java.lang.System', 'lineSeparator'))",
        "select reflect('java.lang.System', 'lineSeparator')",
    ],
)
def test_a_query_of_spark_only_reads(query: str, session: SparkSession, tmp_path: Path) -> None:
    text, words = query.format(folder=tmp_path), "must be one statement that reads|may only read"
    with pytest.raises(gp.InvalidParameter, match=words):
        gp.tally(DESIGN, gp.Sql(text), engine=Spark(session))
    with pytest.raises(gp.InvalidParameter, match=words):
        gp.privatize(DESIGN, gp.Sql(text), tmp_path / "out", engine=Spark(session))
    assert list(tmp_path.iterdir()) == []
    assert session.conf.get("spark.made", "none") == "none"


def test_a_query_of_spark_that_reads_is_run(session: SparkSession) -> None:
    for query in ("select 1 a;", "with b as (select 1 a) select * from b", "values (1)", "from values (1) select *"):
        assert rows_of(session, query).count() == 1


def test_no_error_of_spark_quotes_a_row(
    session: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.csv").write_text("Ada Lovelace,53111\nBob,4\n")
    errors = [told(session, tmp_path)]
    assert "begins with values" in errors[0]
    rows = frame(session, people(10), tmp_path / "rows", pieces=1)
    rows.createOrReplaceTempView("rows")
    errors.append(told(session, tmp_path, data=gp.Sql("select who, cast(who as double) income from rows")))
    assert "CAST_INVALID_INPUT" in errors[1]
    assert not any(name in text for text in (*errors, *capfd.readouterr()) for name in ("Ada", "53111", "person "))


def test_files_that_cannot_be_read_are_named_and_rows_judged_as_by_arrow(session: SparkSession, tmp_path: Path) -> None:
    assert "PATH_NOT_FOUND" in told(session, tmp_path)
    (tmp_path / "people.parquet").write_text("no Parquet")
    assert "not what its name says" in told(session, tmp_path, data=str(tmp_path / "people.parquet"))
    assert "No FileSystem" in told(session, tmp_path, data="foo://x/people")
    (tmp_path / "people.csv").write_text("who,income\na,x\nb,\n")
    with pytest.raises(gp.InvalidParameter) as arrow:
        gp.privatize(DESIGN, tmp_path / "people.csv", tmp_path / "reports.parquet")
    assert told(session, tmp_path) == str(arrow.value)
    assert not (tmp_path / "reports").exists()
    (tmp_path / "OTHERS.CSV").write_text('who,income\n"Smith, ""Bob""",1\n"Smith, ""Ann""",2\n')
    done = gp.privatize(DESIGN, str(tmp_path / "OTHERS.CSV"), str(tmp_path / "others"), engine=Spark(session))
    assert (done.rows, done.reports, done.unread) == (2, 2, {})


def test_what_a_worker_lacks_is_told() -> None:
    wrong = "An exception was thrown:\n  File x\nModuleNotFoundError: No module named 'geopriv'\n"
    assert "must be installed where the workers' Python is" in spark_told._why(RuntimeError(wrong), None)
    full = "Traceback\nOSError: [Errno 28] No space left on device: '/x/Ada'\n"
    assert spark_told._why(RuntimeError(full), None) == "there is no space left on a disk that it writes to"


def test_all_engines_count_a_folder_of_reports(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "all [1]"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    DESIGN.write("design.json")
    for name in ("a.parquet", "b.ndjson", "c.parquet"):
        gp.privatize(DESIGN, people(50), folder / name, again=True)
    counted = [gp.tally(DESIGN, folder, engine=engine) for engine in ("arrow", "duckdb", Spark(session))]
    assert [tally.n for tally in counted] == [150] * 3
    assert counted[0] == counted[1] == counted[2]
    for name in ("b.ndjson", "b.ndjson.manifest"):
        (folder / name).unlink()
    assert gp.tally(DESIGN, folder, engine=Spark(session)).n == 100  # manifests are no Parquet
    (folder / "c.parquet").unlink()
    with pytest.raises(gp.InvalidParameter, match=r"c\.parquet is not there"):
        gp.tally(DESIGN, folder, engine=Spark(session))


# ---- what is missing


@pytest.mark.parametrize("master", ["here", "local[two]", "local[", "spark:host"])
def test_a_master_that_there_cannot_be_is_refused(master: str) -> None:
    with pytest.raises(gp.InvalidParameter, match="must be local"):
        spark_session.session(master)


def test_without_java_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(gp.Unavailable, match=r"needs Java 17 or newer.*apt install openjdk-17"):
        spark_session.require_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(gp.Unavailable, match="there is no bin/java in it"):
        spark_session.require_java()


def test_a_java_that_does_not_start_spark_is_told_apart_from_none(tmp_path: Path) -> None:
    """In a process of its own, since Spark runs in this one."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho UnsupportedClassVersionError >&2\nexit 1\n")
    java.chmod(0o755)
    start = "from geopriv.reports.engines.spark.session import session; session('local[1]')"
    home = os.environ | {"JAVA_HOME": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", start], check=False, capture_output=True, text=True, env=home)
    assert told.stderr.splitlines()[0] == "UnsupportedClassVersionError"
    assert "Unavailable: Spark did not start" in told.stderr
    assert "older than Java 17" in told.stderr


def test_without_pyspark_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_session, "find_spec", lambda name: None)
    with pytest.raises(gp.Unavailable, match=r"pip install 'geopriv\[spark\]'"):
        spark_session.require_java()
