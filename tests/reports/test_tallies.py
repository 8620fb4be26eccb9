"""Tallies: however reports are split, ordered and merged, the counts are the same, and nothing else is counted."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.reports import tallies
from geopriv.reports.files import ReportBatch, write_reports
from geopriv.reports.ids import LEAST
from tests.designs import lattice_design, table_design, two_tables

DESIGN = table_design()
MAP = lattice_design()


def counted(design: gp.Design, *batches: ReportBatch) -> gp.Tally:
    total = gp.Tally(design)
    for batch in batches:
        total.add(batch)
    return total


def cells(n: int, seed: int = 0, spread: int = 5) -> ReportBatch:
    return ReportBatch(0, np.random.default_rng(seed).integers(-spread, spread, (n, 2)))


def direct(batches: list[ReportBatch]) -> tuple[list[list[int]], list[int]]:
    """Distinct rows and their counts, by the plain method."""
    rows, times = np.unique(np.concatenate([batch.rows for batch in batches]), axis=0, return_counts=True)
    return rows.tolist(), times.tolist()


def test_reports_are_counted_by_mechanism() -> None:
    design = two_tables()
    total = counted(design, *(ReportBatch(k, np.full((k + 2, 1), k)) for k in (2, 0, 0)))
    assert total.n == 8
    assert [total.counts(k).rows.tolist() for k in range(3)] == [[[0]], [], [[2]]]
    assert [total.counts(k).n for k in range(3)] == [4, 0, 4]


@pytest.mark.parametrize("waiting", [1, 7, 1 << 20])
def test_cells_are_counted_as_by_the_plain_method(waiting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "_WAITING", waiting)
    far = ReportBatch(0, np.array([[2**53 - 1, 1 - 2**53], [1 - 2**53, 0], [2**53 - 1, 1 - 2**53]]))
    batches = [cells(40, seed, spread) for seed, spread in ((1, 3), (2, 100), (3, 3))] + [far]
    found = counted(MAP, *batches).counts(0)
    assert (found.rows.tolist(), found.times.tolist()) == direct(batches)


def test_memory_grows_with_the_distinct_cells_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "_WAITING", 1000)
    total = gp.Tally(MAP)
    for seed in range(200):
        total.add(cells(500, seed))
        assert sum(len(part.times) for part in total._parts[0]) <= 100 + 1500
    assert total.n == 100_000


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_merging_parts_in_any_order_is_counting_all_at_once(owners: list[int], random: Any) -> None:
    rows = np.random.default_rng(len(owners)).integers(-2, 3, (len(owners), 2))
    owner = np.asarray(owners)
    parts = [counted(MAP, ReportBatch(0, rows[owner == k])) for k in range(6)]
    random.shuffle(parts)
    total = parts[0]
    for part in parts[1:]:
        total = part + total
    assert total == counted(MAP, ReportBatch(0, rows))
    assert counted(MAP, ReportBatch(0, np.vstack([rows, rows[:1]]))) != total


@given(st.lists(st.integers(0, 3), min_size=2, max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_files_split_in_any_way_give_the_tally_of_one_file(owners: list[int], random: Any) -> None:
    rows, owner = np.random.default_rng(len(owners)).integers(0, 4, (len(owners), 1)), np.asarray(owners)
    whole = ReportBatch(0, rows)
    with tempfile.TemporaryDirectory() as folder:
        *paths, before = (Path(folder) / name for name in ("a.parquet", "b.ndjson", "c.parquet", "tally.parquet"))
        for k in range(4):
            part = ReportBatch(0, rows[owner == k], tuple(np.asarray(whole.ids)[owner == k].tolist()))
            if k == 3:
                counted(DESIGN, part).write(before)
            else:
                write_reports(paths[k], DESIGN, [part])
        random.shuffle(paths)
        assert gp.tally(DESIGN, paths, tallies=[before]) == counted(DESIGN, whole)
        parts = gp.tally(DESIGN, paths[:2]) + gp.tally(DESIGN, paths[2:]) + gp.Tally.read(before, DESIGN)
        assert parts == counted(DESIGN, whole)


def test_a_report_in_two_files_counts_once_and_the_first_is_kept(tmp_path: Path) -> None:
    for name, symbol in (("first.parquet", 1), ("second.ndjson", 2)):
        write_reports(tmp_path / name, DESIGN, [ReportBatch(0, np.array([[symbol]]), ("7" * 32,))])
    total = gp.tally(DESIGN, [tmp_path / "first.parquet", tmp_path / "second.ndjson"])
    assert total.counts(0).rows.tolist() == [[1]]
    assert dict(total.rejected) == {"repeated id": 1}


def test_rejected_rows_are_counted_by_reason_over_files_and_tallies(tmp_path: Path) -> None:
    write_reports(tmp_path / "other.ndjson", table_design(survey="another"), [ReportBatch(0, np.zeros((3, 1), int))])
    good = {"design": DESIGN.hash, "id": "0" * 32, "mechanism": 0, "report": [1]}
    lines = [good, good, good | {"id": "1" * 32, "report": [4]}, good | {"id": "2" * 32, "report": [0, 0]}]
    (tmp_path / "mixed.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines) + "no line")
    first = gp.tally(DESIGN, [tmp_path / "mixed.ndjson"])
    assert first.n == 1
    assert dict(first.rejected) == {"repeated id": 1, "out of range": 2, "truncated": 1}
    first.write(tmp_path / "tally.parquet")
    both = gp.tally(DESIGN, [tmp_path / "other.ndjson"], tallies=[tmp_path / "tally.parquet"])
    assert both.n == 1
    assert dict(both.rejected) == {"repeated id": 1, "out of range": 2, "truncated": 1, "wrong design": 3}


@pytest.mark.parametrize(
    "total",
    [
        counted(DESIGN, ReportBatch(0, np.array([[3], [0], [3]]))),
        counted(two_tables(), ReportBatch(2, np.array([[3]])), ReportBatch(0, np.array([[1]]))),
        counted(MAP, cells(300), ReportBatch(0, np.array([[2**53 - 1, 1 - 2**53]]))),
        gp.Tally(DESIGN),
    ],
    ids=["table", "three tables", "lattice", "nothing"],
)
def test_a_tally_comes_back_from_its_file(total: gp.Tally, tmp_path: Path) -> None:
    total.rejected["malformed"] += 2
    total.write(tmp_path / "tally.parquet")
    assert gp.Tally.read(tmp_path / "tally.parquet", total.design) == total


def test_a_tally_of_the_very_reports_that_are_named_is_refused(tmp_path: Path) -> None:
    """Both together would count everybody twice, and make every interval too short."""
    names = [tmp_path / name for name in ("a.parquet", "b.parquet", "tally.parquet", "copy.parquet")]
    first, second, tally, copy = names
    batches = [cells(400, seed, spread=9) for seed in (1, 2)]
    for path, batch in zip((first, second), batches, strict=True):
        write_reports(path, MAP, [batch])
    for path in (tally, copy):
        counted(MAP, batches[0]).write(path)
    for reports, tallies_given in (([first], [tally]), ([], [tally, copy])):
        with pytest.raises(gp.InvalidParameter, match="counts the very reports"):
            gp.tally(MAP, reports, tallies=tallies_given)
    assert gp.tally(MAP, [second], tallies=[tally]).n == 800


def test_a_tally_of_the_very_reports_is_known_by_few_large_counts_too(tmp_path: Path) -> None:
    """A table has some twenty letters, fewer than a map has cells; all together are as unlikely to be alike."""
    design = gp.Design("letters", (gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0),))
    rng, last = np.random.default_rng(1), design.mechanisms[0].ends[0][1]
    batches = [ReportBatch(0, rng.integers(0, last, (n, 1))) for n in (9_000, 500)]
    some, others = (counted(design, batch) for batch in batches)
    paths = [tmp_path / name for name in ("some.parquet", "others.parquet", "both.parquet", "reports.parquet")]
    for path, part in zip(paths, (some, others, some + others), strict=False):
        part.write(path)
    write_reports(paths[3], design, [batches[0]])
    for named, also in ((paths[3:], paths[:1]), ([], paths[:3]), (paths[3:], paths[1:3])):
        with pytest.raises(gp.InvalidParameter, match="counts the very reports"):
            gp.tally(design, named, tallies=also)
    assert gp.tally(design, paths[3:], tallies=paths[1:2]).n == 9_500


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_tallies_that_share_one_report_in_a_thousand_are_not_added(engine: str, tmp_path: Path) -> None:
    """It is found with 98 %, here of 20 pairs in 18 and more (all but 1 in 140 times; the seed is fixed)."""
    rng, n, shared = np.random.default_rng(1), 20_000, 20
    found = 0
    for _ in range(20 if engine == "arrow" else 2):
        drawn = rng.bytes(16 * (2 * n - shared)).hex()
        ids = [drawn[at : at + 32] for at in range(0, len(drawn), 32)]
        for name, mine in (("first.parquet", ids[:n]), ("second.parquet", ids[n - shared :])):
            write_reports(tmp_path / name, MAP, [ReportBatch(0, rng.integers(-9, 9, (n, 2)), tuple(mine))])
            gp.tally(MAP, tmp_path / name, engine=engine).write(tmp_path / f"of-{name}")
        parts = [gp.Tally.read(tmp_path / f"of-{name}", MAP) for name in ("first.parquet", "second.parquet")]
        assert [(part.n, part.unknown) for part in parts] == [(n, 0)] * 2
        if parts[0].shares(parts[1]):
            with pytest.raises(gp.InvalidParameter, match="count some of the same reports"):
                parts[0] + parts[1]
            with pytest.raises(gp.InvalidParameter, match=r"of-second\.parquet' counts some reports that are given"):
                gp.tally(MAP, [tmp_path / "first.parquet"], tallies=[tmp_path / "of-second.parquet"], engine=engine)
            found += 1
        both = gp.tally(MAP, [tmp_path / "first.parquet", tmp_path / "second.parquet"], engine=engine)
        assert (both.n, both.rejected["repeated id"]) == (2 * n - shared, shared)  # reports find what a sketch may not
    assert found >= (18 if engine == "arrow" else 1)


def test_tallies_of_other_reports_are_added_whatever_they_hold(tmp_path: Path) -> None:
    """No id is shared: of 60 tallies none is refused, and the sum keeps the least ids of all."""
    parts = [counted(MAP, cells(400, seed)) for seed in range(60)]
    total = sum(parts[1:], parts[0])
    assert (total.n, total.unknown) == (24_000, 0)
    everything = np.concatenate([part._sketch.least for part in parts])
    assert total._sketch.least.tolist() == sorted(everything.tolist())[:LEAST]
    with pytest.raises(gp.InvalidParameter, match="count some of the same"):
        total + parts[7]


def test_all_engines_keep_the_same_ids(tmp_path: Path) -> None:
    write_reports(tmp_path / "r.parquet", MAP, [cells(9_000, seed) for seed in range(3)])
    whole = gp.tally(MAP, tmp_path / "r.parquet")
    table = pq.read_table(tmp_path / "r.parquet")
    ids = sorted({int(text[:16], 16) for text in table["id"].to_pylist()})
    assert whole._sketch.least.tolist() == ids[:LEAST]
    for source in (table, gp.Sql(f"from '{tmp_path}/r.parquet'")):
        assert gp.tally(MAP, source)._sketch.least.tolist() == ids[:LEAST]
    # ids that are not random, so that the bound of a query leaves too few
    few = ["0" * 31 + "1", *(f"f{k:031x}" for k in range(20_000))]
    write_reports(tmp_path / "odd.parquet", MAP, [ReportBatch(0, np.zeros((20_001, 2), dtype=np.int64), tuple(few))])
    odd = [gp.tally(MAP, tmp_path / "odd.parquet", engine=engine) for engine in ("arrow", "duckdb")]
    assert odd[0]._sketch.least.tolist() == odd[1]._sketch.least.tolist() == [0, 0xF << 60]


def test_of_a_tally_without_ids_it_is_known_that_nothing_is_known(tmp_path: Path) -> None:
    """As an earlier geopriv wrote it."""
    batch = cells(400, 1)
    counted(MAP, batch).write(tmp_path / "older.parquet")
    table = pq.read_table(tmp_path / "older.parquet")
    note = json.loads(table.schema.metadata[tallies.MARK])
    del note["ids"]
    pq.write_table(table.replace_schema_metadata({tallies.MARK: json.dumps(note)}), tmp_path / "older.parquet")
    older = gp.Tally.read(tmp_path / "older.parquet", MAP)
    assert (older.n, older.unknown) == (400, 400)
    more = counted(MAP, cells(300, 2), batch)
    assert ((older + more).n, (older + more).unknown) == (1_100, 400)  # twice the same, which nothing tells
    assert older.of_group(0).unknown == counted(MAP, batch).of_group(0).unknown == 400


@pytest.mark.parametrize(
    "ids",
    [
        {"of": 400},
        {"of": 401, "least": ""},
        {"of": "400", "least": ""},
        {"of": 0, "least": "AQAAAAAAAAA="},
        {"of": 400, "least": "AgAAAAAAAAABAAAAAAAAAA=="},
        {"of": 400, "least": "AQ=="},
        {"of": 400, "least": "*"},
        [],
    ],
)
def test_a_sketch_that_is_none_is_refused(ids: Any, tmp_path: Path) -> None:
    counted(MAP, cells(400, 1)).write(tmp_path / "tally.parquet")
    table = pq.read_table(tmp_path / "tally.parquet")
    note = json.loads(table.schema.metadata[tallies.MARK]) | {"ids": ids}
    pq.write_table(table.replace_schema_metadata({tallies.MARK: json.dumps(note)}), tmp_path / "tally.parquet")
    with pytest.raises(gp.InvalidParameter, match="whole file of counts"):
        gp.Tally.read(tmp_path / "tally.parquet", MAP)


def test_few_reports_may_be_alike_by_chance(tmp_path: Path) -> None:
    counted(DESIGN, ReportBatch(0, np.array([[1]]))).write(tmp_path / "tally.parquet")
    write_reports(tmp_path / "other.parquet", DESIGN, [ReportBatch(0, np.array([[1]]))])
    assert gp.tally(DESIGN, [tmp_path / "other.parquet"], tallies=[tmp_path / "tally.parquet"]).n == 2


def test_tallies_of_different_designs_are_kept_apart(tmp_path: Path) -> None:
    other = counted(table_design(survey="another"), ReportBatch(0, np.array([[1]])))
    with pytest.raises(gp.InvalidParameter, match="of the design"):
        gp.Tally(DESIGN) + other
    assert gp.Tally(DESIGN) != other
    other.write(tmp_path / "other.parquet")
    with pytest.raises(gp.InvalidParameter, match="a tally of the design"):
        gp.Tally.read(tmp_path / "other.parquet", DESIGN)


def test_a_tally_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    counted(DESIGN, ReportBatch(0, np.array([[1]]))).write(tmp_path / "tally.parquet")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "tally.parquet")
    with pytest.raises(gp.InvalidParameter, match="comes once"):
        gp.tally(DESIGN, [], tallies=[tmp_path / "tally.parquet", tmp_path / "link.parquet"])


@pytest.mark.parametrize(
    ("rows", "times", "which"),
    [
        ([[4]], [1], [0]),
        ([[0, 1]], [1], [0]),
        ([[0], []], [1, 1], [0, 0]),
        ([[0, 1], []], [1, 1], [0, 0]),
        ([[1]], [0], [0]),
        ([[1]], [-5], [0]),
        ([[1]], [1], [1]),
        ([[1]], [1], [-1]),
        ([[1]], [None], [0]),
        ([[0], [1]], [1 << 62, (1 << 62) + 5], [0, 0]),  # whose sum wraps around
        ([[1]], [1 << 41], [0]),
    ],
)
def test_a_forged_tally_is_refused(rows: list[list[int]], times: list[Any], which: list[int], tmp_path: Path) -> None:
    gp.Tally(DESIGN).write(tmp_path / "tally.parquet")
    schema = pq.read_schema(tmp_path / "tally.parquet")
    pq.write_table(pa.Table.from_arrays([which, rows, times], schema=schema), tmp_path / "forged.parquet")
    with pytest.raises(gp.InvalidParameter, match="counts that the design can have"):
        gp.Tally.read(tmp_path / "forged.parquet", DESIGN)


@pytest.mark.parametrize("times", [[1.5, 2.5], [1.5, float("nan")], [True, True]])
def test_a_tally_whose_columns_are_of_other_types_is_refused(times: list[Any], tmp_path: Path) -> None:
    gp.Tally(DESIGN).write(tmp_path / "tally.parquet")
    metadata = pq.read_schema(tmp_path / "tally.parquet").metadata
    table = pa.table({"mechanism": pa.array([0, 0], pa.int32()), "report": [[0], [1]], "times": times})
    pq.write_table(table.replace_schema_metadata(metadata), tmp_path / "forged.parquet")
    with pytest.raises(gp.InvalidParameter, match="counts that the design can have"):
        gp.Tally.read(tmp_path / "forged.parquet", DESIGN)


@pytest.mark.parametrize(
    "rejected", [{"<b>of their own</b>": 3}, {"malformed": -3}, {"malformed": 1e400}, {"malformed": "3"}, [1], None]
)
def test_a_tally_with_other_reasons_is_refused(rejected: Any, tmp_path: Path) -> None:
    note = {"version": tallies._VERSION, "design": DESIGN.hash, "rejected": rejected}
    schema = tallies._COLUMNS.with_metadata({tallies.MARK: json.dumps(note).encode()})
    pq.write_table(schema.empty_table(), tmp_path / "tally.parquet")
    with pytest.raises(gp.InvalidParameter, match="counts that the design can have"):
        gp.Tally.read(tmp_path / "tally.parquet", DESIGN)


@pytest.mark.parametrize("note", [b"{", b"3", b'{"version": 2}'])
def test_a_tally_with_a_damaged_note_is_refused(note: bytes, tmp_path: Path) -> None:
    gp.Tally(DESIGN).write(tmp_path / "tally.parquet")
    schema = pq.read_schema(tmp_path / "tally.parquet").with_metadata({tallies.MARK: note})
    pq.write_table(schema.empty_table(), tmp_path / "tally.parquet")
    with pytest.raises(gp.InvalidParameter, match="of version 1"):
        gp.Tally.read(tmp_path / "tally.parquet", DESIGN)


def test_a_file_of_reports_is_no_tally_and_a_missing_file_is_an_error(tmp_path: Path) -> None:
    write_reports(tmp_path / "reports.parquet", DESIGN, [ReportBatch(0, np.array([[1]]))])
    with pytest.raises(gp.InvalidParameter, match=r"Tally\.write"):
        gp.Tally.read(tmp_path / "reports.parquet", DESIGN)
    with pytest.raises(FileNotFoundError):
        gp.tally(DESIGN, [tmp_path / "none.parquet"])
    with pytest.raises(FileNotFoundError):
        gp.tally(DESIGN, [], tallies=[tmp_path / "none.parquet"])


def posing(path: Path, rows: pa.Table) -> Path:
    """A file that calls itself a tally of the design, whose hash is public."""
    note = {"version": tallies._VERSION, "design": DESIGN.hash, "rejected": {}}
    pq.write_table(rows.replace_schema_metadata({tallies.MARK: json.dumps(note).encode()}), path)
    return path


def test_a_file_of_reports_that_calls_itself_a_tally_is_read_as_reports(tmp_path: Path) -> None:
    """Else a stranger's file could add a thousand million reports."""
    one = {"design": [DESIGN.hash], "id": ["0" * 32], "mechanism": pa.array([0], pa.int32()), "report": [[1]]}
    path = posing(tmp_path / "reports.parquet", pa.table(one | {"times": pa.array([10**9])}))
    assert gp.tally(DESIGN, [path]).n == 1


