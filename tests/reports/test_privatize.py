"""From a table of people to a file of reports: the right laws, an order that tells nothing, and no half files."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from scipy import stats

import geopriv as gp
from geopriv.commands import cli
from geopriv.commands.talk import Talk
from geopriv.reports.engines import local, shuffle
from geopriv.reports.engines.parts import parts
from geopriv.reports.engines.people import Keys, People
from geopriv.reports.reader import ReportReader, read_reports
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design
from tests.designs import lattice_design, small_table, two_tables
from tests.rows import CITY

INCOME = gp.Source(("income",), low=(-4.0,), high=(4.0,))
DESIGN = Design("survey", (small_table(gp.Threshold(0.0, 2.0), 1.0),), source=INCOME)
NEVER = 1e-9  # the probability with which a test of real entropy may fail


def people(x: Any, **columns: Any) -> pa.Table:
    return pa.table({"income": np.asarray(x, dtype=np.float64)} | columns)


def sharp(n: int) -> Design:
    """A lattice whose cells are the values, up to noise that is small beside n."""
    return Design(
        "ranks", lattice_design(gp.Line("m"), 10.0, 1.0).mechanisms, source=gp.Source(("income",), (0,), (n,))
    )


def cells(path: Path, design: Design) -> FloatArray:
    """The reports in the order of the file."""
    found = pq.read_table(path).column("report").combine_chunks().flatten()
    assert len(found) == accepted(path, design)
    return np.asarray(found.to_numpy(), dtype=np.float64)


def accepted(path: Path, design: Design) -> int:
    """How many reports a reader accepts, which must be all."""
    reader = ReportReader(design)
    list(reader.read(path))
    assert not reader.rejected
    return reader.accepted


# ---- laws


def letters(design: Design, x: float, n: int, folder: Path) -> FloatArray:
    gp.privatize(design, people(np.full(n, x)), folder / "r.parquet", overwrite=True, again=True, allow_odd=True)
    return np.bincount(cells(folder / "r.parquet", design).astype(int), minlength=4).astype(float)


def test_reports_have_the_tables_law_at_the_value_and_at_no_other(tmp_path: Path) -> None:
    """A chi-square test on real entropy; it fails with probability 1e-9, and finds a value 0.4 away."""
    (table,) = DESIGN.mechanisms
    assert isinstance(table, gp.Table)
    found = letters(DESIGN, 0.55, 60_000, tmp_path)
    below, above = table.weights[2] / 2.0**60, table.weights[3] / 2.0**60
    law = below + (0.55 - 0.1) / (1.0 - 0.1) * (above - below)
    assert stats.chisquare(found, 60_000 * law).pvalue > NEVER
    assert stats.chisquare(letters(DESIGN, 0.95, 60_000, tmp_path), 60_000 * law).pvalue < NEVER


def test_values_beyond_the_range_report_as_its_ends_do(tmp_path: Path) -> None:
    far, end = letters(DESIGN, 1e9, 20_000, tmp_path), letters(DESIGN, 4.0, 20_000, tmp_path)
    assert stats.chi2_contingency([far, end]).pvalue > NEVER
    narrow = Design("survey", DESIGN.mechanisms, source=gp.Source(("income",), (-4.0,), (0.2,)))
    clamped = letters(narrow, 1e9, 20_000, tmp_path)
    assert stats.chi2_contingency([far, clamped]).pvalue < NEVER
    assert stats.chi2_contingency([letters(DESIGN, 0.2, 20_000, tmp_path), clamped]).pvalue > NEVER


def test_people_answer_one_mechanism_each_by_the_shares_whatever_their_value(tmp_path: Path) -> None:
    plain = two_tables()
    design = Design(plain.survey, plain.mechanisms, plain.shares, source=INCOME)
    counts = []
    for x in (-3.0, 3.0):
        everybody, output = people(np.full(20_000, x)), tmp_path / "r.parquet"
        gp.privatize(design, everybody, output, overwrite=True, again=True, allow_odd=True)
        counts.append(np.bincount(pq.read_table(tmp_path / "r.parquet")["mechanism"].to_numpy(), minlength=3))
        assert counts[-1].sum() == 20_000
    assert stats.chisquare(sum(counts), 40_000 * np.array([1, 2, 5]) / 8).pvalue > NEVER
    assert stats.chi2_contingency(counts).pvalue > NEVER
    assert stats.chisquare(sum(counts), 40_000 * np.array([1, 3, 4]) / 8).pvalue < NEVER


def test_a_table_and_a_lattice_side_by_side_report_in_their_own_lengths(tmp_path: Path) -> None:
    ball = small_table(gp.Ball((0.0, 0.0), 2.0, 1.0, gp.Plane()), 1.0)
    design = Design("both", (ball, gp.Lattice.calibrate(gp.Plane(), 1.0, step=0.5)), source=gp.Source(("x", "y")))
    data = pa.table({"x": np.zeros(1000), "y": np.zeros(1000)})
    for name in ("r.parquet", "r.ndjson"):
        done = gp.privatize(design, data, tmp_path / name, again=True, allow_odd=True)
        found, rejected = read_reports(tmp_path / name, design)
        assert not rejected
        assert done.reports == len(found[0]) + len(found[1]) == 1000
        assert found[1].shape[1:] == (2,)


def test_an_estimate_from_the_reports_finds_the_mean(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(0.0, 1.0, 50_000)
    gp.privatize(DESIGN, people(x), tmp_path / "r.parquet")
    (table,) = DESIGN.mechanisms
    assert isinstance(table, gp.Table)
    answer = gp.estimate(table, read_reports(tmp_path / "r.parquet", DESIGN)[0][0], confidence=1 - NEVER)
    assert answer.low < float(table.target(x).mean()) < answer.high
    assert not answer.low < float(table.target(x + 0.5).mean()) < answer.high


def test_places_on_a_map_are_reported_where_they_are(tmp_path: Path) -> None:
    design = Design("map", lattice_design(CITY, 1e-2, 150.0).mechanisms, source=gp.Source(("lat", "lon")))
    data = pa.table({"lon": np.full(4000, -74.0), "lat": np.full(4000, 40.7), "other": np.arange(4000)})
    gp.privatize(design, data, tmp_path / "r.parquet", allow_odd=True)
    (lattice,) = design.mechanisms
    assert isinstance(lattice, gp.Lattice)
    mean = read_reports(tmp_path / "r.parquet", design)[0][0].mean(axis=0) * lattice.step + lattice.origin
    # noise of scale 1/ε = 100 m on each axis: the mean of 4,000 is off by more than 50 m with probability below 1e-9
    assert np.abs(mean - CITY.read((40.7, -74.0))).max() < 50


# ---- order


def correlation(path: Path, n: int) -> float:
    """The rank correlation of place in the table and place in the file, in standard deviations."""
    found = cells(path, sharp(n))
    return float(abs(stats.spearmanr(np.arange(len(found)), found).statistic) * np.sqrt(len(found)))


@pytest.fixture(params=[1 << 19, 1 << 12], ids=["in memory", "through a file"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that stay in memory: more than there are, and fewer."""
    monkeypatch.setattr(shuffle, "RUN", request.param)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("person", ["", "who"])
