"""Every mechanism with every kind of query, through the same checks.

Statistical checks: n = 100,000 draws a value, fixed seed, |z| ≤ 5.5 (error rate 4e-8 a comparison, about 1e-4 for the
whole table). Each has a planted fault that it must catch.
"""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from scipy import integrate

import geopriv as gp
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.noise import Noise
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.threads import PIECE
from tests.rows import (
    ASKED,
    MECHANISMS,
    Asked,
    Row,
    makes_sense,
    rows,
    simple,
)

ROWS = rows()
N = 100_000
LIMIT = 5.5
DISC = gp.Range(-3.0, 4.0, 1.0)  # of a set that others can be far from
TIGHT = (
    "Table",
    "BracketTable",
    "VectorTable",
    "SharedTables",
    "LeastScaleT",
    "LipschitzLaplace",
    "CoordinateLaplace",
    "InputLaplace",
    "Lattice",
    "LocalLaplace",
)

_simple = cache(lambda name: MECHANISMS[name](DISC if name == "SharedTables" else simple(name, 1.0), 1.0))

every_row = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
every_asked = pytest.mark.parametrize("asked", ASKED, ids=[asked.name for asked in ASKED])
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


@every_row
def test_the_promise_holds_and_is_used_up_where_the_calibration_is_tight(row: Row) -> None:
    result = gp.audit(row.mechanism)
    assert result.passed, result
    assert result.worst_ratio <= 1 + 1e-9
    if row.name.startswith(TIGHT):
        assert result.worst_ratio >= 0.99


@every_row
def test_the_guarantee_names_its_theorem_and_unit(row: Row) -> None:
    guarantee = row.mechanism.guarantee
    assert "paper" in guarantee.reference or "theory" in guarantee.reference
    if guarantee.metric == "distance":
        assert guarantee.epsilon == row.asked.epsilon
        assert guarantee.unit == row.asked.query.space.distance_unit


@every_mechanism
def test_reports_of_many_leave_their_numbers_as_they_are_and_check_all_of_them(name: str) -> None:
    """Large arrays of floats are not copied before they are drawn from."""
    mechanism, n = _simple(name), PIECE + 10
    shape = (n, *mechanism.space.point_shape)
    x = np.random.default_rng(1).normal(0.0, 2.0, shape)
    before = x.copy()
    assert len(mechanism.report(x)) == n
    assert (x == before).all()
    rows, _ = mechanism.space.read_rows(x)
    assert np.shares_memory(rows, x) is mechanism.space.exact_as_given
    x[-1] = np.nan
    with pytest.raises(gp.OutOfDomain):
        mechanism.report(x)
    whole = np.full(shape, 2**53 + 1)
    assert (mechanism.space.read_rows(whole)[0] == 2.0**53).all()


def mean_scores(draws: FloatArray, mean: FloatArray, variance: FloatArray) -> FloatArray:
    """z-scores of sample means, with the stated variance and a little room for quadrature."""
    return np.asarray(np.abs(draws.mean(axis=1) - mean) / (np.sqrt(variance / N) + 1e-5))


def spread_scores(draws: FloatArray, mean: FloatArray, variance: FloatArray, noise: Noise | None) -> FloatArray:
    """z-scores of the second moment within five scales.

    Heavy-tailed noise has no fourth moment, so its sample variance has no standard error; the truncated one has, and
    its expectation follows from the density.
    """
    if noise is None:
        squares, expected = (draws - mean[:, None]) ** 2, variance
    else:
        z = (draws - mean[:, None]) / np.sqrt(variance / noise.variance)[:, None]
        inner = integrate.quad(lambda t: t * t * float(noise.pdf(np.asarray(t))), -5, 5, epsabs=1e-12, points=[0.0])[0]
        squares, expected = np.where(np.abs(z) <= 5, z**2, 0.0), np.full(len(draws), inner)
    error = squares.std(axis=1) / np.sqrt(N)
    return np.asarray(np.abs(squares.mean(axis=1) - expected) / (error + 1e-4 * expected + 2e-6))


def check_moments(row: Row, bias: FloatArray, variance: FloatArray) -> tuple[float, float]:
    draws = row.draw(N, np.random.default_rng(20_240_607))
    mean = row.asked.query(row.values) + bias
    noise = getattr(row.mechanism, "noise", None)
    return float(mean_scores(draws, mean, variance).max()), float(spread_scores(draws, mean, variance, noise).max())


