"""Estimates: the mean, its interval, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.populations import synthetic_incomes

QUERY = gp.Threshold(100_000.0, 16_000.0)
EPSILON = 1 / 8000


def test_intervals_cover_the_population_mean_as_often_as_they_say() -> None:
    """2,000 surveys of 400 people drawn from a population: 95 % ± 4 standard errors of 0.5 points."""
    rng = np.random.default_rng(4)
    population = synthetic_incomes(100_000, rng)
    truth = float(QUERY(population).mean())
    mechanism = gp.LipschitzLaplace.calibrate(QUERY, EPSILON)
    hits = narrow = 0
    for _ in range(2000):
        answer = gp.estimate(mechanism, mechanism.simulate(rng.choice(population, 400), rng))
        hits += answer.low <= truth <= answer.high
        narrow += abs(answer.value - truth) <= 0.9 * (answer.high - answer.value)
    assert abs(hits / 2000 - 0.95) < 0.02
    assert abs(narrow / 2000 - 0.95) > 0.015  # intervals a tenth too short would show


def test_confidence_widens_the_interval() -> None:
    mechanism = gp.SmoothT.calibrate(QUERY, EPSILON)
    reports = mechanism.simulate(np.full(1000, 90_000.0), np.random.default_rng(0))
    wide, narrow = (gp.estimate(mechanism, reports, confidence=c) for c in (0.99, 0.5))
    assert wide.value == narrow.value
    assert wide.low < narrow.low < narrow.high < wide.high


def test_one_report_has_an_infinite_interval_and_none_is_refused() -> None:
    mechanism = gp.SmoothT.calibrate(QUERY, EPSILON)
    single = gp.estimate(mechanism, [0.4])
    assert single.standard_error == np.inf
    assert (single.low, single.high) == (-np.inf, np.inf)
    with pytest.raises(gp.ReportRejected, match="at least one"):
        gp.estimate(mechanism, [])


@pytest.mark.parametrize("bad", [[np.nan], [np.inf], ["secret-42"], [None, "x"], 3.0])
def test_reports_that_are_no_numbers_are_refused_without_being_quoted(bad: object) -> None:
    with pytest.raises(gp.ReportRejected) as caught:
        gp.estimate(gp.SmoothT.calibrate(QUERY, EPSILON), bad)
    assert "secret" not in str(caught.value)


def test_biased_estimators_say_so() -> None:
    mechanism = gp.InputLaplace.calibrate(gp.Line(), EPSILON, estimator="plain")
    reports = mechanism.simulate([90_000.0, 120_000.0], np.random.default_rng(0))
    assert "biased" in str(gp.estimate(mechanism, reports, QUERY))
    assert "biased" not in str(gp.estimate(gp.SmoothT.calibrate(QUERY, EPSILON), [0.1, 0.2]))


def test_an_estimate_says_how_large_its_bias_can_be_where_that_is_known() -> None:
    kernel = gp.GaussianKernel(0.0, 0.3)  # narrow beside 1/ε, where a table cannot follow it quite
    table = gp.Table.calibrate(kernel, 1.0)
    answer = gp.estimate(table, table.simulate([0.0, 1.0], np.random.default_rng(0)))
    assert answer.bias == table.largest_bias() > 1e-6
    assert not answer.unbiased
    assert str(answer).endswith(f"(bias at most {answer.bias:.1g})")
    exact = gp.estimate(gp.SmoothT.calibrate(kernel, 1.0), [0.1, 0.2])
    assert (exact.bias, exact.unbiased) == (0.0, True)
    plain = gp.InputLaplace.calibrate(gp.Line(), 1.0, estimator="plain")
    assert np.isnan(gp.estimate(plain, [0.0, 1.0], kernel).bias)


def test_noise_without_a_variance_gives_no_interval_and_hence_no_estimate() -> None:
    mechanism = gp.SmoothT.calibrate(QUERY, EPSILON, df=1.5)
    with pytest.raises(gp.InvalidParameter, match="variance"):
        gp.estimate(mechanism, [0.1, 0.2])


def test_the_query_must_be_one_that_was_asked() -> None:
    other = gp.Threshold(1.0, 2.0)
    for mechanism in (gp.SmoothT.calibrate(QUERY, EPSILON), gp.CoordinateLaplace.calibrate(QUERY, EPSILON, "plain")):
        with pytest.raises(gp.InvalidParameter, match="query"):
            gp.estimate(mechanism, [0.1, 0.2], query=other)
    several = gp.VectorSmoothCauchy.calibrate([QUERY, other], EPSILON)
    with pytest.raises(gp.InvalidParameter, match="query"):
        gp.estimate(several, [[0.1, 0.2]])
    with pytest.raises(gp.InvalidParameter, match="shape"):
        gp.estimate(several, [0.1, 0.2], query=other)
    assert gp.estimate(several, [[0.1, 0.2], [0.3, 0.2]], query=other).value == pytest.approx(0.2)
    with pytest.raises(gp.InvalidParameter, match="given"):
        gp.estimate(gp.InputLaplace.calibrate(gp.Line(), EPSILON), [1.0, 2.0])
    with pytest.raises(gp.InvalidParameter, match="confidence"):
        gp.estimate(several, [[0.1, 0.2]], query=other, confidence=1.0)


def test_the_synthetic_population_has_the_published_median_and_needs_people() -> None:
    incomes = synthetic_incomes(200_001, np.random.default_rng(1))
    assert np.median(incomes) == pytest.approx(np.exp(11.49399503122476), rel=0.01)
    with pytest.raises(gp.InvalidParameter, match="people"):
        synthetic_incomes(0, np.random.default_rng(1))