def test_the_order_of_the_file_tells_nothing_of_the_tables(person: str, tmp_path: Path) -> None:
    """Real entropy: the correlation is beyond 6.1 standard deviations with probability 1e-9."""
    n = 20_000
    data = people(np.arange(n), who=[f"person {k}" for k in range(n)])
    gp.privatize(sharp(n), data, tmp_path / "r.parquet", person=person)
    assert correlation(tmp_path / "r.parquet", n) < 6.1
    assert np.abs(np.sort(cells(tmp_path / "r.parquet", sharp(n))) - np.arange(n)).max() < 20  # everyone is there


@pytest.mark.usefixtures("way")
def test_keys_that_follow_the_table_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting(People):
        def keys(self, names: pa.Array | None, n: int) -> Keys:
            found = super().keys(names, n)
            found[:, 0] = np.arange(n, dtype=np.uint64) << np.uint64(48)  # all people are in one batch here
            return found

    monkeypatch.setattr(local, "People", Counting)
    n = 20_000
    gp.privatize(sharp(n), people(np.arange(n)), tmp_path / "r.parquet")
    assert correlation(tmp_path / "r.parquet", n) > 100


def test_ids_are_new_in_every_run_and_tell_nothing_of_names(tmp_path: Path) -> None:
    data = people(np.linspace(-1.0, 1.0, 500), who=np.arange(500))
    ids = []
    for name in ("a.parquet", "b.parquet"):
        gp.privatize(DESIGN, data, tmp_path / name, person="who", again=True)
        ids += pq.read_table(tmp_path / name)["id"].to_pylist()
    assert len(set(ids)) == 1000


