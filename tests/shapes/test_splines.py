"""Splines as machine code are scipy's, at borders, beyond them and on grids that are hardly larger than a spline."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from geopriv.shapes.splines import read_plane, spread_plane

STEP, ORIGIN = 0.25, np.array([3.0, -7.0])


def places(shape: tuple[int, int]) -> np.ndarray:
    """In steps of the grid: inside, on its points, at its ends, between ends and beyond."""
    rng = np.random.default_rng(1)
    last = np.array(shape) - 1.0
    inside = rng.uniform(0, last, (500, 2))
    ends = np.array([[u, v] for u in (0, 1e-12, 0.5, last[0] - 1e-12, last[0]) for v in (0, 0.5, last[1])])
    return np.concatenate([inside, np.floor(inside), ends, rng.uniform(-5, last + 5, (500, 2)), [[-1e300, 1e300]]])


@pytest.mark.parametrize("shape", [(2, 2), (2, 9), (3, 4), (5, 6), (6, 5), (7, 40), (60, 50)])
def test_a_spline_is_read_as_scipy_reads_it(shape: tuple[int, int]) -> None:
    coefficients = np.random.default_rng(0).normal(size=shape)
    at = places(shape)
    values = np.empty(len(at))
    read_plane(coefficients, ORIGIN + STEP * at, ORIGIN, STEP, values)
    held = np.clip(at, 0, np.array(shape) - 1.0).T
    expected = ndimage.map_coordinates(coefficients, held, order=5, prefilter=False, mode="mirror")
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-11)


def test_a_spline_at_no_number_is_none() -> None:
    values = np.zeros(3)
    read_plane(np.ones((6, 6)), np.array([[np.nan, 1.0], [1.0, np.nan], [1.0, 1.0]]), np.zeros(2), 1.0, values)
    assert np.isnan(values).tolist() == [True, True, False]


def test_what_is_spread_keeps_its_mass_and_its_middle() -> None:
    at, times = np.array([[4.3, 5.9], [6.0, 4.0], [1.9, 5.0], [9.0, 5.0]]), np.array([3.0, 1.0, 1.0, 1.0])
    mass = np.zeros((12, 11))
    spread_plane(ORIGIN + STEP * at, times, ORIGIN, STEP, mass)
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(11.0), indexing="ij"), axis=-1)
    assert mass.sum() == pytest.approx(4)  # the last two are too near to the border
    np.testing.assert_allclose((mass[..., None] * grid).sum(axis=(0, 1)), (times[:2, None] * at[:2]).sum(axis=0))
    alone = np.zeros((12, 11))
    spread_plane(ORIGIN + STEP * at[:1], times[:1], ORIGIN, STEP, alone)
    np.testing.assert_allclose(alone.sum(axis=1)[3:7] / 3, [0.7**3 / 6, *weights(0.3), 0.3**3 / 6])


def weights(t: float) -> list[float]:
    """The cubic B-spline at distances t and 1 − t."""
    return [(4 - 6 * u**2 + 3 * u**3) / 6 for u in (t, 1 - t)]
