"""Coverage: intervals and bands hold as often as they say, over surveys drawn from real incomes where they are there.

A share of 0.95 over 10,000 surveys has a standard error of 0.0022, so 0.94 to 0.96 are 4.6 of them on either side: a
right interval fails a test once in 200,000 seeds, and one that is 10 % too narrow (0.922) passes as rarely.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers import bands
from geopriv.commands.populations import income_quantiles, read_columns
from geopriv.reports.files import ReportBatch
from geopriv.spaces.checks import FloatArray
from geopriv_paper.benchmarks import coverage
from geopriv_paper.benchmarks.coverage import (
    Law,
    band_ratios,
    finite_ratios,
    lattice_law,
    normal_ratios,
    table_law,
)

INCOMES = Path(__file__).parents[3] / "shared" / "data" / "ca_income.parquet"
USD = gp.Line("USD")
RATE = "1 per 8,000 USD"
SHARE = gp.Threshold(100_000, 16_000, USD)
SURVEYS, PEOPLE = 10_000, 2_000


@cache
def people() -> tuple[FloatArray, FloatArray]:
    """Incomes of California's households with their weights; else quantiles of the published fit."""
    if not INCOMES.is_file():
        print(f"no {INCOMES.name} here: quantiles of the published log-normal fit")
        return income_quantiles(20_000), np.full(20_000, 1 / 20_000)
    income, weight = read_columns(INCOMES, ("income", "weight"))
    return income, weight / weight.sum()


@cache
def table() -> gp.Table:
    return gp.Table.calibrate(SHARE, RATE)


@cache
def curve() -> tuple[gp.Design, Law]:
    question = gp.Distribution("curve", tuple(np.linspace(20_000, 300_000, 15).tolist()), 32_000, USD)
    lattice = gp.Lattice.calibrate(USD, RATE, queries=question.queries)
    design = gp.Design("curve", (lattice,), questions=(question,))
    return design, lattice_law(lattice, *people(), question.queries)


def covered(ratios: FloatArray, factor: float = 1.0) -> FloatArray:
    """The share of surveys whose interval, made that much longer, holds."""
    return np.asarray((ratios <= factor).mean(axis=0))


def test_intervals_of_a_table_cover_as_they_say() -> None:
    ratios = normal_ratios(table_law(table(), *people()), PEOPLE, SURVEYS, 0.95, np.random.default_rng(1))
    assert 0.94 < covered(ratios) < 0.96
    assert not 0.94 < covered(ratios, 0.9) < 0.96
    assert not 0.94 < covered(ratios, 1.1) < 0.96


def test_intervals_of_a_lattice_cover_as_they_say() -> None:
    ratios = normal_ratios(curve()[1], PEOPLE, SURVEYS, 0.95, np.random.default_rng(2))
    assert (covered(ratios) > 0.94).all()
    assert (covered(ratios) < 0.96).all()
    assert (covered(ratios, 0.9) < 0.94).all()


def test_a_bias_of_one_point_would_be_seen() -> None:
    law = curve()[1]
    moved = Law(law.rows, law.shares, law.contributions, law.truth + 0.01, law.spread)
    assert (covered(normal_ratios(moved, PEOPLE, SURVEYS, 0.95, np.random.default_rng(3))) < 0.94).all()


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_for_every_number_of_reports_hold_for_few(confidence: float) -> None:
    for law in (table_law(table(), *people()), curve()[1]):
        ratios = finite_ratios(law, 50, SURVEYS, confidence, np.random.default_rng(4))
        assert (covered(ratios) >= confidence).all()
        assert (covered(ratios, 0.2) < confidence).any()  # a fifth of the length would not do


def test_bands_hold_all_of_a_curve_at_least_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,500 surveys: a standard error of 0.0056; a band of level 0.95 fails once in 100, one 10 % too narrow mostly."""
    monkeypatch.setattr(bands, "_MOST", 2_000)  # draws, which makes bands no narrower
    limit = 0.95 - 2.33 * 0.0056
    few, many = (band_ratios(curve()[1], n, 1_500, 0.95, np.random.default_rng(5)) for n in (100, 50_000))
    assert covered(few) > limit
    assert limit < covered(many) < 0.98
    assert covered(many, 0.9) < limit


def test_bands_hold_all_of_a_map_where_many_are_and_where_nobody_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 surveys: a standard error of 0.0126. In the corners of the map no report comes near a kernel."""
    monkeypatch.setattr(bands, "_MOST", 2_000)
    plane, rng = gp.Plane(), np.random.default_rng(6)
    spots = rng.normal(size=(4000, 2)) * [3.0, 2.0]
    question = gp.DensityMap("map", 2.0, (-20, -20), (20, 20), plane, columns=6, rows=5)
    lattice = gp.Lattice.calibrate(plane, 1.0, step=0.6, noise="product")
    law = lattice_law(lattice, spots, np.full(4000, 1 / 4000), question.queries)
    aimed = law.shares @ law.contributions  # what a grid as coarse as this estimates
    centred = Law(law.rows, law.shares, law.contributions, aimed, law.spread)
    limit = 0.95 - 2.33 * 0.0126
    assert covered(band_ratios(centred, 2_000, 300, 0.95, rng)) > limit
    monkeypatch.setattr(coverage, "band_half", lambda reach, sums: reach * np.sqrt(sums.variances / sums.n))
    assert covered(band_ratios(centred, 2_000, 50, 0.95, rng)) < 0.5  # standard errors alone miss


def test_the_simulated_law_is_that_of_simulated_people() -> None:
    """Means over 200,000 simulated reports, within 5 standard errors of the law's."""
    design, law = curve()
    (lattice,), (values, weights), rng = design.mechanisms, people(), np.random.default_rng(7)
    assert isinstance(lattice, gp.Lattice)
    drawn = rng.choice(values, 200_000, p=weights)
    cells = lattice.simulate(drawn, rng).values
    seen, times = np.unique(cells, return_counts=True)
    np.testing.assert_array_equal(law.rows[:, 0], np.arange(law.rows.min(), law.rows.max() + 1))
    expected = law.shares[seen.astype(int) - int(law.rows[0, 0])] * 200_000
    frequent = expected > 50
    score = (times - expected)[frequent] / np.sqrt(expected[frequent])
    assert np.abs(score).max() < 5
    assert 0.8 < (score**2).mean() < 1.2


def test_surveys_that_are_simulated_are_estimated_by_the_same_code() -> None:
    design, law = curve()
    (counts,) = law.surveys(500, 5, np.random.default_rng(8))
    for row in counts:
        tally = gp.Tally(design)
        tally.add(ReportBatch(0, np.repeat(law.rows, row.astype(int), axis=0)))
        answer = gp.estimate(design, tally).answers[0]
        means, squares = (row @ law.contributions**power / 500 for power in (1, 2))
        np.testing.assert_allclose(answer.estimates.values, means, atol=1e-9)
        np.testing.assert_allclose(answer.estimates.standard_errors, np.sqrt((squares - means**2) / 499), atol=1e-9)
        assert answer.finite is not None
        assert (answer.finite.high - answer.finite.low < 2 * (law.spread + 1)).all()
