"""Far questions in one report: the promise and how it is proven, the same report by all samplers, and the estimates."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.device.far import holds
from geopriv.device.mechanisms import read_mechanism
from geopriv.device.shared import idle_letter
from geopriv.device.values import read_value
from geopriv.errors import InvalidDesign
from geopriv.mechanisms import BracketTable, SharedTables
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.shared.reports import chunk_codes
from geopriv.mechanisms.shared.share import reached, spoken_of
from tests.agreement_cases import Tails
from tests.designs import rehashed
from tests.rows import CITY, PLANE
from tests.shared_by_hand import by_hand, falling, hidden_in_a_wide_cell

RATE = 1.0


def disc(x: float, y: float = 0.0) -> gp.Ball:
    return gp.Ball((x, y), 1.0, 1.0, PLANE)


def square(x: float, y: float = 0.0) -> gp.Geofence:
    return gp.Geofence(shapely.box(x, y, x + 1.5, y + 1.0), 1.0, PLANE)


SETS: dict[str, tuple[gp.queries.Query, ...]] = {
    "discs": (disc(0.0), disc(9.0), disc(3.0, 9.0)),
    "ranges": tuple(gp.Range(a, a + 3.0, 1.0) for a in (0.0, 9.0, 17.0)),
    "fences": (square(0.0), square(9.0, 2.0), disc(0.0, 9.0)),
    "city": (gp.Ball((40.7, -74.0), 1000.0, 1000.0, CITY), gp.Ball((40.8, -73.9), 1000.0, 1000.0, CITY)),
}


@cache
def shared(name: str = "discs") -> SharedTables:
    rate = 1e-3 if name == "city" else RATE
    return SharedTables.of([gp.Table.calibrate(query, rate, straight=True) for query in SETS[name]])


@cache
def bracketed() -> SharedTables:
    return SharedTables.of(
        [BracketTable.for_plain(query, RATE, 10_000) for query in (gp.Range(-3.0, 4.0, 1.0), gp.Range(12.0, 19.0, 1.0))]
    )


def document(mechanism: SharedTables) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(mechanism.to_document()))
    return found


@pytest.mark.parametrize("name", SETS)
def test_the_promise_holds_and_is_nearly_used_up(name: str) -> None:
    mechanism = shared(name)
    assert mechanism.spent <= 1
    assert read_mechanism(document(mechanism), "mechanism").spent <= 1
    found = gp.audit(mechanism)
    assert found.passed
    assert 0.99 <= found.worst_ratio <= 1 + 1e-9
    assert mechanism.share * Fraction(reached(mechanism.tables)) <= 1


def test_a_share_that_is_3_per_cent_too_high_is_caught_by_device_and_audit() -> None:
    gap = 6.0
    around = [(0.0, 0.0), *((np.cos(a), np.sin(a)) for a in np.arange(6) * np.pi / 3)]
    tables = tuple(gp.Table.calibrate(disc((gap + 3.0) * x, (gap + 3.0) * y), RATE, straight=True) for x, y in around)
    most = 1 / Fraction(reached(tables))  # what is reached at a place cannot be allowed to be above 1
    broken = SharedTables(tables[0].guarantee, tables, most * Fraction(103, 100))
    assert broken.spent > 1
    with pytest.raises(InvalidDesign, match="breaks its promise"):
        read_mechanism(document(broken), "mechanism")
    found = gp.audit(broken)
    assert not found.passed
    assert found.worst_ratio > 1.001
    with pytest.raises(gp.InvalidParameter, match="keeps its promise"):
        broken.report([(0.0, 0.0)])
    assert gp.audit(SharedTables(tables[0].guarantee, tables, most)).worst_ratio < 1.005  # nothing is just allowed
    assert SharedTables.of(tables).share > most * Fraction(96, 100)


def test_nothing_takes_all_of_the_promise_where_a_table_is_alone() -> None:
    alone = SharedTables.of([gp.Table.calibrate(disc(0.0), RATE, straight=True)])
    points = np.stack([np.linspace(1.0, 5.0, 4001), np.zeros(4001)], axis=1)
    steps = np.abs(np.diff(np.log(alone.nothing(points)))) / 0.001
    assert 0.9 < steps.max() <= 1 + 1e-9  # 2 % are left for bounds in boxes


@pytest.mark.parametrize("name", [*SETS, "brackets"])
def test_device_exact_sampler_and_filter_say_the_same(name: str) -> None:
    mechanism = bracketed() if name == "brackets" else shared(name)
    device, rng = read_mechanism(document(mechanism), "mechanism"), np.random.default_rng(5)
    space, n = mechanism.space, 300
    points = np.concatenate([np.atleast_2d(t.query.geometry.anchor) for t in mechanism.tables])
    spread = 3.0 / mechanism.guarantee.epsilon
    near = points[rng.integers(len(points), size=n)] + rng.normal(0.0, spread, (n, points.shape[1]))
    values = np.asarray(space.values(near.reshape(n, *space.point_shape)))
    rows = space.read_rows(values)[0]
    words = rng.integers(0, 1 << 64, (n, 1), dtype=np.uint64)
    words[:40, 0] = _ties(mechanism, rows[:40])
    words[40:44, 0] = [0, (1 << 64) - 1, 1, 1 << 63]
    exact, quick = (chunk_codes(mechanism, rows, words, Tails(words), filtered) for filtered in (False, True))
    assert np.array_equal(exact, quick)
    tails, ours = Tails(words), []
    for i in range(n):
        own = tails.among(slice(i, i + 1))
        begin = iter([int(words[i, 0]).to_bytes(8, "little")])
        source = lambda size, begin=begin, own=own: next(begin, None) or own.bytes(size)  # noqa: E731
        value = values[i].tolist()
        ours.append(device.draw(read_value(device.space, value), source)[0])
    assert ours == exact.tolist()


def _ties(mechanism: SharedTables, rows: Any) -> list[int]:
    """Words whose number is that of a running sum, to 64 bits: later ones have to settle them."""
    points = mechanism.space.bounded(rows).value.reshape(-1, *mechanism.space.point_shape)
    s = np.stack([table.query.geometry(points).reshape(-1) for table in mechanism.tables], axis=1)
    law = mechanism.law_at(s)[:, 1:]
    sums, which = np.cumsum(law, axis=1), np.arange(len(rows)) % law.shape[1]
    return [min(int(Fraction(float(row[k])) * 2**64), 2**64 - 1) for row, k in zip(sums, which, strict=True)]


def test_the_published_vectors_follow_the_rule_in_plain_decimals() -> None:
    """The rule of docs/client.md once more, at 60 digits, for the two discs of the vectors."""
    folder = Path(__file__).parents[2] / "docs" / "vectors"
    (design,) = json.loads((folder / "shared.design.json").read_text("utf-8"))["mechanisms"]
    cases = json.loads((folder / "client.json").read_text("utf-8"))["cases"]
    mine, seen = [case for case in cases if case["design"] == "shared.design.json"], set()
    with localcontext(prec=60):
        for case in mine:
            u = Decimal(int.from_bytes(bytes.fromhex(case["bytes"])[16:24], "little")) / 2**64
            running, number, found = Decimal(0), 0, 0
            for table in design["tables"]:
                away = [
                    Decimal(x) - Decimal(c) for x, c in zip(case["value"], table["coordinate"]["center"], strict=True)
                ]
                s = sum((part * part for part in away), Decimal(0)).sqrt() - Decimal(table["coordinate"]["offset"])
                lattice = list(map(Decimal, table["lattice"]))
                cell = max([k for k, point in enumerate(lattice[:-1]) if point <= s], default=0)
                t = min(max((s - lattice[cell]) / (lattice[cell + 1] - lattice[cell]), Decimal(0)), Decimal(1))
                for k, value in enumerate(table["values"]):
                    if value == 0:
                        continue
                    low, high = table["weights"][cell][k], table["weights"][cell + 1][k]
                    running += ((1 - t) * low + t * high) / 2**60 * design["share"][0] / design["share"][1]
                    number += 1
                    found = found or (number if u < running else 0)
            assert case["report"] == [found]
            seen.add(found)
    assert len(mine) == 16
    assert len(seen) > 2


def test_reports_follow_the_law() -> None:
    """200,000 reports at one place against its law: at 209 kinds a deviation of 4.5 has a chance of 0.15 %."""
    mechanism, n = shared(), 200_000
    for place in ((0.2, 0.1), (4.5, 0.3)):
        law = mechanism.kinds().law(place)
        drawn = mechanism.simulate(np.tile([place], (n, 1)), np.random.default_rng(3)).values.astype(int)
        assert abs(law.sum() - 1) < 1e-12

        def far_off(expected: Any, drawn: Any = drawn) -> float:
            counts = np.bincount(drawn, minlength=mechanism.size)
            kept = expected * n > 20
            return float((np.abs(counts - n * expected) / np.sqrt(n * expected * (1 - expected) + 1e-9))[kept].max())

        assert far_off(law) < 4.5
        louder = np.concatenate([[1 - 1.03 * law[1:].sum()], 1.03 * law[1:]])  # planted: μ is 3 % larger
        assert far_off(louder) > 4.5


def test_estimates_count_everybody_for_every_question() -> None:
    mechanism, n = shared(), 40_000
    x = np.random.default_rng(1).uniform((-4, -4), (13, 13), (n, 2))
    reports = mechanism.simulate(x, np.random.default_rng(2))
    for query in mechanism.asked:
        found = gp.estimate(mechanism, reports, query)
        assert found.n == n
        assert abs(found.value - query(x).mean()) < 4 * found.standard_error
        spread = mechanism.variance(x, query).mean() + query(x).var()
        assert found.standard_error == pytest.approx(np.sqrt(spread / n), rel=0.05)
    split = gp.Table.calibrate(mechanism.asked[0], RATE, straight=True)
    others = len(mechanism.asked)
    each = mechanism.variance(x, mechanism.asked[0]).mean() + mechanism.asked[0](x).var()
    assert others * (split.variance(x).mean() + split.query(x).var()) > 2.5 * each


def test_sums_have_covariances_and_the_bound_of_a_liar() -> None:
    mechanism = shared()
    questions = [gp.Share(f"area {k}", query) for k, query in enumerate(mechanism.asked)]
    drawn = mechanism.simulate(np.tile([(0.0, 0.0)], (5000, 1)), np.random.default_rng(0)).values.astype(np.int64)
    rows, times = np.unique(drawn, return_counts=True)
    counts = Counts(rows[:, None], times)
    sums = mechanism.sums(counts, questions[0], [0])
    table = mechanism.tables[0]
    width = (max(table.values.max(), 0) - min(table.values.min(), 0)) / float(mechanism.share)
    assert sums.high[0] - sums.low[0] == pytest.approx(width)
    assert sums.n == 5000
    assert mechanism.leverage(questions[0].query, 5000) == pytest.approx(width / 5000)
    assert sums.covariance is not None
    assert mechanism.bracket_sums(counts, questions[0], [0]) is None


def test_letters_of_brackets_count_for_both_ends() -> None:
    mechanism, n = bracketed(), 60_000
    x = np.random.default_rng(4).uniform(-8, 20, n)
    drawn = mechanism.simulate(x, np.random.default_rng(5)).values.astype(np.int64)
    rows, times = np.unique(drawn, return_counts=True)
    question = gp.Share("between", mechanism.asked[0])
    found = mechanism.bracket_sums(Counts(rows[:, None], times), question, [0])
    assert found is not None
    inner, outer = found
    truth = np.mean((x >= -3) & (x <= 4))
    assert inner.means[0] - 4 * np.sqrt(inner.variances[0] / n) < truth
    assert truth < outer.means[0] + 4 * np.sqrt(outer.variances[0] / n)
    assert outer.means[0] - inner.means[0] < 0.2


def test_a_document_is_read_back_and_a_hostile_one_is_refused() -> None:
    mechanism = shared()
    kept = document(mechanism)
    assert SharedTables.from_document(kept) == mechanism
    kept["tables"] = kept["tables"][:2]
    for change, words in (
        ({"share": [99, 100], "tables": kept["tables"][:1] * 2}, "breaks its promise"),
        ({"share": [2, 1]}, "at most 1"),
        ({"tables": []}, "at least one"),
        ({"tables": [kept]}, "one of BracketTable, Table"),
        ({"tables": [kept["tables"][0]] * 65}, "at most 64"),
    ):
        with pytest.raises(InvalidDesign, match=words):
            read_mechanism(kept | change, "mechanism")
    near = kept["tables"][1] | {"coordinate": {"type": "Radial", "center": [5.0, 0.0], "offset": 1.0}}
    with pytest.raises(InvalidDesign, match="breaks its promise"):
        read_mechanism(kept | {"tables": [kept["tables"][0], near]}, "mechanism")
    steep = kept["tables"][0] | {"coordinate": {"type": "Linear", "direction": [1.0, 0.0], "shift": 0.0}}
    with pytest.raises(InvalidDesign, match="discs and polygons"):
        read_mechanism(kept | {"tables": [steep]}, "mechanism")


def test_many_shared_reports_are_not_looked_at() -> None:
    design = gp.Design("areas", (shared(),), questions=tuple(gp.Share(f"{k}", q) for k, q in enumerate(SETS["discs"])))
    document = json.loads(design.to_bytes())
    crowd = document | {"mechanisms": document["mechanisms"] * 17, "shares": [1] * 17}
    with pytest.raises(InvalidDesign, match="at most 16 shared reports"):
        gp.Design.parse(rehashed(crowd))


def test_huge_numbers_take_bounded_time() -> None:
    tables = shared().tables
    kept = document(shared())
    far = [part | {"coordinate": {"type": "Radial", "center": [c, 0.0], "offset": 1.0}}
           for part, c in zip(kept["tables"], (0.0, 1e50, -1e50), strict=True)]  # fmt: skip
    assert read_mechanism(kept | {"tables": far}, "mechanism").spent <= 1  # they are far apart indeed
    assert not holds(spoken_of(tables), RATE, 1.0, 2000)  # nothing at all may be said by others


def test_a_flow_from_design_to_answers() -> None:
    questions = tuple(gp.Share(f"area {k}", query) for k, query in enumerate(SETS["discs"]))
    design = gp.Design("areas", (shared(),), questions=questions)
    assert gp.Design.parse(design.to_bytes()) == design
    x = np.random.default_rng(0).uniform((-2, -2), (11, 11), (5000, 2))
    tally = gp.Tally(design)
    tally.add(gp.reports.ReportBatch(0, shared().draw(PLANE.read_rows(x)[0])))
    answers = gp.estimate(design, tally)
    for question in questions:
        found = answers[question.name].estimates
        assert found.n == 5000
        assert abs(float(found.values) - question.query(x).mean()) < 6 * float(found.standard_errors)


def test_tables_that_cannot_share_a_report_are_refused() -> None:
    table = gp.Table.calibrate(disc(0.0), RATE, straight=True)
    with pytest.raises(gp.InvalidParameter, match="discs and polygons"):
        SharedTables.of([gp.Table.calibrate(gp.Threshold(0.0, 1.0), RATE, straight=True)])
    with pytest.raises(gp.InvalidParameter, match="different queries"):
        SharedTables.of([table, table])
    with pytest.raises(gp.InvalidParameter, match="that of every table"):
        SharedTables.of([table, gp.Table.calibrate(disc(9.0), 2.0, straight=True)])
    with pytest.raises(gp.InvalidParameter, match="flat space"):
        SharedTables.of([gp.Table.calibrate(gp.Ball((40.7, -74.0), 3000.0, 1000.0, gp.Earth()), 1e-3, straight=True)])
    with pytest.raises(gp.InvalidParameter, match="at most 1"):
        replace(shared(), share=Fraction(3, 2))


def test_a_device_takes_discs_by_hand_only_if_they_are_far_apart() -> None:
    plane = {"type": "Plane", "unit": "m"}
    far, near = (by_hand(plane, "m", 1.0, [[0.0, 0.0], [apart, 0.0]]) for apart in (80.0, 0.0))
    assert read_mechanism(far, "it").spent <= 1
    with pytest.raises(gp.InvalidDesign):
        read_mechanism(near, "it")


@pytest.mark.parametrize("there", [1e155, 1e200, 1e300])
def test_a_disc_so_far_away_that_squares_overflow_hides_no_others(there: float) -> None:
    """Two discs are one and the same, and a third one stretches the space around them."""
    plane, line = {"type": "Plane", "unit": "m"}, {"type": "Line", "unit": "m"}
    for space, centers in (
        (plane, [[0.0, 0.0], [0.0, 0.0], [there, 0.0]]),
        (line, [[0.0], [0.0], [there]]),
    ):
        with pytest.raises(gp.InvalidDesign):
            read_mechanism(by_hand(space, "m", 1.0, centers), "it")


def test_on_earth_degrees_are_not_taken_for_metres() -> None:
    earth = {"type": "Earth", "radius": 6371008.8}
    with pytest.raises(gp.InvalidDesign, match="flat"):
        read_mechanism(by_hand(earth, "m", 1.0, [[0.0, 0.0], [0.0, 90.0]]), "it")


def test_an_epsilon_beyond_all_measure_and_a_table_without_a_second_letter_are_refused() -> None:
    plane = {"type": "Plane", "unit": "m"}
    with pytest.raises(gp.InvalidDesign):
        read_mechanism(by_hand(plane, "m", 1e-160, [[0.0, 0.0], [0.0, 0.0]]), "it")
    with pytest.raises(gp.InvalidDesign, match="two letters"):
        read_mechanism(by_hand(plane, "m", 1.0, [[0.0, 0.0]], idle=False), "it")


def test_a_coordinate_that_is_not_known_leaves_the_filter_unsure_of_all_tables_after() -> None:
    """A ball so large that floats miss its border by many 1/ε, before one in which everybody is."""
    rate, radius, line = 8.0 / 2**20, 1.2 * 2.0**73, gp.Line("m")
    large, near = (
        gp.Ball(-radius, radius, 1 / rate, line),
        gp.Range(2.0**20 - 5 / rate, 2.0**20 + 5 / rate, 1 / rate, space=line),
    )
    lattice, weights = falling(rate, 600)
    promise = gp.Guarantee(rate, unit="m", reference="theory T5")
    numbers = np.array(lattice), np.array([0.0, 1.0]), np.array(weights, dtype=np.int64)
    mechanism = SharedTables(
        promise, tuple(gp.Table(query, promise, *numbers) for query in (large, near)), Fraction(49, 100)
    )
    rows = line.read_rows(np.full(4_000, 2.0**20 + 1000.0))[0]
    words = (np.random.default_rng(1).uniform(0, 1e-3, 4_000) * 2.0**64).astype(np.uint64)[:, None]
    exact, filtered = (chunk_codes(mechanism, rows, words, Tails(words), by) for by in (False, True))
    np.testing.assert_array_equal(exact, filtered)


def test_a_cell_wider_than_all_floats_does_not_hide_that_a_table_is_heard() -> None:
    with pytest.raises(gp.InvalidDesign, match="breaks its promise"):
        read_mechanism(hidden_in_a_wide_cell(), "it")


def test_a_cell_wider_than_all_floats_has_its_law_in_bulk_too() -> None:
    """The filter took the share of such a cell for 0: at 0 it said three quarters where the law has five eighths."""
    promise, total = gp.Guarantee(1.0, reference="theory T5"), 1 << 60
    weights = np.array([[total // 4, total // 4 * 3], [total // 2, total // 2]], dtype=np.int64)
    lattice, values = np.array([-1.7e308, 1.7e308]), np.array([0.0, 1.0])
    table = gp.Table(gp.Range(-1.0, 1.0, 1.0), promise, lattice, values, weights)
    mechanism = SharedTables(promise, (table,), Fraction(1))
    assert mechanism.spent <= 1
    x = np.tile([0.0, 1e-3, 1.0, 1e300, -1e307, 1.7e308], 600)
    words = np.random.default_rng(2).integers(0, 1 << 64, (x.size, 1), dtype=np.uint64)
    rows = mechanism.space.read_rows(x)[0]
    exact, filtered = (chunk_codes(mechanism, rows, words, Tails(words), by) for by in (False, True))
    np.testing.assert_array_equal(exact, filtered)


def test_the_idle_letter_is_the_least_exactly() -> None:
    """In floats 1e16 + 1 + 1 is 1e16, or 1e16 + 2 where a version of Python adds more carefully."""
    assert idle_letter([[1e16, 1e16], [1.0, 0.0], [1.0, 0.0]]) == 1
