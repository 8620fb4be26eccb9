"""Files of reports: round trips in both formats, and every bad report rejected for the right reason and counted."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import geopriv as gp
from geopriv.client import load
from geopriv.pages import words
from geopriv.reports.files import COLUMNS, ReportBatch, write_reports
from geopriv.reports.reader import EVERY_REASON, REASONS, ReportReader, read_reports
from geopriv.reports.report_files import BATCH
from geopriv.surveys.design import Design
from tests.designs import lattice_design, table_design, two_tables
from tests.structure import errors_of

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "reports.schema.json").read_text("utf-8"))
DESIGN = table_design()
FORMATS = pytest.mark.parametrize("name", ["reports.ndjson", "reports.parquet", "other.parquet"])


def batch(n: int, mechanism: int = 0, axes: int = 1, seed: int = 0) -> ReportBatch:
    return ReportBatch(mechanism, np.random.default_rng(seed).integers(0, 4, (n, axes)))


def line(**change: Any) -> dict[str, Any]:
    return {"design": DESIGN.hash, "id": "0" * 32, "mechanism": 0, "report": [1]} | change


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".parquet":
        # columns of other types, and gaps, are read one by one: "other.parquet" takes that way
        schema = None if path.stem == "other" else COLUMNS
        pq.write_table(pa.Table.from_pylist(rows, schema), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@FORMATS
@pytest.mark.parametrize(
    ("design", "batches"),
    [
        (DESIGN, [batch(1000), batch(10, seed=1)]),
        (two_tables(), [batch(10, k, seed=k) for k in (2, 0, 1)]),
        (lattice_design(), [ReportBatch(0, np.array([[2**52, -(2**52)], [0, -7]]))]),
        (DESIGN, []),
    ],
    ids=["table", "three tables", "lattice", "nothing"],
)
def test_reports_come_back_as_they_were(name: str, design: Design, batches: list[ReportBatch], tmp_path: Path) -> None:
    assert write_reports(tmp_path / name, design, batches) == sum(map(len, batches))
    reader = ReportReader(design)
    again = list(reader.read(tmp_path / name))
    assert reader.accepted == sum(map(len, batches))
    assert not reader.rejected
    for mechanism in range(len(design.mechanisms)):
        before, after = ([b for b in found if b.mechanism == mechanism] for found in (batches, again))
        assert [i for b in before for i in b.ids] == [i for b in after for i in b.ids]
        for left, right in zip([b.rows for b in before], [b.rows for b in after], strict=False):
            np.testing.assert_array_equal(left, right[: len(left)])
    assert [file.name for file in tmp_path.iterdir()] == [name]


@FORMATS
def test_a_file_of_several_batches_is_read_in_several(name: str, tmp_path: Path) -> None:
    write_reports(tmp_path / name, DESIGN, (batch(BATCH // 2, seed=k) for k in range(3)))
    sizes = [len(found) for found in ReportReader(DESIGN).read(tmp_path / name)]
    assert sum(sizes) == 3 * (BATCH // 2)
    assert len(sizes) > 1
    assert max(sizes) <= BATCH


def test_lines_fit_the_published_schema(tmp_path: Path) -> None:
    write_reports(tmp_path / "reports.ndjson", DESIGN, [batch(5)])
    for text in (tmp_path / "reports.ndjson").read_text("utf-8").splitlines():
        assert errors_of(SCHEMA, json.loads(text)) == []


def test_a_whole_number_may_be_written_with_a_point_as_the_published_schema_has_it(tmp_path: Path) -> None:
    """To JSON Schema 138.0 is an integer; no schema can forbid it."""
    path, good = tmp_path / "reports.ndjson", json.dumps(line())
    texts = [good.replace("[1]", f"[{one}]") for one in ("1.0", "1e0", "10E-1", "-0.0")]
    texts += [good.replace('"mechanism": 0', f'"mechanism": {one}') for one in ("0.0", "-0", "0e9")]
    for text in texts:
        assert jsonschema_rs.is_valid(SCHEMA, json.loads(text))
        path.write_text(f"{text}\n", encoding="utf-8")
        found, rejected = read_reports(path, DESIGN)
        assert (len(found[0]), dict(rejected)) == (1, {})


BAD: list[tuple[str, dict[str, Any]]] = [
    ("wrong design", {"design": "0" * 64}),
    ("out of range", {"report": [4]}),
    ("out of range", {"report": [-1]}),
    ("out of range", {"report": [1, 1]}),
    ("out of range", {"report": []}),
    ("out of range", {"mechanism": 1}),
    ("out of range", {"mechanism": -1}),
    ("malformed", {"id": "0" * 31}),
    ("malformed", {"id": "G" * 32}),
    ("malformed", {"id": None}),
]


@FORMATS
@pytest.mark.parametrize(("reason", "change"), BAD, ids=str)
def test_a_bad_report_is_rejected_for_its_reason_and_the_others_are_kept(
    name: str, reason: str, change: dict[str, Any], tmp_path: Path
) -> None:
    rows = [line(), line(id="1" * 32) | change, line(id="2" * 32)]
    write_rows(tmp_path / name, rows)
    reader = ReportReader(DESIGN)
    kept = [i for found in reader.read(tmp_path / name) for i in found.ids]
    assert kept == ["0" * 32, "2" * 32]
    assert dict(reader.rejected) == {reason: 1}
    assert reason in REASONS


def test_every_reason_has_its_words_and_its_place_in_the_published_schema() -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "estimates.schema.json").read_text("utf-8"))
    assert set(schema["properties"]["rejected"]["properties"]) == set(EVERY_REASON) == set(words.REASONS)
    assert set(REASONS) <= set(EVERY_REASON)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", "null", '{"design": 1}', "\x00", '{"a":' * 600, "x" * 10_000]
    + [json.dumps(line() | change) for change in ({"report": [1.5]}, {"report": [True]}, {"mechanism": 1e18})]
    + [json.dumps(line() | change) for change in ({"extra": 1}, {"report": 1}, {"design": None})],
)
def test_a_malformed_line_is_rejected_and_the_others_are_kept(text: str, tmp_path: Path) -> None:
    path, good = tmp_path / "reports.ndjson", json.dumps(line(id="3" * 32))
    path.write_text(f"{text}\n{good}\n", encoding="utf-8")
    found, rejected = read_reports(path, DESIGN)
    assert dict(rejected) == {"malformed": 1}
    assert len(found[0]) == 1


@FORMATS
def test_a_repeated_id_counts_once_in_one_file_and_over_two(name: str, tmp_path: Path) -> None:
    write_rows(tmp_path / name, [line(), line(report=[2]), line(id="1" * 32)])
    reader = ReportReader(DESIGN)
    for expected in (2, 2):
        list(reader.read(tmp_path / name))
        assert reader.accepted == expected
    assert dict(reader.rejected) == {"repeated id": 4}


@FORMATS
def test_of_a_repeated_id_the_first_is_kept_whatever_its_mechanism(name: str, tmp_path: Path) -> None:
    design = two_tables()
    rows = [line(design=design.hash, mechanism=k, report=[k]) for k in (2, 0, 1)]
    write_rows(tmp_path / name, rows)
    reader = ReportReader(design)
    assert [(found.mechanism, found.rows.tolist()) for found in reader.read(tmp_path / name)] == [(2, [[2]])]
    assert dict(reader.rejected) == {"repeated id": 2}


@FORMATS
def test_ids_are_remembered_over_many_batches(name: str, tmp_path: Path) -> None:
    batches = [batch(BATCH // 2 + 1, seed=k) for k in range(3)]
    write_reports(tmp_path / name, DESIGN, [*batches, *batches[:2]])
    reader = ReportReader(DESIGN)
    kept = [i for found in reader.read(tmp_path / name) for i in found.ids]
    assert kept == [i for one in batches for i in one.ids]
    assert reader.accepted == len(kept)
    assert dict(reader.rejected) == {"repeated id": 2 * (BATCH // 2 + 1)}


@FORMATS
@pytest.mark.parametrize("cell", [2**53, -(2**53), -(2**63), 2**63 - 1])
def test_a_cell_that_no_float_tells_from_its_neighbour_is_out_of_range(name: str, cell: int, tmp_path: Path) -> None:
    design = lattice_design()
    write_rows(tmp_path / name, [line(design=design.hash, report=[0, part]) for part in (cell, 2**53 - 1)])
    reader = ReportReader(design)
    assert [found.rows.tolist() for found in reader.read(tmp_path / name)] == [[[0, 2**53 - 1]]]
    assert dict(reader.rejected) == {"out of range": 1}


def test_a_rejected_report_does_not_block_a_good_one_of_the_same_id(tmp_path: Path) -> None:
    write_rows(tmp_path / "reports.ndjson", [line(report=[9]), line()])
    found, rejected = read_reports(tmp_path / "reports.ndjson", DESIGN)
    assert len(found[0]) == rejected["out of range"] == 1


@pytest.mark.parametrize("cut", [1, 5, 100])
def test_a_truncated_file_keeps_its_whole_lines_and_says_so(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "reports.ndjson"
    write_reports(path, DESIGN, [batch(10)])
    path.write_bytes(path.read_bytes()[:-cut])
    found, rejected = read_reports(path, DESIGN)
    assert len(found[0]) == 9
    assert dict(rejected) == {"truncated": 1}


@pytest.mark.parametrize("cut", [1, 9, 500, 10**6])
def test_a_truncated_parquet_file_says_so(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "reports.parquet"
    write_reports(path, DESIGN, [batch(100)])
    path.write_bytes(path.read_bytes()[:-cut])
    found, rejected = read_reports(path, DESIGN)
    assert found == {}
    assert dict(rejected) == {"truncated": 1}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A folder with 150 reports in each format, and their manifests."""
    design = replace(DESIGN, source=gp.Source(("income",), low=(-4.0,), high=(4.0,)))
    people = pa.table({"income": np.linspace(-4.0, 4.0, 150)})
    (tmp_path / "sent").mkdir()
    design.write(tmp_path / "design.json")
    for name in ("a.ndjson", "b.parquet"):
        gp.privatize(design, people, tmp_path / "sent" / name, again=True)
    return tmp_path / "sent"


