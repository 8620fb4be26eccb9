"""Tables for sharp questions: brackets that hold everywhere, exactly; what letters count; and documents that lie."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.device.mechanisms import DeviceTable, read_mechanism
from geopriv.mechanisms import BracketTable
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.sums import Sums
from geopriv.mechanisms.table import mirrored
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray

EPSILON, PEOPLE = 1 / 8000, 10_000
ABOVE = gp.Threshold(100_000.0, 16_000.0)
BETWEEN = gp.Range(60_000.0, 140_000.0, 8_000.0)
QUERIES = {"above": ABOVE, "between": BETWEEN}
both = pytest.mark.parametrize("name", QUERIES)


def made(name: str = "above") -> BracketTable:
    """From memory or from the cache after the first time."""
    return BracketTable.for_plain(QUERIES[name], EPSILON, PEOPLE)


def inside(table: BracketTable, s: Fraction) -> bool:
    """Whether a coordinate is in the sharp set, which is closed."""
    return s >= 0 if table.query == ABOVE else s <= 40_000


def exact_mean(table: BracketTable, counted: FloatArray, s: Fraction) -> Fraction:
    """Of what letters count at a coordinate: rows and their interpolation in fractions."""
    lattice = [Fraction(place) for place in table.lattice.tolist()]
    held = min(max(s, lattice[0]), lattice[-1])
    cell = next(i for i in range(len(lattice) - 1) if held <= lattice[i + 1])
    share = (held - lattice[cell]) / (lattice[cell + 1] - lattice[cell])
    rows = [[Fraction(w, TOTAL) for w in table.weights[k].tolist()] for k in (cell, cell + 1)]
    weights = [(1 - share) * a + share * b for a, b in zip(*rows, strict=True)]
    return sum((w * Fraction(c) for w, c in zip(weights, counted.tolist(), strict=True)), Fraction(0))


def beyond(table: BracketTable, s: Fraction) -> Fraction:
    """By how much the sharp answer at a coordinate is outside the two means; at most 0 where it is between them."""
    answer = int(inside(table, s))
    return max(exact_mean(table, table.inner, s) - answer, answer - exact_mean(table, table.outer, s))


def places(table: BracketTable) -> list[Fraction]:
    """Coordinates anywhere, and on and close to both sides of lattice points around the border."""
    rng = np.random.default_rng(4)
    border = 0.0 if table.query == ABOVE else 40_000.0
    near = table.lattice[np.argsort(np.abs(table.lattice - border))[:7]]
    some = [*rng.uniform(-2e5, 2e5, 60), *(border + rng.normal(0, 2e3, 60)), *near, border]
    close = [math.nextafter(place, side) for place in [*near, border] for side in (-math.inf, math.inf)]
    return [Fraction(float(s)) for s in (*some, *close)]


@both
def test_the_sharp_answer_is_between_both_means_at_every_coordinate_exactly(name: str) -> None:
    table = made(name)
    assert all(beyond(table, s) <= 0 for s in places(table))


@both
def test_a_bracket_that_fails_at_one_lattice_point_is_refused(name: str) -> None:
    """The least shift that the check must see: to 1e-12 above the worst mean of a row."""
    table = made(name)
    means = [exact_mean(table, table.inner, Fraction(s)) - int(inside(table, Fraction(s))) for s in table.lattice]
    border = 0.0 if table.query == ABOVE else 40_000.0
    means[table.lattice.tolist().index(border)] += 1  # the border is held to be outside
    short = -float(max(means))
    assert 0 < short < 1e-6
    replace(table, inner=table.inner + 0.99 * short)
    for change in ({"inner": table.inner + short + 1e-12}, {"outer": table.outer - 0.01}):
        with pytest.raises(gp.InvalidParameter, match="between inner and outer means"):
            replace(table, **change)  # type: ignore[arg-type]


def test_a_border_that_is_off_by_rounding_is_in_the_bracket_too() -> None:
    table, off = made(), Fraction(1, 10**10) * 8000
    assert exact_mean(table, table.inner, off) <= 0
    assert exact_mean(table, table.outer, -off) >= 1


@both
def test_the_promise_is_audited_on_the_integers(name: str) -> None:
    table = made(name)
    assert gp.audit(table).passed
    assert Fraction(999, 1000) < table.worst_step[0] <= 1
    boast = replace(table.guarantee, epsilon=table.guarantee.epsilon * 0.999)
    assert not gp.audit(replace(table, guarantee=boast)).passed


@both
def test_the_soft_share_is_estimated_without_bias(name: str) -> None:
    table = made(name)
    assert table.unbiased
    assert np.abs(table.bias(np.linspace(0.0, 2e5, 1001))).max() < 1e-8


def counted(table: BracketTable, x: FloatArray, seed: int) -> Counts:
    """Reports of people at x as letters, from a seeded generator."""
    values = table.simulate(x, np.random.default_rng(seed)).values
    letters, times = np.unique(table.written(values)[:, 0], return_counts=True)
    return Counts(letters[:, None], times)


def ends(table: BracketTable, x: FloatArray, seed: int) -> tuple[Sums, Sums]:
    """What reports of people at x add up to."""
    sums = table.bracket_sums(counted(table, x, seed), gp.Share("share", table.query), [0])
    assert sums is not None
    return sums


def test_a_value_tells_its_letter() -> None:
    table = made()
    assert np.unique(table.values).size == table.values.size
    np.testing.assert_array_equal(table.written(table.values)[:, 0], np.arange(table.values.size))


def scores(table: BracketTable, shift: float = 0.0, factor: float = 1.0) -> tuple[float, float]:
    """Largest z-scores of both means and of both variances of people at nine places, against `bracket_moments`.

    Means are predicted with a shift and variances with a factor, to plant faults. The standard error of a variance is
    at most that of the mean times the largest deviation.
    """
    n = 400_000
    x = np.resize(np.linspace(80_000.0, 120_000.0, 9), n)
    mean_scores, spread_scores = [], []
    for sums, part in zip(ends(table, x, 6), table.bracket_moments(table.query.coordinate(x)), strict=True):
        mean = float(part.means.mean())
        variance = float(part.squares.mean()) - mean**2
        error, reach = math.sqrt(variance / n), max(float(sums.high[0]) - mean, mean - float(sums.low[0]))
        mean_scores.append(abs(float(sums.means[0]) - mean - shift) / error)
        spread_scores.append(abs(float(sums.variances[0]) - factor * variance) / (reach * error))
    return max(mean_scores), max(spread_scores)


def test_sums_are_those_that_moments_predict() -> None:
    """Fixed seed; |z| ≤ 5 on four numbers, an error rate of 2e-6."""
    table = made()
    assert max(scores(table)) < 5
    assert scores(table, shift=0.05)[0] > 5
    assert scores(table, factor=1.05)[1] > 5


def test_sums_hold_what_a_report_can_count_at_most() -> None:
    table = made()
    for sums, letters in zip(ends(table, np.full(50, 1e5), 1), (table.inner, table.outer), strict=True):
        assert sums.n == 50
        assert (sums.low, sums.high) == (letters.min(), letters.max())


def test_a_question_that_is_not_plain_gets_no_bracket() -> None:
    table = made()
    assert table.bracket_sums(counted(table, np.full(50, 1e5), 1), gp.Share("share", ABOVE, plain=False), [0]) is None


def test_an_estimate_of_a_survey_has_a_plain_answer() -> None:
    table, x = made(), np.random.default_rng(2).lognormal(11.4, 0.8, 50_000)
    design = gp.Design("income", (table,), questions=(gp.Share("above", ABOVE),))
    batch = ReportBatch(0, table.written(table.simulate(x, np.random.default_rng(3)).values))
    tally = gp.Tally(design)
    tally.add(batch)
    answer = gp.estimate(design, tally)["above"]
    assert answer.plain is not None
    assert answer.plain.low < (x >= 1e5).mean() < answer.plain.high
    assert answer.plain.high - answer.plain.low < 0.06


def test_brackets_cover_the_sharp_share_with_a_heap_at_the_border() -> None:
    """200 surveys of 40,000 people, 1 % of them exactly at the border: 95 % brackets cover at least 95 % of the time.

    Fixed seeds; fewer than 181 would cover with probability 0.004 if it were 95 %. An interval around the inner mean
    alone, which leaves out the heap and half of the edge, is the planted fault.
    """
    table, rng, covered, by_inner = made(), np.random.default_rng(8), 0, 0
    truth = 0.01 + 0.99 * float(gp.noise.StudentT(df=1e9).cdf(np.asarray((11.4 - math.log(1e5)) / 0.8)))
    for seed in range(200):
        x = rng.lognormal(11.4, 0.8, 40_000)
        x[:400] = 100_000.0
        inner, outer = ends(table, x, seed)
        low, high = float(inner.means[0]), float(outer.means[0])
        below, above = (1.96 * math.sqrt(float(part.variances[0]) / part.n) for part in (inner, outer))
        covered += low - below <= truth <= high + above
        by_inner += low - below <= truth <= low + below
    assert covered >= 181
    assert by_inner < 181


def test_a_table_alone_brackets_nothing() -> None:
    query = gp.Threshold(0.0, 2.0)
    counts = Counts(np.zeros((1, 1), dtype=np.int64), np.array([5]))
    assert gp.Table.calibrate(query, 1.0).bracket_sums(counts, gp.Share("share", query), [0]) is None


def test_its_bracket_is_shorter_than_a_lattices() -> None:
    """Against a grid of the usual step with the best quadratic edge, by the same formula, for evenly spread people."""
    n, x = PEOPLE, np.linspace(1e5 - 112_000, 1e5 + 112_000, 4001)
    assert half_width(made(), x, n) < 0.85 * min(lattice_half_width(m, (x - 1e5) * EPSILON, n) for m in range(4, 24, 2))


def half_width(table: BracketTable, x: FloatArray, n: int) -> float:
    """Of the bracket of people who are a sample of those at x."""
    inner, outer = table.bracket_moments(table.query.coordinate(x))
    gap = float(outer.means.mean() - inner.means.mean())
    errors = [math.sqrt(float(part.squares.mean() - part.means.mean() ** 2) / n) for part in (inner, outer)]
    return gap / 2 + 1.96 * sum(errors) / 2


def lattice_half_width(cells: int, s: FloatArray, n: int, step: float = 0.1) -> float:
    """Of a bracket from geometric noise on a grid with a point at the border, its edges of so many cells."""
    ratio, reach = 1 / (1 + step), 400 + cells
    k = np.arange(-reach, reach + 1)
    rises = np.minimum(np.arange(cells) + 0.5, cells - 0.5 - np.arange(cells))
    edge = np.interp(k, np.arange(cells + 1), np.concatenate([[0.0], rises.cumsum()]) / rises.sum())
    stencil = (1 + step) / step**2
    padded = np.concatenate([[0.0], edge, [1.0]])
    letters = (1 + 2 * stencil) * edge - stencil * (padded[:-2] + padded[2:])
    noise = (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)
    squares = np.convolve(np.concatenate([np.zeros(reach), letters**2, np.ones(reach)]), noise, "valid")
    mean = float(np.interp(s / step, k, edge).mean())
    variance = float(np.interp(s / step, k, squares).mean()) - mean**2
    return 0.5 - mean + 1.96 * math.sqrt(variance / n)


def test_its_document_round_trips_and_a_device_draws_its_letters() -> None:
    table = made()
    document = json.loads(json.dumps(table.to_document()))
    assert document["type"] == "BracketTable"
    assert BracketTable.from_document(document) == table
    device = read_mechanism(document, "mechanisms[0]")
    assert isinstance(device, DeviceTable)
    assert device.spent == table.worst_step[0]
    design = gp.Design("income", (table,), questions=(gp.Share("above", ABOVE),))
    assert gp.Design.parse(design.to_bytes()) == design
    louder = replace(table, outer=table.outer + 1)
    assert gp.Design("income", (louder,)).hash != gp.Design("income", (table,)).hash


@pytest.mark.parametrize(
    ("change", "device", "library"),
    [
        ({"inner": None}, "inner", "inner"),
        ({"inner": [0.0]}, r"inner.* made of", "inner"),
        ({"outer": ["0"] * 99}, "outer", "outer"),
        ({"outer": [math.inf] * 99}, "outer", "outer"),
        ({"inner": "missing"}, "inner", "inner"),
        ({"inner": "high"}, None, "between inner and outer"),
        ({"outer": "low"}, None, "between inner and outer"),
    ],
)
def test_a_document_that_lies_is_refused(change: dict[str, Any], device: str | None, library: str) -> None:
    """Devices check that what letters count are numbers; whoever reads the design, that they are a bracket."""
    document = json.loads(json.dumps(made().to_document()))
    for key, value in change.items():
        size = len(document["values"])
        if value == "missing":
            del document[key]
        elif value in ("high", "low"):
            document[key] = [part + (1e-6 if value == "high" else -1e-6) for part in document[key]]
        else:
            document[key] = value[:size] if isinstance(value, list) else value
    with pytest.raises(gp.InvalidDesign, match=library):
        BracketTable.from_document(document)
    if device is None:
        read_mechanism(document, "mechanisms[0]")
    else:
        with pytest.raises(gp.InvalidDesign, match=device):
            read_mechanism(document, "mechanisms[0]")


@pytest.mark.parametrize(
    ("query", "people", "match"),
    [
        (gp.GaussianKernel(0.0, 2.0), 100, "step between 0 and 1"),
        (gp.LinearQuery((1.0,), gp.shapes.Trapezoid(2.0, 1.0)), 100, "step between 0 and 1"),
        (gp.Orthant((0.0, 0.0), 1.0, gp.Plane("m")), 100, "one half where its plain set ends"),
        (gp.Range(-3.0, 4.0, 1.0, shape="triangle"), 100, "one half where its plain set ends"),
        (gp.Threshold(0.0, 40.0), 100, "rises over 0.01 to 16/ε"),
        (gp.Threshold(0.0, 0.001), 100, "rises over 0.01 to 16/ε"),
        (gp.Threshold(0.0, 1e-12), 100, "rises over 0.01 to 16/ε"),
        (gp.Threshold(0.0, 2.0), 0, "people"),
        (gp.Threshold(0.0, 2.0), 1.5, "people"),
    ],
)
def test_what_cannot_be_bracketed_is_refused(query: gp.queries.Query, people: Any, match: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=match):
        BracketTable.for_plain(query, 1.0, people)


def test_more_people_get_narrower_edges_and_shorter_brackets() -> None:
    x = np.linspace(-14.0, 14.0, 2001)
    few, many = (BracketTable.for_plain(gp.Threshold(0.0, 2.0), 1.0, n, prior=x) for n in (1000, 500_000))
    gaps = [half_width(table, x, 10**12) for table in (few, many)]
    assert gaps[1] < 0.5 * gaps[0]
    assert half_width(few, x, 1000) < half_width(many, x, 1000)
    assert half_width(many, x, 500_000) < half_width(few, x, 500_000)


def test_similar_surveys_share_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another threshold, unit and nearly as many people; and a region, seen from outside."""
    made()

    def never(*_: object) -> None:
        raise AssertionError("solved again")

    monkeypatch.setattr(mirrored.Task, "least", never)
    other = BracketTable.for_plain(gp.Threshold(3.0, 0.6), 1 / 0.3, 9_000)
    np.testing.assert_array_equal(other.weights, made().weights)
    ball = BracketTable.for_plain(gp.Ball((0.0, 0.0), 2.0, 2.0), 1.0, PEOPLE)
    np.testing.assert_array_equal(ball.weights[::-1], made().weights)
