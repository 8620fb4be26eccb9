"""Floors for whole maps and distributions (theory T11): closed forms, and mechanisms above them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special

import geopriv as gp
from geopriv.proofs.floors import has_whole_floor, least_whole_variance, whole_efficiency


@pytest.mark.parametrize(("h", "ratio"), [(1.2, 1.534), (2.0, 1.0446), (3.0, 1.0044), (4.0, 1.0008)])
def test_planar_laplace_is_above_the_floor_of_maps_by_the_ratios_of_the_theory_note(h: float, ratio: float) -> None:
    """At 4/ε a floor that is 1 % higher would be false."""
    floor = least_whole_variance(gp.GaussianKernel((0.0, 0.0), h), 1.0)
    reached = math.pi * (3 + 6 / h**2 + 6 / h**4)
    assert reached / floor == pytest.approx(ratio, abs=6e-4)
    assert floor < reached
    if h == 4.0:
        assert 1.01 * floor > reached


def test_the_floor_of_maps_is_the_formula_with_exponential_integrals() -> None:
    h = 2.0
    b = np.geomspace(1e-4, 20, 4001)
    formula = 4 * h**4 / ((h**2 + b) ** 2 * np.exp(b) * special.expn(3, b)) - h**2
    assert least_whole_variance(gp.GaussianKernel((0.0, 0.0), h), 1.0) == pytest.approx(np.pi * formula.max(), rel=1e-5)


def test_the_floor_scales_with_the_rate_and_holds_on_lines() -> None:
    one = least_whole_variance(gp.GaussianKernel((0.0, 0.0), 2.0), 1.0)
    assert least_whole_variance(gp.GaussianKernel((0.0, 0.0), 1000.0), 1 / 500) == pytest.approx(one * 500**2)
    line = gp.GaussianKernel(0.0, 2.0, space=gp.Line())
    assert 0.9 < whole_efficiency(gp.InputLaplace.calibrate(line.space, 1.0), line) < 1


@pytest.mark.parametrize(("width", "within"), [(4.0, 1.06), (8.0, 1.03)])
def test_laplace_noise_is_just_above_the_floor_of_smooth_distributions(width: float, within: float) -> None:
    query = gp.Threshold(0.0, width, edge="smooth")
    noise, x = gp.InputLaplace.calibrate(query.space, 1.0), np.linspace(-40, 40, 8001)
    reached, floor = integrate.trapezoid(noise.variance(x, query), x), least_whole_variance(query, 1.0)
    assert floor < reached < within * floor


def test_every_grid_report_is_above_the_floor() -> None:
    for query in (gp.GaussianKernel((0.0, 0.0), 2.0), gp.Threshold(0.0, 4.0, edge="smooth")):
        grid = gp.Lattice.calibrate(query.space, 1.0, queries=[query])
        assert 0.3 < whole_efficiency(grid, query) < 1


def test_moved_a_thousandth_below_its_optimum_the_mixture_still_gives_less() -> None:
    """Any mixture is valid, so the floor cannot depend on how well it was chosen: a worse one is lower."""
    from geopriv.proofs.floors.whole import _threshold, _threshold_in_balls

    best = _threshold(4.0)
    for worse in ([0.5, 1.0, 0.5, 0.5, 1.0], [1.0, 0.1, 0.1, 1.0, 2.0]):
        assert _threshold_in_balls(4.0, np.array(worse)) < best


def test_shapes_without_a_floor_are_refused() -> None:
    for query in (gp.Threshold(0.0, 2.0), gp.Range(-1.0, 1.0, 0.5), gp.Ball((0.0, 0.0), 1.0, 0.5)):
        assert not has_whole_floor(query)
        with pytest.raises(gp.InvalidParameter, match="least_whole_variance"):
            least_whole_variance(query, 1.0)
