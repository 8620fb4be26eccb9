"""Splines on a grid: at and beyond its borders, and what waves bend between its points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from geopriv.shapes.grids import BlurredGrid, filtered, lengths

RNG = np.random.default_rng(17)


@pytest.mark.parametrize("shape", [(40,), (30, 41), (12, 15, 18)])
def test_beyond_a_border_a_spline_has_its_value_on_the_border(shape: tuple[int, ...]) -> None:
    """Only what is within takes every term; the whole spline at the nearest point of the border says the same."""
    coefficients = filtered(RNG.normal(size=shape))
    origin, last = np.full(len(shape), -3.0), np.array(shape) - 1
    grid = BlurredGrid(origin, 0.5, np.zeros(shape))
    place = RNG.uniform(-0.6, 1.6, (2000, len(shape))) * last
    place[:2] = [np.zeros(len(shape)), last]
    place[2:10] = RNG.integers(-1, 2, (8, len(shape))) * 3 * last  # corners, and far outside
    nearest = np.clip(place, 0, last).T
    whole = ndimage.map_coordinates(coefficients, nearest, order=5, prefilter=False, mode="mirror")
    assert grid.read(coefficients, origin + 0.5 * place) == pytest.approx(whole, abs=1e-12)
    assert np.ptp(whole) > 1  # a border value taken from another border would be seen


def test_waves_bend_by_the_sum_of_what_each_of_them_bends() -> None:
    grid, waves = BlurredGrid(np.zeros(2), 0.25, np.zeros((7, 9))), RNG.random((7, 9))
    assert grid.bend(waves) == pytest.approx((waves * lengths((7, 9), 0.25) ** 2).sum() * 0.25**2 / 8)


def test_lengths_that_grids_share_cannot_be_written_into() -> None:
    with pytest.raises(ValueError, match="read-only"):
        lengths((7, 9), 0.25)[0] = 1.0
