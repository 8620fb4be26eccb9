"""How far out the largest error of a map is: the formula against fields that are drawn, and against known ones.

Fields are drawn as what they are, each report's centred contribution times a standard normal number, at every point of
a fine map. 4,000 draws have a standard error of 0.0034 at 0.95.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import geopriv as gp
from geopriv.answers.bands import band_reach
from geopriv.answers.intervals import sidak_reach
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.input.map_sums import MapSums
from geopriv.mechanisms.lattice.sums import map_sums
from geopriv.mechanisms.roughness import Roughness
from geopriv.spaces.checks import FloatArray

DRAWS = 4_000
PLANE = gp.Plane()
MAP = gp.DensityMap("map", 1.5, (-9.0, -6.0), (9.0, 6.0), PLANE, columns=61, rows=41)


@cache
def surveyed(noise: str) -> tuple[Roughness, FloatArray]:
    """The roughness of a map, and the largest errors over standard errors of draws; a third of the map is empty."""
    rng = np.random.default_rng(4)
    lattice = gp.Lattice.on_grid(PLANE, 2.0, 0.2, noise=noise)  # type: ignore[arg-type] # one of two words
    people = np.concatenate([rng.normal(size=(900, 2)) * [3.0, 1.0], rng.uniform(-9, 3, (300, 2))])
    rows, times = np.unique(lattice.simulate(people, rng).values, axis=0, return_counts=True)
    sums = map_sums(lattice, Counts(rows.astype(np.int64), times), MAP.product)
    each = np.array([lattice.at_cells(rows, query) for query in MAP.queries]).T
    n = times.sum()
    centred = (each - times @ each / n) * np.sqrt(times / n)[:, None]
    fields = rng.standard_normal((DRAWS, len(rows)), dtype=np.float32) @ centred.astype(np.float32)
    assert isinstance(sums.covariance, Roughness)
    return sums.covariance, np.abs(fields / np.sqrt((centred**2).sum(axis=0))).max(axis=1)


@pytest.mark.parametrize("noise", ["round", "product"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_largest_error_of_a_map_is_as_rarely_beyond_the_reach_as_it_says(noise: str, confidence: float) -> None:
    roughness, largest = surveyed(noise)
    reach = band_reach([roughness], len(MAP.queries), confidence)
    assert reach < sidak_reach(confidence, len(MAP.queries)) - 0.02
    limit = 3 * np.sqrt(confidence * (1 - confidence) / DRAWS)
    assert (largest <= reach).mean() > confidence - limit
    assert (largest <= reach).mean() < confidence + 0.3 * (1 - confidence)  # nor much too long
    assert (largest <= 0.8 * reach).mean() < confidence - 10 * limit  # 20 % too short is caught
    assert (largest <= 0.95 * reach).mean() < confidence - limit  # and 5 %


@pytest.mark.parametrize("noise", ["round", "product"])
def test_a_smoother_field_would_be_told(noise: str) -> None:
    """Slopes that are 30 % too small, as from a grid that is too coarse, make a band that holds too rarely."""
    roughness, largest = surveyed(noise)
    spoilt = roughness.moments.copy()
    spoilt[1:3] *= 0.5
    spoilt[3:] *= 0.25
    reach = band_reach([Roughness(roughness.steps, spoilt)], len(MAP.queries), 0.8)
    assert (largest <= reach).mean() < 0.8 - 3 * np.sqrt(0.16 / DRAWS)


def test_curvatures_of_people_everywhere_are_those_of_the_kernel() -> None:
    """Errors of even reports have the covariance exp(−d²/4h²), so Λ is 1/(2h²) along both axes."""
    axis = np.arange(-16.0, 16.0, 0.1)
    points = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    axes = np.linspace(-6.0, 6.0, 9), np.linspace(-3.0, 3.0, 5)

    def bell(offset: FloatArray) -> FloatArray:
        """Of bandwidth 1, less its mean: what reports have in common is no error."""
        return np.asarray(np.exp(-(offset**2).sum(axis=-1) / 2))

    sums = MapSums(axes, points, np.ones(len(points)), bell, 1.0, 8.0)
    found = sums.roughness()
    parts, along, area = Roughness(found.steps, found.moments + _means(found, sums)).curvatures
    assert parts == 1
    assert area == pytest.approx(12 * 6 / 2, rel=0.02)
    assert along == pytest.approx((12 + 6) / np.sqrt(2), rel=0.03)


def _means(found: Roughness, sums: MapSums) -> FloatArray:
    """What centring takes away: the square of the mean kernel, whose slopes are 0."""
    moments = np.zeros_like(found.moments)
    moments[0] = float(sums.mean(sums.heights).mean()) ** 2
    return moments


def test_independent_groups_add_up_with_their_weights() -> None:
    roughness, _ = surveyed("round")
    twice = roughness.added(0.25, roughness.added(0.75))
    np.testing.assert_allclose(twice.moments, roughness.moments)
    assert twice.curvatures == pytest.approx(roughness.curvatures)
    both = band_reach([roughness, roughness], 2 * len(MAP.queries), 0.95)
    assert band_reach([roughness], len(MAP.queries), 0.95) < both


def test_a_map_without_errors_has_a_normal_reach() -> None:
    nothing = Roughness((1.0, 1.0), np.zeros((6, 4, 4)))
    assert nothing.curvatures == (0.0, 0.0, 0.0)
    assert band_reach([nothing], 16, 0.95) == pytest.approx(1.96, abs=0.001)


def test_a_coarse_map_has_sidaks_band_and_a_mixture_too() -> None:
    roughness, _ = surveyed("round")
    assert band_reach([roughness], 4, 0.95) == sidak_reach(0.95, 4)
    assert band_reach([roughness, np.eye(3)], 4_000, 0.95) == sidak_reach(0.95, 4_000)