# ---- people


@pytest.mark.usefixtures("way")
def test_a_person_reports_once_by_the_first_row_that_can_be_read(tmp_path: Path) -> None:
    n = 10_000
    who = [*(f"p{k}" for k in range(n)), *(f"p{k}" for k in range(n)), "p0", "", None]
    x = [float("nan"), *np.full(n - 1, 100.0), *np.full(n, 900.0), 5000.0, 1.0, 2.0]
    done = gp.privatize(sharp(10_000), people(x, who=who), tmp_path / "r.parquet", person="who")
    assert (done.rows, done.reports, done.repeated) == (2 * n + 3, n, n)
    assert done.unread == {"not finite": 1, "no person": 2}
    found = cells(tmp_path / "r.parquet", sharp(10_000))
    assert (np.abs(found - 100) < 50).sum() == n - 1
    assert (np.abs(found - 900) < 50).sum() == 1  # whose first row could not be read


def test_the_designs_own_person_column_counts_and_can_be_turned_off(tmp_path: Path) -> None:
    design = Design("s", DESIGN.mechanisms, source=gp.Source(("income",), (-4.0,), (4.0,), person="who"))
    data = people([1.0, 2.0, 3.0], who=["a", "a", "b"])
    assert gp.privatize(design, data, tmp_path / "a.parquet").reports == 2
    assert gp.privatize(design, data, tmp_path / "b.parquet", person="", again=True).reports == 3


# ---- counts and refusals


