"""Cumulative shares in one pass against one estimate a threshold."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp

USD = gp.Line("USD")
STEP = gp.Threshold(0.0, 2.0, edge="smooth")
AT = np.concatenate([np.linspace(5_000, 60_000, 12), [61_000.0, 100_000.0, 1e6]])


@pytest.mark.parametrize("estimator", ["unbiased", "plain"])
@pytest.mark.parametrize("width", [100.0, 16_000.0, 90_000.0])
def test_every_threshold_is_what_a_single_estimate_says(estimator: str, width: float) -> None:
    mechanism = gp.InputLaplace.calibrate(USD, 1 / 8000, estimator)  # type: ignore[arg-type]
    incomes = np.random.default_rng(1).lognormal(11.0, 0.8, 4000)
    reports = mechanism.simulate(incomes, np.random.default_rng(2))
    curve = gp.estimate(mechanism, reports, gp.Threshold(0.0, width, USD, edge="smooth"), at=AT)
    for k, at in enumerate(AT):
        single = gp.estimate(mechanism, reports, gp.Threshold(at, width, USD, edge="smooth"))
        scale = max(1.0, (8000 / width) ** 2)
        assert curve.values[k] == pytest.approx(single.value, abs=1e-12 * scale)
        assert curve.standard_errors[k] == pytest.approx(single.standard_error, rel=1e-9)
    assert curve.unbiased == (estimator == "unbiased")


def test_a_curve_works_on_ratios() -> None:
    space = gp.LogLine(2.0)
    mechanism = gp.InputLaplace.calibrate(space, 2.0)
    reports = mechanism.simulate([100.0, 1000.0, 5000.0], np.random.default_rng(3))
    curve = gp.estimate(mechanism, reports, gp.Threshold(9.0, 2.0, space, edge="smooth"), at=[500.0, 2000.0])
    single = gp.estimate(mechanism, reports, gp.Threshold(500.0, 2.0, space, edge="smooth"))
    assert curve[0].value == pytest.approx(single.value, abs=1e-12)


def test_a_report_on_an_edge_counts_once() -> None:
    mechanism = gp.InputLaplace.calibrate(gp.Line(), 1.0)
    for y in (-1.0, 0.0, 1.0):
        curve = gp.estimate(mechanism, [y, y], STEP, at=[0.0])
        single = gp.estimate(mechanism, [y, y], gp.Threshold(0.0, 2.0, edge="smooth"))
        assert curve[0].value == single.value


def test_bad_input_is_refused() -> None:
    mechanism = gp.InputLaplace.calibrate(gp.Line(), 1.0)
    for at in ([], [2.0, 1.0], [1.0, 1.0]):
        with pytest.raises(gp.InvalidParameter, match="'at'"):
            gp.estimate(mechanism, [0.0], STEP, at=at)
    with pytest.raises(gp.InvalidParameter, match="at"):
        gp.estimate(mechanism, [0.0], STEP, at=[np.nan])
    for query in (gp.Threshold(0.0, 2.0), gp.Range(0.0, 1.0, 0.5)):
        with pytest.raises(gp.InvalidParameter, match="smooth edge"):
            gp.estimate(mechanism, [0.0], query, at=[0.0])
    with pytest.raises(gp.InvalidParameter, match="query"):
        gp.estimate(mechanism, [0.0], at=[0.0])  # type: ignore[call-overload]
    with pytest.raises(gp.ReportRejected):
        gp.estimate(mechanism, [], STEP, at=[0.0])
    with pytest.raises(gp.ReportRejected):
        gp.estimate(mechanism, [[0.0, 1.0]], STEP, at=[0.0])
    with pytest.raises(gp.InvalidParameter, match="on the space of the reports"):
        gp.estimate(gp.InputLaplace.calibrate(gp.Plane(), 1.0), [0.0], STEP, at=[0.0])
    with pytest.raises(gp.InvalidParameter, match="mechanism"):
        gp.estimate(gp.Lattice.calibrate(gp.Line(), 1.0, step=0.1), [0.0], STEP, at=[0.0])
    ratios = gp.InputLaplace.calibrate(gp.LogLine(2.0, floor=10.0), 1.0)
    for at in ([0.5, 100.0], [10.0]):
        with pytest.raises(gp.InvalidParameter, match="above the floor"):
            gp.estimate(ratios, [0.0], gp.Threshold(20.0, 2.0, ratios.space, edge="smooth"), at=at)


def test_reports_very_far_away_are_above_or_below() -> None:
    mechanism = gp.InputLaplace.calibrate(gp.Line(), 1.0)
    curve = gp.estimate(mechanism, [1e150, -1e150, 1e308, -1e308], STEP, at=[0.0, 1.0])
    np.testing.assert_array_equal(curve.values, 0.5)
    assert gp.estimate(mechanism, [3.0], STEP, at=0.0).values == 1.0


def test_a_distribution_is_one_pass_where_its_steps_are_smooth() -> None:
    mechanism = gp.InputLaplace.calibrate(USD, 1 / 8000)
    reports = mechanism.simulate(np.random.default_rng(1).lognormal(11.0, 0.8, 4000), np.random.default_rng(2))
    smooth = gp.Distribution("incomes", tuple(AT.tolist()), 16_000.0, USD)
    moved = gp.estimate(mechanism, reports, smooth.queries[0], at=AT)
    np.testing.assert_array_equal(gp.estimate(mechanism, reports, smooth).values, moved.values)
    lattice = gp.Lattice.calibrate(USD, 1 / 8000, queries=smooth.queries)
    cells = lattice.simulate(np.full(100, 5e4), np.random.default_rng(3))
    one_by_one = gp.estimate(lattice, cells, smooth.queries)
    np.testing.assert_array_equal(gp.estimate(lattice, cells, smooth).values, one_by_one.values)
