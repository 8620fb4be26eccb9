"""Intervals, bands and consistent values, against plain computations; their coverage is in test_coverage.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import geopriv as gp
from geopriv.answers.bands import band_reach, proven_band
from geopriv.answers.forms import form_of
from geopriv.answers.intervals import bernstein_reach, normal_reach, sidak_reach
from geopriv.mechanisms.lattice.sums import product_sums
from geopriv.mechanisms.sums import Sums, band_half
from geopriv.spaces.checks import FloatArray

CURVE = gp.Distribution("curve", tuple(range(12)), 4.0, gp.Line())
MAP = gp.DensityMap("map", 1.0, (0, 0), (3, 2), gp.Plane(), columns=4, rows=3)


def made(values: FloatArray, errors: FloatArray) -> gp.answers.Estimates:
    return gp.answers.Estimates(values, errors, 100, 0.0, 0.95)


def correlation(decay: float, size: int) -> FloatArray:
    k = np.arange(size)
    return np.asarray(decay ** np.abs(k[:, None] - k))


@pytest.mark.parametrize("decay", [0.0, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_band_holds_jointly_normal_errors_at_least_as_often_as_it_says(decay: float, confidence: float) -> None:
    """100,000 draws: a standard error of 0.0007 at 0.95; the band of 40 points is also no wider than Šidák's."""
    matrix = correlation(decay, 40)
    reach = band_reach([matrix * 7.0], 40, confidence)
    draws = np.random.default_rng(5).multivariate_normal(np.zeros(40), matrix, 100_000, method="cholesky")
    inside = (np.abs(draws).max(axis=1) <= reach).mean()
    assert confidence - 0.003 < inside < confidence + 0.025
    assert normal_reach(confidence) <= reach <= sidak_reach(confidence, 40)
    narrow = (np.abs(draws).max(axis=1) <= 0.9 * reach).mean()
    assert narrow < confidence - 0.01  # a band that is 10 % too narrow is caught


def test_groups_of_people_are_independent() -> None:
    one, two = band_reach([correlation(0.99, 20)], 20, 0.95), band_reach([correlation(0.99, 20)] * 2, 40, 0.95)
    assert one < two < sidak_reach(0.95, 40)


@pytest.mark.parametrize("confidence", [0.9999, 0.999999])
def test_where_draws_are_too_few_a_band_is_sidaks(confidence: float) -> None:
    assert band_reach([correlation(0.9, 10)], 10, confidence) == sidak_reach(confidence, 10)


def test_a_matrix_that_is_missing_or_spoilt_gives_sidaks_band() -> None:
    assert band_reach([None], 10, 0.95) == sidak_reach(0.95, 10)
    assert band_reach([np.array([[1.0, 2.0], [2.0, 1.0]])], 2, 0.95) == sidak_reach(0.95, 2)


def test_points_without_a_variance_do_not_widen_a_band() -> None:
    matrix = np.zeros((10, 10))
    matrix[:3, :3] = correlation(0.5, 3)
    assert band_reach([matrix], 10, 0.95) < sidak_reach(0.95, 3) + 0.05
    assert band_reach([np.zeros((4, 4))], 4, 0.95) == normal_reach(0.95)


def summed(n: int, variance: float, third: float, spread: float = 2.0) -> Sums:
    one = np.ones(1)
    return Sums(n, one, variance * one, third * one, None, 0 * one, spread * one, 0.0)


def test_a_band_is_wider_where_few_reports_are_and_as_normal_where_many_are() -> None:
    few, many = (float(band_half(4.0, summed(n, 0.25, 0.0))[0] / np.sqrt(0.25 / n)) for n in (50, 1_000_000))
    assert few > 5
    assert 4 < many < 4.001
    assert band_half(4.0, summed(1000, 0.0, 0.0)) == pytest.approx(7 / 6 * 16 * 2 / 999)  # nobody near: all of R
    lopsided, even = (float(band_half(4.0, summed(1000, 0.25, third))[0]) for third in (0.4, 0.0))
    assert lopsided > even
    assert np.isfinite(band_half(4.0, summed(1000, 0.25, 0.1, np.inf))).all()


@given(st.floats(1e-6, 1.0), st.floats(-1, 1), st.integers(2, 10**6))
def test_the_second_term_of_a_band_is_at_most_bernsteins(variance: float, skew: float, n: int) -> None:
    """With |third moment| ≤ R·variance, and L = reach²/2."""
    half = float(band_half(3.0, summed(n, variance, skew * 2 * variance))[0])
    assert half <= 3 * np.sqrt(variance / n) + 7 * 2.0 * 4.5 / (3 * (n - 1)) + 1e-12