def test_rows_that_cannot_be_read_are_counted_by_reason_and_the_others_reported(tmp_path: Path) -> None:
    text = "income,note\n" + "1.5,\n" * 10 + ",x\n" + '"1,000",x\n' * 2 + "inf,x\nnan,x\n" + "3\n" + "0.5,ok\n"
    (tmp_path / "people.csv").write_text(text)
    done = gp.privatize(DESIGN, tmp_path / "people.csv", tmp_path / "r.ndjson", allow_unreadable=0.5)
    assert (done.rows, done.reports) == (17, 11)
    assert done.unread == {"missing": 1, "not a number": 2, "not finite": 2, "wrong number of values": 1}
    assert done.as_json()["output"] == str(tmp_path / "r.ndjson")
    assert accepted(tmp_path / "r.ndjson", DESIGN) == 11


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (people([]), {}, "no rows"),
        (people([np.nan, np.inf]), {}, r"none of the 2 rows could be read \(2 not finite\)"),
        (people([1.0]), {"person": "who"}, "no column 'who'"),
        (people([1.0]), {"person": "income"}, "apart from the person's"),
        (people([1.0]), {"output": "reports.csv"}, r"a file of \.parquet"),
        (people([1.0]), {"output": "none/reports.parquet"}, "no folder"),
        (people([1.0]), {"output": "there.parquet"}, "second report"),
        (people([1.0]), {"design": two_tables()}, r"in which columns.*under \[space\]"),
    ],
)
def test_what_cannot_be_done_is_refused_and_leaves_nothing(
    data: pa.Table, options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    (tmp_path / "there.parquet").write_bytes(b"old")
    output = tmp_path / options.pop("output", "reports.parquet")
    with pytest.raises(gp.InvalidParameter, match=words):
        gp.privatize(options.pop("design", DESIGN), data, output, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["there.parquet"]
    assert (tmp_path / "there.parquet").read_bytes() == b"old"


def test_a_file_that_appears_on_the_way_is_not_replaced(tmp_path: Path) -> None:
    def late(stage: str, rows: int, share: float | None) -> None:
        (tmp_path / "r.parquet").write_bytes(b"another's")

    with pytest.raises(gp.InvalidParameter, match="second report"):
        gp.privatize(DESIGN, people([1.0]), tmp_path / "r.parquet", progress=late)
    assert (tmp_path / "r.parquet").read_bytes() == b"another's"


def test_progress_is_told_in_two_stages_that_end_at_one(tmp_path: Path) -> None:
    heard: list[tuple[str, int, float | None]] = []
    many = people(np.linspace(-1.0, 1.0, 300_000))
    gp.privatize(DESIGN, many, tmp_path / "r.parquet", progress=lambda *told: heard.append(told))
    assert [stage for stage, *_ in heard] == ["reading"] * 3 + ["writing"] * 2
    assert all(rows > 0 for _, rows, _ in heard)
    assert heard[2][2] == heard[4][2] == 1.0


def test_lines_are_canonical_json(tmp_path: Path) -> None:
    gp.privatize(DESIGN, people([1.0, 2.0]), tmp_path / "r.jsonl")
    for line in (tmp_path / "r.jsonl").read_text().splitlines():
        assert json.dumps(json.loads(line), sort_keys=True, separators=(",", ":")) == line


# ---- runs that end badly


@pytest.mark.parametrize("name", ["reports.parquet", "reports.ndjson"])
def test_who_may_read_the_reports_is_left_to_the_umask(name: str, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        gp.privatize(sharp(5), people([1.0]), tmp_path / name)
    finally:
        os.umask(before)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_an_error_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gp.privatize(DESIGN, people([1.0]), tmp_path / "r.parquet", progress=stop)
    assert list(tmp_path.iterdir()) == []


ENDLESS = """
import sys, numpy, pyarrow as pa, geopriv as gp
batch = pa.record_batch({"income": numpy.zeros(1 << 17)})
def batches():
    while True:
        yield batch
        print("going", flush=True)
reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
gp.privatize(gp.Design.read(sys.argv[1]), reader, sys.argv[2])
"""


@pytest.fixture
def design_file(tmp_path: Path) -> Path:
    DESIGN.write(tmp_path / "design.json")
    return tmp_path / "design.json"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_leaves_no_output_and_the_next_one_clears_up(how: int, design_file: Path) -> None:
    folder = design_file.parent / "out"
    folder.mkdir()
    command = [sys.executable, "-c", ENDLESS, str(design_file), str(folder / "r.parquet")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        for _ in range(20):  # past the first million rows, so that some are in a file
            assert running.stdout.readline()
        (left,) = folder.iterdir()
        assert left.name.startswith(".r.parquet.")
        assert left.name.endswith(".parts")
        assert (left / "rows").stat().st_size > 0
        with pytest.raises(gp.InvalidParameter, match="Another run is writing"):
            gp.privatize(DESIGN, people([1.0]), folder / "r.parquet", overwrite=True)
        assert left.exists()
        running.send_signal(how)
        running.stdout.close()
    assert running.returncode != 0
    assert [path.name for path in folder.iterdir()] == ([] if how == signal.SIGINT else [left.name])
    gp.privatize(DESIGN, people([1.0]), folder / "r.parquet")
    assert sorted(path.name for path in folder.iterdir()) == ["r.parquet", "r.parquet.manifest"]


def test_the_folder_of_another_output_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".other.parquet.x.parts").mkdir()
    (tmp_path / ".r[1].parquet.x.parts").mkdir()
    with parts(tmp_path / "r1.parquet"):
        pass
    assert len(list(tmp_path.iterdir())) == 2
    with parts(tmp_path / "r[1].parquet"):
        pass
    assert len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gp.privatize(DESIGN, people(np.arange(3.0)), tmp_path / "first.ndjson")  # what is compiled is kept on the disk too
    monkeypatch.setattr(shuffle, "RUN", 1 << 16)
    for name, n in (("r.parquet", 60_000), ("r.ndjson", 60_000), ("r.parquet", 100_000)):
        with largest_file(1 << 20), pytest.raises(OSError, match="Nothing was written, for the disk said: File too la"):
            gp.privatize(DESIGN, people(np.linspace(-1.0, 1.0, n)), tmp_path / name, again=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.ndjson", "first.ndjson.manifest"]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes: a full disk, for this process only."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# ---- the command


def run(*arguments: str | Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of the command, as if it were started in a shell."""
    monkeypatch.setattr(sys, "argv", ["geopriv", "privatize", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    return int(stopped.value.code or 0)


def test_the_command_writes_reports_and_says_what_it_did(design_file: Path) -> None:
    (design_file.parent / "people.csv").write_text("income,who\n1.5,a\nx,b\n2.5,a\n3,c\n")
    command = [sys.executable, "-m", "geopriv", "privatize", "design.json", "people.csv", "--person", "who"]
    command += ["--allow-unreadable", "25%"]
    done = subprocess.run(command, cwd=design_file.parent, capture_output=True, text=True, timeout=120, check=True)
    for words in ("rows read", "left out: not a number", "repeated person", "look alike", "geopriv estimate"):
        assert words in done.stdout
    assert "a file of their own" in done.stdout.replace("\n", " ")  # a second run of all would be a second report
    assert done.stderr == ""  # no bar where there is no terminal
    assert accepted(design_file.parent / "reports.parquet", DESIGN) == 2


def test_the_command_runs_a_query_and_speaks_json(
    design_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    query, output = "select range / 100 as income from range(500)", design_file.parent / "r.ndjson"
    assert run(design_file, "--query", query, "-o", output, "--json", monkeypatch=monkeypatch) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["reports"], found["unread"]) == (500, 500, {})
    assert found["design"] == DESIGN.hash
    assert "look alike" in found["guarantee"]


BAD_COMMANDS = [
    ((), "neither"),
    (("people.csv", "--query", "select 1"), "both"),
    (("people.csv", "--database", "x.duckdb"), "data"),
    (("none.csv",), "none.csv"),
    (("design.json",), "holds a design"),
    (("people.csv", "-o", "design.json"), "a file of .parquet"),
    (("people.csv", "-o", "there.parquet"), "second report"),
    (("people.csv", "-o", "no/folder/r.parquet"), "no/folder"),
    (("people.csv", "--person", "wo"), "Did you mean 'who'?"),
    (("broken.csv", "-o", "r.parquet"), "quote"),
    (("people.csv", "--overwrite", "-o", "folder.parquet"), "Nothing was written"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD_COMMANDS, ids=str)
def test_bad_input_is_one_sentence_and_exit_code_2(
    design_file: Path,
    arguments: tuple[str, ...],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(design_file.parent)
    Path("people.csv").write_text("income,who\n3.98765432,a\n")
    Path("broken.csv").write_text('income,who\n"987654321,a\n1,b\n2,c\n')
    Path("there.parquet").write_text("")
    Path("folder.parquet").mkdir()
    before = sorted(Path().iterdir())
    assert run("design.json", *arguments, monkeypatch=monkeypatch) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert words in shown.err
    assert len(shown.err.strip().splitlines()) == 1
    assert "98765432" not in shown.err
    assert sorted(Path().iterdir()) == before


def test_a_terminal_sees_rows_and_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, now = io.StringIO(), 10.0
    monkeypatch.setattr("geopriv.commands.talk.perf_counter", lambda: now)
    with Talk().bar(Console(file=shown, force_terminal=True, width=100)) as bar:
        bar.tell("reading", 0.25, 1000)  # nobody knows how long these took
        bar.progress.refresh()
        bar.tell("writing", None, 4000)
        bar.progress.refresh()
        assert "25%  1,000 rows" in shown.getvalue()
        assert "4,000 rows" in shown.getvalue()
        assert "a second" not in shown.getvalue()
        now = 12.0
        bar.tell("writing", None, 10_000)
        bar.progress.refresh()
    assert "10,000 rows, 3,000 a second" in shown.getvalue()


def test_the_peoples_own_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"income": [1.0, 2.0]}), path)
    before = path.read_bytes()
    with pytest.raises(gp.InvalidParameter, match="may be the people's own"):
        gp.privatize(DESIGN, path, path, overwrite=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["out.parquet", "out.ndjson"])
def test_only_reports_are_replaced(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    gp.privatize(DESIGN, people([1.0]), out)
    gp.privatize(DESIGN, people([1.0, 2.0]), out, overwrite=True, again=True)
    assert gp.tally(DESIGN, [out]).n == 2
    for text in (b"", b'{"design": "x"}\n', out.read_bytes()[:40]):
        out.write_bytes(text)
        if not text:
            gp.privatize(DESIGN, people([1.0]), out, overwrite=True, again=True)
            continue
        with pytest.raises(gp.InvalidParameter, match="a file of reports"):
            gp.privatize(DESIGN, people([1.0]), out, overwrite=True)
        assert out.read_bytes() == text
