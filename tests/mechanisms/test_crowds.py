"""Means over a crowd of what its reports add, against means of what each point's add."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms.lattice.moments import interpolant, mean_square

PLANE, LINE = gp.Plane(), gp.Line()
DISC = gp.Ball((0.3, -0.2), 5.0, 0.1, PLANE)
CORNER = gp.Orthant((0.3, -0.5), 0.1, PLANE)
STEP = gp.Threshold(0.4, 0.1, LINE)


@pytest.mark.parametrize("query", [DISC, CORNER], ids=["disc", "corner"])
def test_round_noise_moves_the_crowd_as_it_would_what_is_asked(query: gp.queries.Query) -> None:
    """Some people are far beyond the grid on which the question is computed."""
    lattice = gp.Lattice.on_grid(PLANE, 1.0, 0.1, noise="round")
    points = np.concatenate([np.random.default_rng(1).normal(0, 3, (200, 2)), [[60.0, 50.0], [-90.0, 0.1]]])
    weights = np.linspace(1, 2, len(points)) / np.linspace(1, 2, len(points)).sum()
    found = lattice.bracket(query, 4.0)
    assert found is not None
    crowd = lattice.undoing.crowd(points, weights)
    for part in (found.inner, found.outer):
        rough, made = part.rough(), crowd.moments(part)
        inverse = lattice.undoing.inverse(rough)  # type: ignore[attr-defined] # round noise has one
        np.testing.assert_allclose(made.means, weights @ rough.answer(points), atol=1e-5)
        np.testing.assert_allclose(made.squares, weights @ inverse.second_moment(points), rtol=1e-6)
        np.testing.assert_allclose(made.cubes, weights @ inverse.third_moment(points), rtol=1e-6)
        assert made.spread == pytest.approx(float(np.subtract(*inverse.bounds[::-1])), rel=2e-3)


@pytest.mark.parametrize("query", [DISC, CORNER, STEP], ids=["disc", "corner", "step"])
@pytest.mark.parametrize("most", [1 << 23, 1], ids=["all of the crowd", "around the box"])
def test_noise_on_each_axis_moves_the_crowd_as_it_would_what_is_asked(
    query: gp.queries.Query, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geopriv.mechanisms.lattice.crowds._MOST", most)
    space, d = query.space, query.space.dimension
    lattice = gp.Lattice.on_grid(space, 1.0, 0.25, noise="product")
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(0, 3, (50, d)), np.full((1, d), 40.0), np.full((1, d), -60.3)])
    weights = np.linspace(1, 2, len(points)) / np.linspace(1, 2, len(points)).sum()
    found = lattice.bracket(query, 2.0)
    assert found is not None
    crowd = lattice.undoing.crowd(points.reshape(-1, *space.point_shape), weights)
    for part in (found.inner, found.outer):
        made, (lower, share) = crowd.moments(part), lattice.place(points)
        on_cells = lattice.undoing.grid.on_cells(part)  # type: ignore[attr-defined] # as the stencil has
        each = mean_square(on_cells, lower, share, lattice.ratio, lattice.curvature)
        np.testing.assert_allclose(made.squares, weights @ each, rtol=1e-5)
        assert made.means[0] == pytest.approx(weights @ interpolant(on_cells, lower, share), abs=1e-9)
