"""The least scale: the theory's numbers, tightness, certification, and faults that the audit must catch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import geopriv as gp
from geopriv.smooth.sensitivity.least_scale import least_scale
from geopriv.smooth.sensitivity.student_scales import TabledScale
from geopriv.spaces.checks import FloatArray

BELL = gp.GaussianKernel(0.0, 1.0)
STAIRCASE = gp.LinearQuery((1.0,), gp.shapes.PiecewiseLinear((-2.0, -1.0, 0.0, 3.0), (0.0, 1.0, 0.25, 0.5)))


def incomes() -> FloatArray:
    """Quantiles of the published log-normal fit."""
    u = (np.arange(100_000) + 0.5) / 100_000
    return np.exp(11.49399503122476 + 0.8290709468895202 * gp.noise.StudentT(df=1e9).ppf(u))


@pytest.mark.parametrize(
    ("at", "inverse_rate", "df", "variance"),
    [
        (10_000, 800, 3.58, 0.00416),
        (100_000, 8_000, 3.67, 0.178),
        (100_000, 20_000, 3.79, 1.32),
        (1_000_000, 48_000, 3.25, 0.00263),
    ],
)
def test_the_expected_variances_of_the_theory_note_come_out(
    at: float, inverse_rate: float, df: float, variance: float
) -> None:
    query, x = gp.Threshold(at, min(0.2 * at, 2 * inverse_rate)), incomes()
    mechanism = gp.LeastScaleT.calibrate(query, 1 / inverse_rate, prior=x)
    assert mechanism.noise.df == pytest.approx(df, abs=0.01)
    assert mechanism.variance(x).mean() == pytest.approx(variance, rel=5e-3)
    uniform = gp.LeastScaleT.calibrate(query, 1 / inverse_rate)
    assert uniform.variance(x).mean() < 1.05 * mechanism.variance(x).mean()
    assert uniform.variance(x).mean() < gp.LipschitzLaplace.calibrate(query, 1 / inverse_rate).variance(x).mean()
    assert uniform.variance(x).mean() < gp.SmoothT.calibrate(query, 1 / inverse_rate).variance(x).mean() / 4


@pytest.mark.parametrize("rate", [1e-3, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("df", [1.0, 2.5, 3.5, 20.0])
def test_a_kernel_uses_its_promise_up_and_no_more(rate: float, df: float) -> None:
    result = gp.audit(gp.LeastScaleT.calibrate(BELL, rate, df=df))
    assert result.passed
    assert result.worst_ratio > 0.99


def test_the_scale_is_the_least_one_that_the_conditions_of_the_theorem_allow() -> None:
    """T4: σ ≥ k|f'|/ε everywhere, and where σ is above that it falls as fast as T3 permits."""
    df, rate = 3.5, 1.0
    k = (df + 1) / (2 * np.sqrt(df))
    s = np.linspace(0.0, 8.0, 200_001)
    scale = least_scale(gp.shapes.Gaussian(1.0), rate, df)(s)
    slope = s * np.exp(-(s**2) / 2)
    assert (scale >= k * slope / rate * (1 - 1e-9)).all()
    assert scale[25_000] == pytest.approx(k * np.exp(-0.5) / rate, rel=1e-3)  # at s = 1 the floor itself
    beta = np.abs(np.diff(np.log(scale))) / np.diff(s)
    alpha = (slope / scale)[1:]
    spent = ((df - 1) * beta + np.hypot((df + 1) * beta, 2 * k * alpha)) / 2
    assert (spent <= rate * (1 + 2e-3)).all()
    assert np.median(spent) > 0.995 * rate


def test_a_scale_below_the_least_breaks_the_promise() -> None:
    for query in (BELL, gp.Threshold(0.0, 1.0), STAIRCASE):
        mechanism = gp.LeastScaleT.calibrate(query, 1.0, df=3.5)
        sound = mechanism.scale
        assert gp.audit(mechanism).passed
        assert not gp.audit(replace(mechanism, scale=lambda s, f=sound: 0.999 * f(s))).passed  # type: ignore[misc]
        assert gp.audit(replace(mechanism, scale=lambda s, f=sound: 1.5 * f(s))).passed  # type: ignore[misc]