@every_row
def test_bias_and_variance_are_what_simulation_shows(row: Row) -> None:
    mean_score, spread_score = check_moments(row, *row.moments())
    assert mean_score < LIMIT
    assert spread_score < LIMIT


SEEN = ("threshold", "smooth threshold", "range", "ridge")


@every_mechanism
def test_a_bias_or_variance_that_is_off_is_caught(name: str) -> None:
    row = next(row for row in ROWS if row.name in [f"{name} / {asked}" for asked in SEEN])
    bias, variance = row.moments()
    shifted, _ = check_moments(row, bias + 0.1, variance)
    assert shifted > LIMIT
    _, scaled = check_moments(row, bias, variance * 1.06)
    assert scaled > LIMIT


@every_row
def test_unbiased_mechanisms_state_no_bias_and_biased_ones_say_so(row: Row) -> None:
    bias, _ = row.moments()
    mechanism, query = row.mechanism, row.asked.query
    if mechanism.unbiased:
        assert (np.abs(bias) <= 1e-6).all()
        assert (bias == 0).all() or isinstance(mechanism, AnyTable | gp.mechanisms.SharedTables)
    else:
        assert isinstance(mechanism, gp.InputLaplace | gp.CoordinateLaplace | gp.Lattice | AnyTable)
        answer = gp.estimate(mechanism, mechanism.simulate(row.values, _rng()), query)
        assert answer.unbiased == (mechanism.largest_bias(query) <= 1e-6)
        assert not answer.unbiased or isinstance(mechanism, gp.Lattice)
    assert not (np.abs(bias) > mechanism.largest_bias(query) + 1e-12).any()  # where a bound is known


@every_row
def test_a_mechanism_survives_pickling_unchanged(row: Row) -> None:
    again = pickle.loads(pickle.dumps(row.mechanism))
    assert again == row.mechanism
    first, second = (m.simulate(row.values, _rng()).values for m in (row.mechanism, again))
    np.testing.assert_array_equal(first, second)


@every_mechanism
@pytest.mark.parametrize("epsilon", [0.0, -1.0, np.nan, np.inf, "1 per parsec", "one", None, True])
def test_a_bad_epsilon_is_refused(name: str, epsilon: object) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"epsilon|unit"):
        MECHANISMS[name](gp.Threshold(0.0, 1.0, gp.Line("USD"), "smooth"), epsilon)  # type: ignore[arg-type]


@every_mechanism
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, "secret-42", None, 1j])
def test_a_bad_value_is_refused_before_anything_is_drawn(name: str, bad: object) -> None:
    mechanism = _simple(name)
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    with pytest.raises(gp.OutOfDomain) as caught:
        mechanism.simulate([0.0, bad], rng)
    assert rng.bit_generator.state == before
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "VectorTable"])  # on a line any shape is one
def test_points_of_the_wrong_shape_are_refused(name: str) -> None:
    kernel, ball = gp.GaussianKernel((0.0, 0.0), 2.0), gp.Ball((0.0, 0.0), 2.0, 1.0)
    mechanism = MECHANISMS[name](ball if name in ("BracketTable", "SharedTables") else kernel, 1.0)
    with pytest.raises(gp.OutOfDomain, match="shape"):
        mechanism.simulate([1.0, 2.0, 3.0], _rng())


@every_mechanism
def test_no_one_and_one_person_are_fine(name: str) -> None:
    mechanism = _simple(name)
    assert len(mechanism.simulate([], _rng())) == 0
    assert len(mechanism.simulate([0.3], _rng())) == 1


@every_mechanism
def test_simulation_is_repeatable_and_its_result_is_not_a_report(name: str) -> None:
    mechanism = _simple(name)
    first, second = mechanism.simulate([0.0, 1.0], _rng()), mechanism.simulate([0.0, 1.0], _rng())
    np.testing.assert_array_equal(first.values, second.values)
    assert type(first) is gp.mechanisms.Simulated
    assert not isinstance(first, np.ndarray)