def test_a_tally_among_the_reports_counts_nothing_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "reports.parquet"
    posing(path, pa.Table.from_arrays([[0], [[1]], [10**9]], schema=tallies._COLUMNS))
    with pytest.raises(gp.InvalidParameter, match=r"reports\.parquet holds counts and no reports.*--add-tally"):
        gp.tally(DESIGN, [path])
    reader = gp.reports.ReportReader(DESIGN)
    assert list(reader.read(path)) == []
    assert dict(reader.rejected) == {"malformed": 1}
    assert gp.tally(DESIGN, [], tallies=[path]).n == 10**9


def test_reports_among_the_tallies_are_named(tmp_path: Path) -> None:
    write_reports(tmp_path / "reports.parquet", DESIGN, [ReportBatch(0, np.array([[1]]))])
    (tmp_path / "reports.ndjson").write_text("{}\n")
    with pytest.raises(gp.InvalidParameter, match="holds reports"):
        gp.tally(DESIGN, [], tallies=[tmp_path / "reports.parquet"])
    with pytest.raises(gp.InvalidParameter, match=r"Tally\.write"):
        gp.tally(DESIGN, [], tallies=[tmp_path / "reports.ndjson"])


def test_what_the_design_cannot_have_made_is_not_counted() -> None:
    total = gp.Tally(DESIGN)
    for bad in (ReportBatch(0, np.array([[1], [4]])), ReportBatch(1, np.array([[0]]))):
        with pytest.raises(gp.ReportRejected):
            total.add(bad)
    assert total.n == 0


def test_progress_is_told_how_many_reports_were_read(tmp_path: Path) -> None:
    write_reports(tmp_path / "reports.parquet", DESIGN, [ReportBatch(0, np.zeros((70_000, 1), dtype=np.int64))])
    seen: list[int] = []
    gp.tally(DESIGN, [tmp_path / "reports.parquet"], seen.append)
    assert len(seen) > 1
    assert sum(seen) == 70_000


def test_questions_that_are_answered_side_by_side_see_whole_counts() -> None:
    """Whoever asks first merges what waits; the others must not see half of it."""
    from concurrent.futures import ThreadPoolExecutor

    design = gp.Design("side by side", (gp.Lattice.calibrate(gp.Line(), 1.0),))
    rng = np.random.default_rng(1)
    for _ in range(20):
        counted = tallies.Tally(design)
        for _ in range(8):
            counted.add(ReportBatch(0, rng.integers(-3_000, 3_000, (2_000, 1))))
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(counted.counts, [0] * 16))
        assert all(np.array_equal(each.rows, found[0].rows) and each.n == 16_000 for each in found)