def test_what_was_written_is_counted_with_its_manifest_and_without(published: Path) -> None:
    design = gp.Design.read(published.parent / "design.json")
    note = json.loads((published / "a.ndjson.manifest").read_text())
    assert note == {
        "design": design.hash,
        "reports": 150,
        "sha256": hashlib.sha256((published / "a.ndjson").read_bytes()).hexdigest(),
    }
    for engine in ("arrow", "duckdb"):
        for given in (published, sorted(published.iterdir()), published / "a.ndjson"):
            found = gp.tally(design, given, engine=engine)
            assert (found.n, found.rejected) == (150 if given == published / "a.ndjson" else 300, {})
    for name in ("a.ndjson.manifest", "b.parquet.manifest"):
        (published / name).unlink()
    assert gp.tally(design, published).n == 300


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_lines_that_end_after_a_line_are_not_taken_for_a_whole_file(engine: str, published: Path) -> None:
    lines = (published / "a.ndjson").read_bytes().splitlines(keepends=True)
    (published / "a.ndjson").write_bytes(b"".join(lines[:-1]))
    design = gp.Design.read(published.parent / "design.json")
    for given in (published, [published / "a.ndjson"], str(published / "a.ndjson.manifest")):
        with pytest.raises(gp.InvalidParameter, match=r"a\.ndjson is not as it was written.*150 reports"):
            gp.tally(design, given, engine=engine)
    (published / "a.ndjson").unlink()
    with pytest.raises(gp.InvalidParameter, match=r"a\.ndjson is not there"):
        gp.tally(design, published, engine=engine)


