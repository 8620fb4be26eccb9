"""Brackets: whoever the people are, a plain share lies between the means of two functions on a grid (theory T14)."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.queries.brackets import HAIR, OnCells, bracket, rise
from geopriv.spaces.checks import FloatArray

LINE, LOG, PLANE, SPACE = gp.Line("USD"), gp.LogLine(floor=0.5), gp.Plane("m"), gp.Euclidean(3)
CITY = gp.LocalPlane(40.5, -74.3, 40.95, -73.65)
SHORE = shapely.Polygon([(0, 0), (5, 1), (4, 6), (2.2, 2), (1, 3)])
ISLE = shapely.MultiPolygon([shapely.box(-3, -3, -1, -1).difference(shapely.box(-2.4, -2.4, -1.6, -1.6)), SHORE])
TOWN = shapely.Polygon([(-73.99, 40.68), (-73.92, 40.67), (-73.90, 40.72), (-73.95, 40.74)])
QUERIES = {
    "threshold": gp.Threshold(1.0, 2.0, LINE),
    "threshold between cells": gp.Threshold(1.0371, 2.0, LINE, "smooth"),
    "range": gp.Range(-1.0, 2.5, 1.0, space=LINE),
    "narrow range": gp.Range(0.1, 0.2, 0.05, space=LINE),
    "ratio": gp.Threshold(3.0, 1.0, LOG),
    "ball on a line": gp.Ball(0.3, 1.0, 0.5, LINE),
    "orthant": gp.Orthant((0.2, -0.7), 1.0, PLANE),
    "score": gp.Score((-2.0, 1.0), 0.3, 1.0, PLANE),
    "score in space": gp.Score((1.0, 1.0, -0.5), 0.3, 1.0, SPACE),
    "ball": gp.Ball((0.1, 0.2), 2.0, 1.0, PLANE),
    "polygons": gp.Geofence(ISLE, 0.5, PLANE),
    "blurred": gp.Blurred(gp.Geofence(SHORE, 0.5, PLANE), 0.7),
    "town": gp.Geofence(TOWN, 100.0, CITY),
}
STEP = {"town": 150.0}


def people_around(query: gp.queries.Query, step: float) -> FloatArray:
    """Points at random, and points that are on corners and borders of cells and on the border of the set."""
    rng, d = np.random.default_rng(0), query.space.dimension
    low, high = query.box(6 * step)
    free = rng.uniform(low, high, (4_000, d))
    cells = np.rint(free / step) * step
    mixed = np.where(rng.random(free.shape) < 0.5, free, cells)
    points = np.concatenate([free, cells, mixed])
    return points if query.space.point_shape else points[:, 0]


@pytest.mark.parametrize("cells", [1, 2, 3, 8])
@pytest.mark.parametrize("name", QUERIES)
def test_what_a_grid_estimates_lies_on_both_sides_of_the_plain_question(name: str, cells: int) -> None:
    query, step = QUERIES[name], STEP.get(name, 0.25)
    lattice = gp.Lattice.on_grid(query.space, 0.4 / step, step)
    points = people_around(query, step)
    found = bracket(query, lattice.origin, step, cells)
    assert found is not None
    assert query.plain_set is not None
    inside = query.plain_set(points) <= 0
    assert inside.any()
    assert not inside.all()
    targets = [query_at(lattice, part, points) for part in (found.inner, found.outer)]
    assert (targets[0] <= inside + HAIR).all()
    assert (targets[1] >= inside - HAIR).all()
    assert min(target.min() for target in targets) >= -1e-12
    assert max(target.max() for target in targets) <= 1 + 1e-12


def query_at(lattice: gp.Lattice, part: gp.queries.Query, points: FloatArray) -> FloatArray:
    """What a report estimates, at points."""
    return lattice.bias_at(points, part) + part.answer(points)


def test_functions_that_are_not_moved_to_cells_are_caught() -> None:
    """A planted fault: a smooth step up to the threshold itself, which lies between cells, is below 1 at some of A."""
    query = QUERIES["threshold between cells"]
    lattice = gp.Lattice.on_grid(LINE, 1.6, 0.25)
    points = np.linspace(1.0372, 1.2, 500)
    step = gp.Threshold(1.0371 - 0.25, 0.5, LINE, "smooth")
    assert query.plain_set is not None
    assert (query.plain_set(points) <= 0).all()
    assert (query_at(lattice, step, points) < 1 - 1e-3).any()


def test_a_border_on_a_cell_wastes_no_cell() -> None:
    found = bracket(QUERIES["threshold"], (0.0,), 0.25, 4)
    assert found is not None
    at = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0])
    assert found.outer.answer(at).tolist() == [0.0, 0.125, 0.5, 0.875, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert found.inner.answer(at).tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 0.125, 0.5, 0.875, 1.0]


def test_an_area_that_the_edge_swallows_has_nobody_surely_inside() -> None:
    found = bracket(gp.Ball((0.0, 0.0), 0.5, 0.5, PLANE), (0.0, 0.0), 0.1, 20)
    assert found is not None
    assert found.inner.bounds == (0.0, 0.0)
    assert found.outer.bounds == (0.0, 1.0)


@pytest.mark.parametrize("query", [gp.GaussianKernel((0.0, 0.0), 1.0, PLANE), gp.LipschitzQuery(np.sin, 1.0)], ids=repr)
def test_what_has_no_plain_question_has_no_bracket(query: gp.queries.Query) -> None:
    assert bracket(query, (0.0, 0.0), 0.1, 3) is None


def test_a_region_of_too_many_cells_has_no_bracket() -> None:
    assert bracket(gp.Ball((0.0, 0.0), 1e6, 1.0, PLANE), (0.0, 0.0), 0.1, 3) is None


@pytest.mark.parametrize("cells", [1, 2, 3, 10, 41])
def test_rises_add_up_to_one_and_bend_least(cells: int) -> None:
    steps = rise(cells)
    assert steps.sum() == pytest.approx(1.0, abs=1e-14)
    assert (steps >= 0).all()
    assert np.abs(np.diff(steps, prepend=0.0, append=0.0)).max() <= 4 / cells**2 + 1e-12


def test_a_function_of_cells_is_straight_between_them_and_level_beyond() -> None:
    query = OnCells(LINE, (10.0,), 2.0, (-1,), np.array([0.0, 1.0, 0.5]))
    assert query.answer(np.array([-50.0, 8.0, 9.0, 10.0, 11.0, 12.0, 99.0])).tolist() == [
        0,
        0,
        0.5,
        1.0,
        0.75,
        0.5,
        0.5,
    ]
    with pytest.raises(gp.InvalidParameter, match="own grid"):
        _ = query.profile


@pytest.mark.parametrize("reach", [8e8, 1e22, np.inf])
def test_an_edge_of_a_million_cells_is_not_tried(reach: float) -> None:
    lattice = gp.Lattice.on_grid(LINE, 1 / 8000, 800.0)
    assert lattice.bracket(gp.Threshold(1e5, 3e4, LINE), reach) is None
