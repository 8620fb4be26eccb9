"""Answers of a whole survey: the same numbers as one by one, from counts alone, whatever the files were."""

from __future__ import annotations

import time

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms import sums
from geopriv.mechanisms.lattice import sums as lattice_sums
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray
from tests.designs import small_table

USD = gp.Line("USD")
CITY = gp.LocalPlane(40.5, -74.3, 40.95, -73.65)
RATE = "1 per 8,000 USD"
ABOVE = gp.Share("above 100,000", gp.Threshold(100_000, 16_000, USD))
CURVE = gp.Distribution("distribution", tuple(range(20_000, 220_000, 20_000)), 32_000, USD)
MAP = gp.DensityMap("density", 2_400, (-20_000, -15_000), (20_000, 15_000), CITY, columns=7, rows=5)
REGION = gp.Share("in the middle", gp.Blurred(gp.Ball((40.7, -74.0), 4_000, 500, CITY), 1_500))


def incomes(n: int = 20_000, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).lognormal(11.5, 0.8, n)


def places(n: int = 2_000, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).normal((40.7, -74.0), (0.05, 0.07), (n, 2))


def lattice_design(*questions: gp.queries.Question) -> gp.Design:
    queries = [query for question in questions for query in question.queries]
    rate = RATE if questions[0].space == USD else "1 per 1 km"
    return gp.Design("demo", (gp.Lattice.calibrate(questions[0].space, rate, queries=queries),), questions=questions)


def reported(design: gp.Design, values: FloatArray, seed: int = 2) -> tuple[gp.Tally, FloatArray]:
    """The tally of one lattice's simulated reports, and the reports as `estimate` takes them."""
    mechanism = design.mechanisms[0]
    reports = mechanism.simulate(values, np.random.default_rng(seed)).values
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, reports.astype(np.int64).reshape(len(values), -1)))
    return tally, reports


def split_design() -> gp.Design:
    shares = [gp.Share(f"above {at}", gp.Threshold(at, 16_000, USD)) for at in (50_000, 150_000)]
    tables = tuple(small_table(share.query, 1 / 8000) for share in shares)
    return gp.Design("split", tables, (1, 3), questions=tuple(shares))


def symbols(table: gp.Table, values: FloatArray, seed: int) -> ReportBatch:
    reports = table.simulate(values, np.random.default_rng(seed)).values
    return ReportBatch(0, np.searchsorted(table.values, reports)[:, None].astype(np.int64))


@pytest.mark.parametrize(
    ("questions", "values"),
    [((ABOVE, CURVE), incomes()), ((MAP, REGION), places())],
    ids=["incomes", "places"],
)
def test_every_answer_is_that_of_its_query_alone(
    questions: tuple[gp.queries.Question, ...], values: FloatArray
) -> None:
    design = lattice_design(*questions)
    tally, reports = reported(design, values)
    answers = gp.estimate(design, tally, confidence=0.9)
    assert answers.n == len(values)
    for answer in answers.answers:
        assert answer.estimates.values.shape == answer.question.shape
        for place, query in zip(np.ndindex(answer.question.shape), answer.question.queries, strict=True):
            alone, found = gp.estimate(design.mechanisms[0], reports, query, confidence=0.9), answer.estimates[place]
            for name in ("value", "standard_error", "low", "high"):
                assert getattr(found, name) == pytest.approx(getattr(alone, name), abs=1e-7)
            assert (found.n, found.confidence) == (alone.n, 0.9)
            assert found.bias >= alone.bias


def test_people_split_between_tables_answer_each_with_their_own_number() -> None:
    design = split_design()
    tally = gp.Tally(design)
    for index, (table, n) in enumerate(zip(design.mechanisms, (500, 1500), strict=True)):
        assert isinstance(table, gp.Table)
        tally.add(ReportBatch(index, symbols(table, incomes(n, index), index).rows))
    answers = gp.estimate(design, tally)
    assert [answer.estimates.n for answer in answers.answers] == [500, 1500]
    assert answers.n == 2000
    for index, answer in enumerate(answers.answers):
        table, counts = design.mechanisms[index], tally.counts(index)
        assert isinstance(table, gp.Table)
        alone = gp.estimate(table, np.repeat(table.values[counts.rows[:, 0]], counts.times))
        assert answer.estimates[()].value == pytest.approx(alone.value, abs=1e-12)
        assert answer.estimates[()].standard_error == pytest.approx(alone.standard_error, rel=1e-9)
        assert answer.band is None


def test_a_curve_of_several_tables_has_the_fewest_reports_and_a_band() -> None:
    curve = gp.Distribution("curve", (50_000, 100_000, 150_000), 16_000, USD, edge="linear")
    tables = tuple(small_table(query, 1 / 8000) for query in curve.queries)
    design = gp.Design("split", tables, questions=(curve,))
    tally = gp.Tally(design)
    for index, (table, n) in enumerate(zip(tables, (900, 500, 1500), strict=True)):
        tally.add(ReportBatch(index, symbols(table, incomes(n, index), index).rows))
    answer = gp.estimate(design, tally).answers[0]
    assert answer.estimates.n == 500
    assert answer.band is not None
    reach = (answer.band.high - answer.estimates.values) / answer.estimates.standard_errors
    assert (reach > 2.3).all()  # of three independent ones: Šidák's value is 2.39
    assert (reach < 2.4 + 7 / 6 * 2.4**2 * 2 / 500 / answer.estimates.standard_errors).all()


