"""Bounds on contributions: no report lies beyond them, and they are not much wider than they must be."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms.lattice import bounds as lattice_bounds
from tests.rows import (
    CITY,
    DISTRICT,
    PARK,
    PLANE,
)

# query, ε, and how much wider than what is found the bounds may be
ROWS: list[tuple[gp.queries.Query, float, float]] = [
    (gp.Threshold(0.0, 4.0), 1.0, 1.01),
    (gp.Threshold(0.3, 4.0, edge="smooth"), 1.0, 1.05),
    (gp.Threshold(1000.0, 2.0, gp.LogLine(2.0), "smooth"), 1.0, 1.05),
    (gp.Range(-3.0, 4.0, 1.0), 1.0, 1.01),
    (gp.GaussianKernel(0.3, 2.0), 1.0, 1.05),
    (gp.Ball(0.0, 2.0, 1.0, gp.Line()), 1.0, 1.01),
    (gp.Blurred(gp.Threshold(0.0, 1.0), 1.0), 1.0, 1.05),
    (gp.GaussianKernel((0.0, 0.1), 2.0), 1.0, 1.05),
    (gp.GaussianKernel((0.0, 0.1, 0.2), 2.0), 1.0, 1.2),
    (gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), 1.0, 1.01),
    (gp.Score((1.0, -2.0), 0.3, 1.0), 1.0, 3.0),
    (gp.Blurred(gp.Score((1.0, -2.0), 0.3, 1.0), 1.5), 1.0, 1.05),
    (gp.LinearQuery((3.0, 4.0), gp.shapes.Gaussian(2.0), 0.7), 1.0, 1.2),
    (gp.Orthant((0.0, 0.0), 1.0, PLANE), 1.0, 1.01),
    (gp.Geofence(PARK, 0.4, PLANE), 1.0, 1.01),
    (gp.Blurred(gp.Geofence(PARK, 0.4, PLANE), 1.0), 1.0, 1.01),
    (gp.Blurred(gp.Orthant((0.0, 0.0), 1.0, PLANE), 1.5), 1.0, 1.01),
    (gp.Blurred(gp.Geofence(DISTRICT, 500.0, CITY), 1000.0), 1e-3, 1.01),
    (gp.RadialQuery((0.0, 0.0), gp.shapes.Triangle(1.0, center=3.0), PLANE), 1.0, 1.01),
    (gp.RadialQuery((0.0, 0.0), gp.shapes.Gaussian(1.0, 3.0), PLANE), 1.0, np.inf),
]


@pytest.mark.parametrize(("query", "epsilon", "wider"), ROWS, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("relative", [0.2, 0.5])
def test_no_contribution_is_beyond_its_bounds(
    query: gp.queries.Query, epsilon: float, wider: float, relative: float
) -> None:
    mechanism = gp.Lattice.calibrate(query.space, epsilon, step=relative / epsilon, noise="product")
    bounds = mechanism.undoing.bounds(query)
    assert bounds is not None
    rng, d = np.random.default_rng(0), query.space.dimension
    around = np.zeros(1)
    if isinstance(query.space, gp.LogLine):
        around = np.atleast_1d(query.space.public_point("test", "at", 1000.0)) / mechanism.step
    near = rng.normal(around, (8 if d < 3 else 3) / relative, (60_000, d))
    cells = np.round(np.concatenate([near, rng.normal(around, 300, (5000, d))]))
    found = mechanism.at_cells(cells, query)
    assert bounds[0] <= found.min()
    assert found.max() <= bounds[1]
    assert bounds[1] - bounds[0] <= wider * np.ptp(found)


def test_a_box_that_is_too_large_is_bounded_by_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    query = gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE)
    mechanism = gp.Lattice.calibrate(PLANE, 1.0, step=0.4, noise="product")
    exact = mechanism.undoing.bounds(query)
    monkeypatch.setattr(lattice_bounds, "_MOST", 100)
    crude = mechanism.undoing.bounds(query)
    assert exact is not None
    assert crude is not None
    assert crude[0] < exact[0] < exact[1] < crude[1]


def test_a_score_without_bounds_has_none() -> None:
    query = gp.LinearQuery((1.0, 1.0), gp.shapes.Identity())
    assert gp.Lattice.calibrate(query.space, 1.0, noise="product").undoing.bounds(query) is None


@pytest.mark.parametrize("edge", ["smooth", "linear"])
def test_the_bias_of_a_step_is_bounded_by_its_bend_and_nearly_reached(edge: str) -> None:
    step = gp.Threshold(0.0, 4.0, edge=edge)  # type: ignore[arg-type]
    query = step if edge == "smooth" else gp.Blurred(step, 1.0)
    mechanism = gp.Lattice.calibrate(gp.Line(), 1.0, step=0.3, noise="product")
    found = np.abs(mechanism.bias(np.linspace(-4, 4, 20_001), query)).max()
    assert found * (1 - 1e-9) <= mechanism.largest_bias(query) <= 1.4 * found
