"""Files of reports that are small on the disk and large in memory: refused before they are decoded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.reports import parquet_pages
from geopriv.reports.engines.duckdb.counting import reports_query
from geopriv.reports.files import ReportBatch, write_reports
from geopriv.reports.reader import ReportReader
from geopriv.reports.report_files import BATCH
from tests import bombs
from tests.bombs import (
    BYTES,
    INT32,
    Column,
    constant,
    listed,
    run,
    text,
)
from tests.designs import table_design

DESIGN = table_design()
HASH, NAME = text(DESIGN.hash.encode()), text(b"0" * 32)


def reports(rows: int, size: int | None = None, groups: int = 1, **columns: Column) -> bytes:
    """A file of equal reports, with other columns where they are given."""
    made = {
        "design": constant(BYTES, rows, HASH),
        "name": constant(BYTES, rows, NAME),
        "mechanism": constant(INT32, rows, b"\0" * 4),
        "report": listed(rows, rows),
    }
    return bombs.file(rows, **(made | columns), size=size, groups=groups)


def _texts(n: int, length: int) -> Column:
    return Column(BYTES, n, text(b"0" * length) * n, encoding=bombs.PLAIN, packed=True)


def _zeros(size: int) -> Column:
    """A page of zeros, which are empty texts, and more of them than it says."""
    return Column(BYTES, 1 << 22, bytes(size), encoding=bombs.PLAIN, packed=True)


def _among_short() -> Column:
    """A dictionary of many short texts, and a long one that all rows name."""
    entries = text(b"0" * 50_000) + text(b"") * 300
    return Column(BYTES, BATCH, b"\x01" + run(BATCH, 0), entries, 301, packed=True)


def _delta(rows: int) -> Column:
    return Column(BYTES, rows, b"\x80\x01\x04" + run(rows, 0), encoding=bombs.DELTA_LENGTH)


BOMBS: dict[str, Any] = {
    "a long text": lambda: reports(BATCH, name=constant(BYTES, BATCH, text(b"0" * 50_000), packed=True)),
    "a long text in every row": lambda: reports(BATCH, name=_among_short()),
    "a long hash in every row": lambda: reports(BATCH, design=_among_short()),
    "a long list": lambda: reports(1, report=listed(1 << 27)),
    "many long lists": lambda: reports(1, groups=200, report=listed((1 << 24) - 10)),
    "many lists of some length": lambda: reports(1, groups=600, report=listed(1 << 13)),
    "many rows": lambda: reports((1 << 31) - 1),
    "long texts": lambda: reports(20_000, name=_texts(20_000, 50_000)),
    "a large page": lambda: reports(1 << 22, report=listed(1 << 22, 1 << 22), name=_zeros(1 << 28)),
    "a large page under a small footer": lambda: reports(1 << 22, size=100, name=_zeros(1 << 28)),
    "a large dictionary": lambda: reports(3, name=Column(BYTES, 3, b"\x01" + run(3, 0), NAME, (1 << 31) - 1)),
    "a page that lies": lambda: reports(3, name=Column(BYTES, 3, b"\x01" + run(3, 0), NAME, unpacked=(1 << 31) - 1)),
    "another encoding": lambda: reports(3, name=_delta(3)),
}
REASONS = {"another encoding": "malformed"}

READ = """
import json, resource, sys
from geopriv.surveys.design import Design
from geopriv.reports.reader import ReportReader
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
reader = ReportReader(Design.read(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in reader.read(sys.argv[2]):
    pass
taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([reader.accepted, dict(reader.rejected), taken >> 10]))
"""


def read_apart(folder: Path, name: str) -> tuple[int, dict[str, int], int]:
    """What another process accepts and rejects of a file, and the megabytes that it takes for that."""
    DESIGN.write(folder / "design.json")
    command = [sys.executable, "-c", READ, str(folder / "design.json"), str(folder / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    accepted, rejected, taken = json.loads(done.stdout)
    return accepted, rejected, taken


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_little_memory(name: str, tmp_path: Path) -> None:
    data = BOMBS[name]()
    assert len(data) < 200_000
    (tmp_path / "bomb.parquet").write_bytes(data)
    accepted, rejected, taken = read_apart(tmp_path, "bomb.parquet")
    assert taken < 200
    if name.endswith("in every row"):  # the texts are never written out
        assert accepted == 0
        assert rejected == {"malformed" if "text" in name else "wrong design": BATCH}
        return
    assert (accepted, rejected) == (0, {REASONS.get(name, "too large"): 1})
    with pytest.raises(gp.InvalidParameter, match=r"bomb\.parquet .* it was not decoded"):
        reports_query([tmp_path / "bomb.parquet"])


def test_the_longest_lists_that_are_let_through_take_some_hundred_megabytes(tmp_path: Path) -> None:
    """Each is in a row group that has the rows for it."""
    rows = (1 << 18) - 64
    (tmp_path / "bomb.parquet").write_bytes(reports(rows, groups=4, report=listed(64 * rows, rows)))
    accepted, rejected, taken = read_apart(tmp_path, "bomb.parquet")
    assert (accepted, rejected) == (1, {"out of range": 4, "repeated id": 4 * rows - 5})
    assert taken < 700


def test_row_groups_are_read_together_as_long_as_they_are_small(tmp_path: Path) -> None:
    """A batch of one row from each of many groups would hold all their lists."""
    (tmp_path / "reports.parquet").write_bytes(reports(1, groups=1500, report=listed(1 << 12)))
    spans = parquet_pages.require_bounded(tmp_path / "reports.parquet", (), (), ("report",)).spans
    assert [k for groups in spans for k in groups] == list(range(1500))
    assert {len(groups) for groups in spans[:-1]} == {1 << 10}


def test_without_a_bomb_the_file_written_by_hand_is_read(tmp_path: Path) -> None:
    """So that the others are refused for what is in them."""
    (tmp_path / "reports.parquet").write_bytes(reports(3))
    reader = ReportReader(DESIGN)
    (batch,) = reader.read(tmp_path / "reports.parquet")
    assert batch.rows.tolist() == [[1]]
    assert dict(reader.rejected) == {"repeated id": 2}


def test_the_test_of_memory_would_see_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: sizes are not looked at."""
    (tmp_path / "bomb.parquet").write_bytes(BOMBS["a long list"]())
    monkeypatch.setattr(sys.modules[__name__], "READ", READ.replace("reader = ", f"{LENIENT}\nreader = "))
    assert read_apart(tmp_path, "bomb.parquet")[2] > 500


LENIENT = "from geopriv.reports import report_files; report_files.require_bounded = lambda *_: (set(), [[0]])"


def test_a_footer_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reports.parquet").write_bytes(reports(3))
    monkeypatch.setattr(parquet_pages, "_FOOTER", 100)
    reader = ReportReader(DESIGN)
    assert list(reader.read(tmp_path / "reports.parquet")) == []
    assert dict(reader.rejected) == {"too large": 1}


EVERY = """
import resource, sys
from pathlib import Path
from geopriv.surveys.design import Design
from geopriv.reports.reader import ReportReader
design, path = Design.read(sys.argv[1]), Path(sys.argv[2])
whole, before = path.read_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
length = int.from_bytes(whole[-8:-4], "little")
for at in range(len(whole) - 8 - length, len(whole) - 8):
    for change in (8, 255):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1:])
        reader = ReportReader(design)
        read = sum(map(len, reader.read(path)))
        assert read <= 50 and (read == 50 or reader.rejected), at
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def test_no_change_of_a_byte_in_a_footer_ends_the_process_or_takes_memory(tmp_path: Path) -> None:
    """Arrow ends the process where it is asked about a column whose sizes do not belong to its type."""
    write_reports(tmp_path / "reports.parquet", DESIGN, [ReportBatch(0, np.zeros((50, 1), dtype=np.int64))])
    DESIGN.write(tmp_path / "design.json")
    command = [sys.executable, "-c", EVERY, str(tmp_path / "design.json"), str(tmp_path / "reports.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) < 200


def test_a_footer_that_readers_could_understand_in_two_ways_is_refused(tmp_path: Path) -> None:
    """Row groups that are said to be texts: Thrift's own reader does not look at what a list is said to hold."""
    data = reports(3)
    groups = bytes([0x19, 0xFC, 1])  # a list, of structures, with one of them
    assert data.count(groups) == 1
    (tmp_path / "reports.parquet").write_bytes(data.replace(groups, bytes([0x19, 0xF8, 1])))
    assert pq.read_metadata(tmp_path / "reports.parquet").num_row_groups == 1
    reader = ReportReader(DESIGN)
    assert list(reader.read(tmp_path / "reports.parquet")) == []
    assert dict(reader.rejected) == {"malformed": 1}


def test_lines_take_little_memory_whatever_is_in_them(tmp_path: Path) -> None:
    """A list takes two bytes in JSON and some sixty in Python; one line has a hundred million bytes."""
    line = b'{"report":[' + b"[]," * 1300 + b"[]]}\n"
    (tmp_path / "reports.ndjson").write_bytes(line * 20_000 + b"x" * 100_000_000 + b"\n")
    accepted, rejected, taken = read_apart(tmp_path, "reports.ndjson")
    assert (accepted, rejected) == (0, {"malformed": 20_001})
    assert taken < 700


def test_a_tally_of_many_equal_rows_takes_little_memory(tmp_path: Path) -> None:
    """What is said to be a tally is trusted for its counts, not for its size."""
    gp.Tally(DESIGN).write(tmp_path / "tally.parquet")
    schema, n = pq.read_schema(tmp_path / "tally.parquet"), 1 << 20
    which, times = pa.array(np.zeros(n, np.int32)), pa.array(np.ones(n, np.int64))
    lists = pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32), np.ones(n, np.int64))
    pq.write_table(pa.Table.from_arrays([which, lists, times], schema=schema), tmp_path / "tally.parquet")
    total = gp.Tally.read(tmp_path / "tally.parquet", DESIGN)
    assert total.counts(0).times.tolist() == [n]
    (tmp_path / "bomb.parquet").write_bytes(BOMBS["a long list"]())
    with pytest.raises(gp.InvalidParameter):
        gp.Tally.read(tmp_path / "bomb.parquet", DESIGN)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "none", "use_dictionary": False},
        {"data_page_version": "2.0", "compression": "gzip"},
        {"row_group_size": 1000, "data_page_size": 100},
        {"store_schema": False, "write_page_index": True, "write_page_checksum": True},
    ],
    ids=str,
)
def test_what_honest_writers_write_is_read(options: dict[str, Any], tmp_path: Path) -> None:
    """And the same by both readers: ids of which some are in a dictionary and some are not."""
    batch = ReportBatch(0, np.random.default_rng(0).integers(0, 4, (70_000, 1)))
    write_reports(tmp_path / "ours.parquet", DESIGN, [batch])
    table = pq.read_table(tmp_path / "ours.parquet")
    pq.write_table(table, tmp_path / "theirs.parquet", **options)
    expected = gp.tally(DESIGN, [tmp_path / "ours.parquet"])
    assert expected.n == 70_000
    assert gp.tally(DESIGN, [tmp_path / "theirs.parquet"]) == expected
    assert gp.tally(DESIGN, tmp_path / "theirs.parquet", engine="duckdb") == expected


def test_what_duckdb_writes_is_read(tmp_path: Path) -> None:
    batch = ReportBatch(0, np.random.default_rng(0).integers(0, 4, (300_000, 1)))
    write_reports(tmp_path / "ours.parquet", DESIGN, [batch])
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM '{tmp_path}/ours.parquet') TO '{tmp_path}/theirs.parquet'")
    theirs, ours = (gp.tally(DESIGN, [tmp_path / name]) for name in ("theirs.parquet", "ours.parquet"))
    assert theirs == ours
    assert ours.n == 300_000