@pytest.mark.parametrize("questions", [(ABOVE, CURVE), (MAP, REGION)], ids=["incomes", "places"])
def test_answers_are_the_same_to_the_last_bit_however_reports_are_split(
    questions: tuple[gp.queries.Question, ...],
) -> None:
    values = incomes(3000) if questions[0].space == USD else places(3000)
    design = lattice_design(*questions)
    whole, reports = reported(design, values)
    rows = reports.astype(np.int64).reshape(len(values), -1)
    owner = np.random.default_rng(0).integers(0, 5, len(rows))
    parts = []
    for k in (3, 1, 4, 0, 2):
        part = gp.Tally(design)
        part.add(ReportBatch(0, rows[owner == k][::-1].copy()))
        parts.append(part)
    merged = (parts[0] + parts[1]) + (parts[2] + (parts[3] + parts[4]))
    for one, other in zip(*(gp.estimate(design, tally).answers for tally in (whole, merged)), strict=True):
        assert np.array_equal(one.estimates.values, other.estimates.values)
        assert np.array_equal(one.estimates.standard_errors, other.estimates.standard_errors)
        assert (one.band is None) == (other.band is None)
        for first, second in ((one.band, other.band), (one.finite, other.finite)):
            if first is not None and second is not None:
                assert np.array_equal(first.low, second.low)
                assert np.array_equal(first.high, second.high)


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_reports_are_an_error_that_names_the_question(n: int) -> None:
    for design in (lattice_design(CURVE), split_design()):
        tally = gp.Tally(design)
        tally.add(ReportBatch(0, np.zeros((n, 1), dtype=np.int64)))
        with pytest.raises(gp.ReportRejected, match=f"'{design.questions[0].name}' has {n or 'no'} report"):
            gp.estimate(design, tally)


def test_reports_that_are_all_alike_have_no_error_and_a_finite_interval_of_some_length() -> None:
    design = lattice_design(ABOVE, CURVE)
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, np.full((50, 1), 10**6)))
    for answer in gp.estimate(design, tally).answers:
        assert np.isfinite(answer.estimates.values).all()
        assert (answer.estimates.standard_errors < 1e-6).all()
        assert answer.finite is not None
        assert (answer.finite.high - answer.finite.low > 0.5).all()


def test_a_map_has_the_shorter_of_two_bands_for_its_places_and_for_its_points(monkeypatch: pytest.MonkeyPatch) -> None:
    dense = gp.DensityMap("dense", 2_400, (-5_000, -5_000), (5_000, 5_000), CITY, columns=21, rows=21)
    product = gp.Lattice.calibrate(CITY, "1 per 1 km", queries=dense.queries[:1], noise="product")
    design = gp.Design("demo", (product,), questions=(dense,))
    tally, _ = reported(design, places())
    tight = gp.estimate(design, tally).answers[0]
    monkeypatch.setattr(lattice_sums, "product_roughness", lambda *_: None)  # then Šidák's value is all there is
    wide = gp.estimate(design, tally).answers[0]
    assert tight.band is not None
    assert wide.band is not None
    assert (wide.band.high > tight.band.high).all()
    assert np.array_equal(wide.estimates.values, tight.estimates.values)


def test_variances_without_covariances_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    design = lattice_design(CURVE)
    tally, _ = reported(design, incomes(2000))
    first = gp.estimate(design, tally).answers[0].estimates
    monkeypatch.setattr(sums, "MOST", 5)
    monkeypatch.setattr(lattice_sums, "_BLOCK", 100)
    second = gp.estimate(design, tally).answers[0].estimates
    np.testing.assert_allclose(second.values, first.values, atol=1e-12)
    np.testing.assert_allclose(second.standard_errors, first.standard_errors, rtol=1e-9)


def test_far_reports_of_liars_are_counted_and_cost_no_time() -> None:
    design = lattice_design(ABOVE, CURVE)
    tally, reports = reported(design, incomes(2000))
    far = np.array([[2**53 - 1], [1 - 2**53]] * 3)
    tally.add(ReportBatch(0, far))
    found = gp.estimate(design, tally)["distribution"].estimates
    alone = gp.estimate(design.mechanisms[0], np.concatenate([reports, far[:, 0].astype(float)]), CURVE.queries[4])
    assert found[4].value == pytest.approx(alone.value, abs=1e-9)


def test_a_curve_of_a_hundred_thresholds_and_a_million_cells_takes_less_than_two_seconds() -> None:
    curve = gp.Distribution("curve", tuple(np.linspace(5_000, 400_000, 100).tolist()), 32_000, USD)
    design = lattice_design(curve)
    tally = gp.Tally(design)
    tally.add(ReportBatch(0, np.arange(-300_000, 700_000)[:, None]))
    tally.counts(0)
    start = time.perf_counter()
    gp.estimate(design, tally)
    assert time.perf_counter() - start < 2


def test_a_tally_of_another_design_and_a_design_without_questions_are_refused() -> None:
    design = lattice_design(CURVE)
    with pytest.raises(gp.InvalidParameter, match="of the design"):
        gp.estimate(design, gp.Tally(lattice_design(ABOVE)))
    bare = gp.Design("bare", design.mechanisms)
    with pytest.raises(gp.InvalidParameter, match="with questions"):
        gp.estimate(bare, gp.Tally(bare))
    with pytest.raises(gp.InvalidParameter, match="confidence"):
        gp.estimate(design, gp.Tally(design), confidence=1.0)