@pytest.mark.parametrize("name", ["a.ndjson", "b.parquet"])
def test_no_flipped_bit_is_counted(name: str, published: Path) -> None:
    design, data = gp.Design.read(published.parent / "design.json"), (published / name).read_bytes()
    rng = np.random.default_rng(1)
    for at in rng.integers(0, 8 * len(data), 150).tolist():
        changed = bytearray(data)
        changed[at >> 3] ^= 1 << (at & 7)
        (published / name).write_bytes(changed)
        with pytest.raises(gp.InvalidParameter, match="not as it was written"):
            gp.tally(design, published / name)


@pytest.mark.parametrize("checksums", [True, False])
def test_pages_have_checksums_that_find_a_flipped_bit_without_a_manifest(checksums: bool, tmp_path: Path) -> None:
    """Of 400 bits none changes a count in silence; of the same reports without checksums some do."""
    path = tmp_path / "reports.parquet"
    write_reports(path, DESIGN, [batch(150)])
    if not checksums:
        pq.write_table(pq.read_table(path), path, compression="zstd")
    data, whole, changed = path.read_bytes(), gp.tally(DESIGN, path), 0
    for at in np.random.default_rng(1).integers(0, 8 * len(data), 400).tolist():
        flipped = bytearray(data)
        flipped[at >> 3] ^= 1 << (at & 7)
        path.write_bytes(flipped)
        try:
            found = gp.tally(DESIGN, path)
        except gp.InvalidParameter:
            continue
        changed += found != whole and found.rejected.total() < 150
    assert (changed == 0) == checksums


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_of_a_damaged_file_nothing_is_counted_by_any_engine(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "reports.parquet"
    write_reports(path, DESIGN, [batch(BATCH, seed=k) for k in range(3)])
    data = bytearray(path.read_bytes())
    at = len(data) * 5 // 6  # in the third row group
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(gp.InvalidParameter, match=r"reports\.parquet is damaged, cut off.*nothing was counted"):
        gp.tally(DESIGN, path, engine=engine)


def test_a_damaged_tally_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tally.parquet"
    total = gp.Tally(lattice_design())
    total.add(ReportBatch(0, np.random.default_rng(1).integers(-9, 9, (1000, 2))))
    total.write(path)
    data = bytearray(path.read_bytes())
    refused = 0
    for at in np.random.default_rng(1).integers(0, 8 * len(data), 100).tolist():
        flipped = bytearray(data)
        flipped[at >> 3] ^= 1 << (at & 7)
        path.write_bytes(flipped)
        try:
            assert gp.Tally.read(path, total.design) == total
        except gp.InvalidParameter:
            refused += 1
    assert refused > 30  # many bits are of the sketch of ids


def test_a_file_that_replaces_another_has_its_own_manifest(published: Path) -> None:
    design, path = gp.Design.read(published.parent / "design.json"), published / "a.ndjson"
    gp.privatize(design, pa.table({"income": [1.0, 2.0]}), path, again=True, overwrite=True)
    assert gp.tally(design, path).n == 2
    write_reports(path, design, [batch(3)])  # without one
    assert gp.tally(design, path).n == 3
    for damaged in (b'{"reports": "many"}', b'{"reports": Infinity, "sha256": ""}', b"[" * 1_000):
        (published / "a.ndjson.manifest").write_bytes(damaged)
        with pytest.raises(gp.InvalidParameter, match=r"manifest .* is damaged"):
            gp.tally(design, path)


def test_a_parquet_file_of_something_else_is_malformed(tmp_path: Path) -> None:
    pq.write_table(pa.table({"income": [1.0]}), tmp_path / "reports.parquet")
    assert dict(read_reports(tmp_path / "reports.parquet", DESIGN)[1]) == {"malformed": 1}


def test_values_that_python_cannot_hold_take_no_other_row_with_them(tmp_path: Path) -> None:
    good = pa.Table.from_pylist([line(id=f"{k:032x}") for k in range(5)])
    texts = [DESIGN.hash.encode()] * 4 + [b"\xff" * 64]
    bad = pa.Array.from_buffers(pa.string(), 5, pa.array(texts).buffers())  # the last is no UTF-8
    pq.write_table(good.set_column(0, "design", bad), tmp_path / "reports.parquet")
    found, rejected = read_reports(tmp_path / "reports.parquet", DESIGN)
    assert len(found[0]) == 4
    assert dict(rejected) == {"malformed": 1}


@pytest.mark.parametrize(
    ("column", "times"),
    [
        (pa.array([1 << 62, 0], pa.timestamp("us")), 2),
        (pa.array([1 << 30, 0], pa.date32()), 2),
        (pa.array([1 << 62, 0], pa.duration("s")), 2),
        (pa.array([0, 0], pa.timestamp("us", "No/Where")), 2),
        (None, 1),
    ],
    ids=["time", "date", "duration", "zone", "twice the same column"],
)
def test_columns_of_any_type_are_rejected_and_nothing_else(column: pa.Array | None, times: int, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([line(id=f"{k:032x}") for k in range(2)])
    other = table.append_column("id", table["id"]) if column is None else table.set_column(0, "design", column)
    pq.write_table(other, tmp_path / "reports.parquet")
    found, rejected = read_reports(tmp_path / "reports.parquet", DESIGN)
    assert found == {}
    assert set(rejected) == {"malformed"}
    assert rejected.total() == times


@FORMATS
def test_a_file_that_is_not_there_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_reports(tmp_path / name, DESIGN)


@FORMATS
@pytest.mark.parametrize(
    "bad",
    [
        ReportBatch(0, np.array([[4]])),
        ReportBatch(1, np.array([[0]])),
        ReportBatch(0, np.array([[0, 0]])),
        ReportBatch(0, np.array([[0]]), ("no id",)),
    ],
)
def test_what_the_design_cannot_have_made_is_not_written_and_the_old_file_stays(
    name: str, bad: ReportBatch, tmp_path: Path
) -> None:
    write_reports(tmp_path / name, DESIGN, [batch(3)])
    before = (tmp_path / name).read_bytes()
    with pytest.raises(gp.ReportRejected):
        write_reports(tmp_path / name, DESIGN, [batch(2), bad])
    assert (tmp_path / name).read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: ReportBatch(-1, np.zeros((1, 1), dtype=np.int64)),
        lambda: ReportBatch(0, np.zeros(1, dtype=np.int64)),
        lambda: ReportBatch(0, np.zeros((1, 1))),  # type: ignore[arg-type]
        lambda: ReportBatch(0, np.zeros((1, 1), dtype=np.int64), ("a", "b")),
    ],
)
def test_what_is_no_batch_is_refused(make: Callable[[], ReportBatch]) -> None:
    with pytest.raises(gp.InvalidParameter):
        make()