def test_rounding_the_scale_up_in_buckets_is_not_safe() -> None:
    """T4: a pointwise larger scale can lose many times ε between close inputs."""
    mechanism = gp.LeastScaleT.calibrate(BELL, 1.0, df=3.5)
    sound = mechanism.scale

    def bucketed(
        s: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.asarray(np.exp(np.ceil(np.log(sound(s)) / 1e-3) * 1e-3))

    assert (bucketed(np.linspace(-5, 5, 999)) >= sound(np.linspace(-5, 5, 999))).all()
    assert gp.audit(replace(mechanism, scale=bucketed)).worst_ratio > 1.4


def test_growth_ten_percent_too_fast_is_caught() -> None:
    mechanism = gp.LeastScaleT.calibrate(gp.Threshold(0.0, 1.0), 1.0, df=3.5)
    top = float(mechanism.scale(np.zeros(1))[0])
    fast = replace(mechanism, scale=lambda s: top * np.exp(-1.1 / 3.5 * np.maximum(np.abs(s) - 0.5, 0.0)))
    assert not gp.audit(fast).passed


def test_the_table_of_a_kernel_serves_every_bandwidth() -> None:
    small, large = (
        least_scale(gp.shapes.Gaussian(1.0), 2.0, 3.5),
        least_scale(gp.shapes.Gaussian(400.0, center=7.0), 2.0 / 400.0, 3.5),
    )
    s = np.linspace(-6, 6, 101)
    np.testing.assert_allclose(large(7.0 + 400.0 * s), small(s), rtol=1e-12)


def test_straight_pieces_agree_with_the_closed_form_of_a_ramp() -> None:
    ramp = gp.shapes.Ramp(1.3)
    s = np.linspace(-20, 20, 501)
    closed = least_scale(ramp, 1.0, 3.2)
    tabled = least_scale(gp.shapes.PiecewiseLinear(ramp.knots, ramp.values), 1.0, 3.2)
    np.testing.assert_allclose(tabled(s), closed(s), rtol=1e-6)
    assert tabled.squared_integral() == pytest.approx(closed.squared_integral(), rel=1e-6)


@pytest.mark.parametrize(
    "profile",
    [
        gp.shapes.Ramp(1.3),
        gp.shapes.Trapezoid(2.0, 0.7),
        gp.shapes.Triangle(1.1),
        gp.shapes.Gaussian(0.8),
        STAIRCASE.profile,
    ],
)
def test_the_integral_of_the_squared_scale_is_right(profile: gp.shapes.Profile) -> None:
    scale = least_scale(profile, 1.0, 3.2)
    s = np.linspace(-60, 60, 600_001)
    whole = float(np.trapezoid(scale(s) ** 2, s))
    halves = (
        0.5 if isinstance(scale, TabledScale) and scale.center is not None else 1.0
    )  # mirrored tables hold one side
    assert scale.squared_integral() == pytest.approx(whole * halves, rel=1e-5)


def test_a_custom_profile_without_curvature_gains_only_outside() -> None:
    vague = gp.LinearQuery((1.0,), gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0))
    known = gp.LinearQuery((1.0,), gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0, curvature=0.77))
    for query in (vague, known):
        assert gp.audit(gp.LeastScaleT.calibrate(query, 1.0)).passed
    x = [(3.0,)]
    assert gp.LeastScaleT.calibrate(known, 1.0, df=3.5).variance(x) < gp.LeastScaleT.calibrate(
        vague, 1.0, df=3.5
    ).variance(x)


def test_the_exact_calibration_is_never_worse_than_the_papers_sum() -> None:
    for share in (0.1, 1 / 3, 0.7):
        for df in (1.0, 3.0, 8.0):
            paper, exact = (gp.SmoothT.calibrate(BELL, 1.0, share, df, calibration=c) for c in ("sum", "exact"))
            assert exact.eta > paper.eta
            assert gp.audit(exact).passed


def test_an_exact_calibration_that_overspends_is_caught() -> None:
    """For the sigmoid the exact calibration is nearly tight: 5 % less noise breaks the promise."""
    query = gp.LinearQuery((1.0,), gp.shapes.Custom(np.tanh, 1.0, -6.0, 6.0, curvature=0.77))
    mechanism = gp.SmoothT.calibrate(query, 1.0, calibration="exact")
    sound = mechanism.scale
    assert not gp.audit(replace(mechanism, scale=lambda s: 0.95 * sound(s))).passed


def test_a_prior_far_from_the_query_and_many_knots_are_fine() -> None:
    far = gp.LeastScaleT.calibrate(gp.Threshold(1e6, 96_000.0), 1 / 800, prior=[100_000.0, 50_000.0])
    assert 2 < far.noise.df < 40
    knots = tuple(np.linspace(0.0, 50.0, 400).tolist())
    wavy = gp.LinearQuery((1.0,), gp.shapes.PiecewiseLinear(knots, tuple(np.sin(knots).tolist())))
    assert gp.audit(gp.LeastScaleT.calibrate(wavy, 1.0, df=3.5)).passed


def test_the_exact_budget_needs_at_least_one_degree_of_freedom() -> None:
    with pytest.raises(gp.InvalidParameter, match="df"):
        gp.noise.StudentT(0.5).exact_budget(1.0, 1.0)


def test_a_ramp_narrower_than_rounding_at_its_place_is_refused() -> None:
    for make in (
        lambda: gp.shapes.Ramp(1e-7, center=1e9),
        lambda: gp.shapes.Triangle(1e-7, center=1e9),
        lambda: gp.shapes.Trapezoid(1e9, 1e-7),
    ):
        with pytest.raises(gp.InvalidParameter, match="width"):
            make()