def test_sidaks_value_is_that_of_independent_errors() -> None:
    for size in (1, 7, 10_000):
        assert (2 * stats.norm.cdf(sidak_reach(0.95, size)) - 1) ** size == pytest.approx(0.95, abs=1e-9)
    assert sidak_reach(0.95, 1) == pytest.approx(normal_reach(0.95))


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_the_bernstein_interval_is_what_its_three_inequalities_give_or_more(n: int) -> None:
    variance, spread, size = 0.2, 3.0, np.log(3 / 0.05)
    deviation = np.sqrt(variance) + spread * np.sqrt(2 * size / (n - 1))
    bound = deviation * np.sqrt(2 * size / n) + spread * size / (3 * n)
    found = float(bernstein_reach(np.array(variance), n, np.array(spread), 0.95))
    assert bound <= found <= 1.5 * bound


def test_an_interval_of_one_report_is_refused() -> None:
    with pytest.raises(gp.InvalidParameter):
        bernstein_reach(np.ones(1), 1, np.ones(1), 0.95)


def test_moments_of_a_map_are_those_of_its_contributions() -> None:
    rng, plane = np.random.default_rng(3), gp.Plane()
    mechanism = gp.Lattice.calibrate(plane, 1.0, step=0.1, noise="product")
    cells, times = np.unique(rng.integers(-20, 50, (300, 2)), axis=0, return_counts=True)
    sums = product_sums(
        mechanism, cells.astype(float), times.astype(float), MAP.axes, gp.shapes.Gaussian(MAP.bandwidth)
    )
    each = np.stack([mechanism.at_cells(cells.astype(float), query) for query in MAP.queries], axis=1)
    direct = np.cov(each.T, fweights=times)
    np.testing.assert_allclose(sums.variances.ravel(), np.diag(direct), atol=1e-9)
    third = times @ (each - times @ each / times.sum()) ** 3 / times.sum()
    np.testing.assert_allclose(sums.thirds.ravel(), third, atol=1e-9)
    np.testing.assert_allclose(sums.means.ravel(), times @ each / times.sum(), atol=1e-9)


@given(arrays(np.float64, 12, elements=st.floats(-1, 2)), arrays(np.float64, 12, elements=st.floats(0.01, 1)))
def test_a_consistent_curve_falls_within_0_and_1_and_is_the_nearest(values: FloatArray, errors: FloatArray) -> None:
    found = form_of(CURVE).consistent(CURVE, made(values, errors))
    assert (np.diff(found) <= 1e-12).all()
    assert found.min() >= 0
    assert found.max() <= 1

    def distance(to: FloatArray) -> float:
        return float((((values - to) / errors) ** 2).sum())

    rng = np.random.default_rng(0)
    for _ in range(20):
        other = np.sort(np.clip(found + rng.normal(0, 0.1, 12), 0, 1))[::-1]
        assert distance(found) <= distance(other) * (1 + 1e-9) + 1e-9


def test_a_curve_that_is_consistent_already_stays_as_it_is() -> None:
    values = np.linspace(1.0, 0.0, 12)
    np.testing.assert_allclose(form_of(CURVE).consistent(CURVE, made(values, np.zeros(12))), values)


def test_a_consistent_map_is_not_negative_and_its_total_grows_by_what_was() -> None:
    values = np.random.default_rng(0).normal(0.0, 1.0, MAP.shape)
    found = form_of(MAP).consistent(MAP, made(values, np.ones(MAP.shape)))
    assert found.min() == 0
    assert found.sum() - values.sum() == pytest.approx(-values[values < 0].sum())
    assert np.array_equal(found[values > 0], values[values > 0])


@pytest.mark.parametrize(
    ("query", "value", "expected"),
    [
        (gp.Threshold(0.0, 1.0), -0.1, 0.0),
        (gp.Threshold(0.0, 1.0), 1.2, 1.0),
        (gp.Threshold(0.0, 1.0), 0.3, 0.3),
        (gp.LinearQuery((1.0, 1.0), gp.shapes.PiecewiseLinear((0.0, 1.0), (0.0, 5.0))), 4.0, 4.0),
        (gp.LinearQuery((1.0, 1.0), gp.shapes.PiecewiseLinear((0.0, 1.0), (0.0, 5.0))), 6.0, 5.0),
    ],
)
def test_a_consistent_share_is_an_answer_that_its_query_can_have(
    query: gp.queries.Query, value: float, expected: float
) -> None:
    found = form_of(gp.Share("share", query)).consistent(gp.Share("share", query), made(np.array(value), np.array(0.1)))
    assert found.shape == ()
    assert found == expected


def test_a_proven_band_is_the_finite_sample_interval_with_the_error_shared_out() -> None:
    """4.51 standard errors for 441 points, and a term of order 1/n; with 1/K of the errors it would be shorter."""
    variances, ends = np.full(441, 0.25), np.full(441, 1.0)
    sums = Sums(10**10, ends / 2, variances, 0 * ends, None, 0 * ends, ends, 0.0)
    half = proven_band(sums, 441, 0.95)
    np.testing.assert_allclose(half / np.sqrt(variances / sums.n), 4.51, atol=0.005)
    np.testing.assert_allclose(half, bernstein_reach(variances, sums.n, ends, 1 - 0.05 / 441))