def test_lines_of_devices_become_an_estimate(tmp_path: Path) -> None:
    """Real entropy: the interval misses with probability 1e-9. The law of the table at x = 0.4 is its mean there."""
    DESIGN.write(tmp_path / "design.json")
    device = load(tmp_path / "design.json")
    lines = [device._line(0.4, os.urandom) for _ in range(4000)]
    (tmp_path / "reports.ndjson").write_text("\n".join(lines) + "\n")
    found, rejected = read_reports(tmp_path / "reports.ndjson", DESIGN)
    assert not rejected
    (table,) = DESIGN.mechanisms
    assert isinstance(table, gp.Table)
    answer = gp.estimate(table, found[0], confidence=1 - 1e-9)
    assert answer.low <= float(table.target([0.4])[0]) <= answer.high
    assert not answer.low <= float(table.target([-1.9])[0]) <= answer.high


def test_cells_of_a_lattice_become_an_estimate(tmp_path: Path) -> None:
    design = lattice_design(gp.Line("m"))
    rows = np.random.default_rng(0).integers(-5, 5, (50, 1))
    write_reports(tmp_path / "reports.parquet", design, [ReportBatch(0, rows)])
    found, _ = read_reports(tmp_path / "reports.parquet", design)
    np.testing.assert_array_equal(found[0], rows[:, 0])
    kernel = gp.GaussianKernel(0.0, 2000.0, gp.Line("m"))
    assert np.isfinite(gp.estimate(design.mechanisms[0], found[0], kernel).value)