@pytest.mark.parametrize("df", [0.5, 1.0, 1.5, 2.0])
def test_a_variance_that_is_infinite_is_refused_by_name(df: float) -> None:
    mechanism = gp.SmoothT.calibrate(gp.Threshold(0.0, 1.0), 1.0, df=df)
    assert gp.audit(mechanism).passed
    with pytest.raises(gp.InvalidParameter, match="finite variance"):
        mechanism.variance([0.0])
    if df <= 1:
        assert not mechanism.unbiased
        with pytest.raises(gp.InvalidParameter, match="finite mean"):
            mechanism.bias([0.0])


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda q: gp.SmoothT.calibrate(q, 1.0, df=0.0), "df"),
        (lambda q: gp.SmoothT.calibrate(q, 1.0, df=np.nan), "df"),
        (lambda q: gp.SmoothT.calibrate(q, 1.0, gamma_share=1.0), "gamma_share"),
        (lambda q: gp.SmoothT.calibrate(q, 1.0, radius=0.0), "radius"),
        (lambda q: gp.SmoothT.calibrate(q, 1.0, calibration="best"), "calibration"),  # type: ignore[arg-type]
        (lambda q: gp.SmoothT.calibrate(q, 1.0, df=0.9, calibration="exact"), "df"),
        (lambda q: gp.LeastScaleT.calibrate(q, 1.0, df=0.9), "df"),
        (lambda q: gp.LeastScaleT.calibrate(q, 1.0, prior=[]), "prior"),
        (lambda q: gp.SmoothCauchy.calibrate(q, 1.0, p=0.5, theta=4.0), "p"),
        (lambda q: gp.SmoothCauchy.calibrate(q, 1.0, p=2.0, theta=0.5), "theta"),
        (lambda q: gp.SmoothLaplace.calibrate(q, 1.0, delta=0.0), "delta"),
        (lambda q: gp.SmoothLaplace.calibrate(q, 1.0, delta=1.0), "delta"),
        (lambda q: gp.LocalLaplace.calibrate(q, 1.0, distance=-1.0), "distance"),
        (lambda q: gp.LocalLaplace.calibrate(gp.LipschitzQuery(np.sin, 1.0), 1.0, distance=1.0), "query"),
        (lambda q: gp.VectorSmoothCauchy.calibrate([], 1.0), "queries"),
        (lambda q: gp.VectorSmoothCauchy.calibrate([q, gp.Threshold(0, 1, gp.Line("USD"))], 1.0), "queries"),
    ],
)
def test_bad_parameters_are_named(make: object, parameter: str) -> None:
    with pytest.raises(gp.InvalidParameter, match=f"'{parameter}'"):
        make(gp.Threshold(0.0, 1.0))  # type: ignore[operator]


def test_an_input_report_answers_only_queries_of_its_own_space() -> None:
    mechanism = gp.InputLaplace.calibrate(gp.Line("USD"), 1.0)
    with pytest.raises(gp.InvalidParameter, match="space"):
        mechanism.bias([1.0], gp.Threshold(0.0, 1.0, gp.Line("EUR")))


def test_the_papers_expected_variances_come_out() -> None:
    """Expected variance per user under the published log-normal incomes (theory §6), by quadrature over quantiles."""
    table = {
        (10_000, 800): (0.50, 0.02667),
        (100_000, 8_000): (0.50, 0.865),
        (100_000, 20_000): (2.0, 5.48),
        (1_000_000, 48_000): (0.50, 0.0709),
    }
    u = (np.arange(400_000) + 0.5) / 400_000
    incomes = np.exp(11.49399503122476 + 0.8290709468895202 * gp.noise.StudentT(df=1e9).ppf(u))
    for (at, inverse_rate), (flat, smooth) in table.items():
        query = gp.Threshold(at, min(0.2 * at, 2 * inverse_rate))
        lipschitz = gp.LipschitzLaplace.calibrate(query, 1 / inverse_rate)
        paper = gp.SmoothT.calibrate(query, 1 / inverse_rate)
        assert lipschitz.variance(incomes).mean() == pytest.approx(flat, rel=5e-3)
        assert paper.variance(incomes).mean() == pytest.approx(smooth, rel=5e-3)


@every_asked
@every_mechanism
def test_a_combination_left_out_of_the_table_is_refused_with_a_reason(name: str, asked: Asked) -> None:
    if makes_sense(name, asked) or name == "SharedTables":  # tests of its own say what it refuses
        return
    row = Row(name, asked, MECHANISMS[name])
    with pytest.raises(gp.InvalidParameter, match=r"'(query|queries|space)' parameter .{40}"):
        row.moments()


def _rng() -> np.random.Generator:
    return np.random.default_rng(5)
