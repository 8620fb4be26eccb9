"""What queries say of themselves: words, edges, regions, and how they move."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.shapes.coordinates import Coordinate, Linear
from geopriv.shapes.profiles import Profile

CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
PLANE, ROOM, USD = gp.Plane("m"), gp.Euclidean(3, "m"), gp.Line("USD")
BOX = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]}
SQUARE = {"type": "Polygon", "coordinates": [[[-74, 40.7], [-73.9, 40.7], [-73.9, 40.8], [-74, 40.8], [-74, 40.7]]]}
RING = gp.shapes.PiecewiseLinear((1.0, 2.0, 3.0, 4.0), (0.0, 1.0, 1.0, 0.0))

SAID: list[tuple[gp.queries.Query, str]] = [
    (gp.Threshold(1e5, 16e3, USD), "are at or above 100,000 USD"),
    (gp.Threshold(1e5, 1.0, gp.LogLine(unit="USD")), "are at or above 100,000 USD"),
    (gp.Range(10, 20, 2, space=USD), "are between 10 and 20 USD"),
    (gp.Orthant((1.0, 2.0), 1.0, PLANE), "are at or above 1 m and 2 m, on every axis at once"),
    (gp.Orthant((40.7, -74.0), 100.0, CITY), "count towards “it”"),
    (gp.Score((1.0, 2.0), 3.0, 1.0, PLANE), "count towards “it”"),
    (gp.Ball((40.7, -74.0), 1500.0, 100.0, CITY), "are within 1.5 km of 40.700° N, 74.000° W"),
    (gp.Ball((40.7, -74.0), 1500.0, 100.0, gp.Earth()), "are within 1.5 km of 40.700° N, 74.000° W"),
    (gp.Ball((1.0, 2.0, 3.0), 5.0, 1.0, ROOM), "are within 5 m of 1 m, 2 m, 3 m"),
    (gp.Ball((1.0, 2.0), 5.0, 1.0, gp.Euclidean(2)), "are within 5 units of 1, 2"),
    (gp.Ball(3.0, 2.0, 1.0, USD), "are within 2 USD of 3 USD"),
    (gp.Geofence(BOX, 1.0), "are inside “it”"),
    (gp.Blurred(gp.Threshold(5.0, 1.0, USD), 2.0), "are at or above 5 USD"),
    (gp.LinearQuery((1.0, 2.0), gp.shapes.Ramp(1.0)), "count towards “it”"),
    (gp.LipschitzQuery(np.sin, 1.0), "count towards “it”"),
]


@pytest.mark.parametrize(("query", "words"), SAID, ids=[f"{type(q).__name__} {q.space}" for q, _ in SAID])
def test_a_query_says_whom_it_counts(query: gp.queries.Query, words: str) -> None:
    assert query.words("it").replace("\u202f", " ").replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("query", "within"),
    [
        (gp.Threshold(1e5, 16e3, USD), "within 8,000 USD of the line"),
        (gp.Range(10, 20, 2, space=USD), "within 1 USD of either end"),
        (gp.Ball((0.0, 0.0), 5.0, 1.0, PLANE), "within 0.5 m of the border"),
        (gp.Score((1.0, 2.0), 3.0, 1.0, PLANE), "within 0.5 m of the line"),
        (gp.Blurred(gp.Ball((0.0, 0.0), 5.0, 1.0, PLANE), 2.0), "within about 4.5 m of the border"),
        (
            gp.Blurred(gp.LinearQuery((1.0, 2.0), gp.shapes.Ramp(1.0), space=PLANE), 2.0),
            "within about 4 m of the line",
        ),
    ],
)
def test_a_query_says_who_counts_in_part(query: gp.queries.Query, within: str) -> None:
    assert within in query.in_part.replace("\u202f", " ")


def test_nothing_is_said_of_an_edge_that_is_not_known() -> None:
    assert gp.LipschitzQuery(np.sin, 1.0).in_part == ""
    assert gp.GaussianKernel((0.0, 0.0), 1.0, PLANE).in_part == ""


def test_balls_and_geofences_of_the_plane_are_regions_and_nothing_else_is() -> None:
    ball, fence = gp.Ball((1.0, 2.0), 5.0, 1.0, PLANE), gp.Geofence(BOX, 1.0)
    for query in (ball, gp.Blurred(ball, 1.0)):
        assert query.region is not None
        assert query.region.area == pytest.approx(np.pi * 25, rel=2e-3)
        assert shapely.get_coordinates(query.region.centroid)[0] == pytest.approx([1.0, 2.0])
    assert fence.region == fence.polygon
    on_map = gp.Geofence(SQUARE, 100.0, CITY).region
    assert on_map is not None
    assert on_map.area == pytest.approx(8.43e3 * 11.1e3, rel=0.01)
    for none in (
        gp.Geofence(SQUARE, 100.0, gp.Earth()),
        gp.Ball((40.7, -74.0), 1500.0, 100.0, gp.Earth()),
        gp.Ball((1.0, 2.0, 3.0), 5.0, 1.0, ROOM),
        gp.Orthant((1.0, 2.0), 1.0, PLANE),
        gp.RadialQuery((1.0, 2.0), RING, PLANE),
    ):
        assert none.region is None


MOVED: list[gp.queries.Query] = [
    *(gp.Orthant(at, 900.0, CITY) for at in ((40.7, -74.0), (40.8, -73.9))),
    *(gp.Ball(at, 900.0, 500.0, CITY) for at in ((40.7, -74.0), (40.8, -73.9))),
    *(gp.Blurred(gp.Ball(at, 900.0, 500.0, CITY), 400.0) for at in ((40.7, -74.0), (40.8, -73.9))),
    *(gp.Blurred(gp.Orthant(at, 900.0, CITY), 400.0) for at in ((40.7, -74.0), (40.8, -73.9))),
    *(gp.RadialQuery(at, RING.stretched(0.01), CITY) for at in ((40.7, -74.0), (40.8, -73.9))),
    *(gp.GaussianKernel(at, 800.0, CITY) for at in ((40.7, -74.0), (40.8, -73.9))),
    *(gp.Score((3.0, 4.0), at, 900.0, CITY) for at in (0.0, 9e3)),
    gp.Score((4.0, 3.0), 0.0, 900.0, CITY),
    gp.Ball((40.7, -74.0), 800.0, 500.0, CITY),
    gp.Geofence(SQUARE, 500.0, CITY),
    gp.Geofence(SQUARE, 500.0, CITY),
    gp.LipschitzQuery(lambda x: np.sin(x[..., 0]), 1.0, CITY),
    gp.LipschitzQuery(lambda x: np.cos(x[..., 0]), 1.0, CITY),
]


def test_queries_of_one_moved_are_one_function_of_where_they_are_from_their_place() -> None:
    around = np.random.default_rng(1).uniform(-3e3, 3e3, (300, 2))
    pairs = [(a, b) for a, b in product(MOVED, MOVED) if a != b and a.moved == b.moved]
    assert len(pairs) == 2 * 7  # the seven pairs above that differ by where they are
    for a, b in pairs:
        there = around + a.place, around + b.place
        np.testing.assert_allclose(a.answer(there[0]), b.answer(there[1]), atol=1e-6)
        assert np.ptp(a.answer(there[0])) > 0.1


@dataclass(frozen=True)
class _Elsewhere(Coordinate):
    """A coordinate that says nothing of how it moves."""

    shift: float
    space: gp.spaces.Space = PLANE

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return np.abs(points[..., 0] - self.shift)

    @property
    def anchor(self) -> np.ndarray:
        return np.zeros(2)

    def reachable(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return s, s


@dataclass(frozen=True)
class _Stranger(gp.queries.Query):
    shift: float
    space: gp.spaces.Space = PLANE

    @property
    def geometry(self) -> Coordinate:
        return _Elsewhere(self.shift)

    @property
    def profile(self) -> Profile:
        return gp.shapes.Ramp(2.0)


def test_a_query_that_does_not_know_how_it_moves_is_like_no_other() -> None:
    first, second = _Stranger(1.0), _Stranger(2.0)
    assert first.moved != second.moved
    assert first.geometry.alike != second.geometry.alike
    assert Linear(gp.Plane(), (1.0, 0.0), 1.0).moved == Linear(gp.Plane(), (1.0, 0.0), 2.0).moved
    assert first.words("x") == "count towards “x”"
    assert first.region is None


def test_places_of_the_globe_are_not_moved_by_adding_degrees() -> None:
    here, there = (gp.Ball(at, 900.0, 500.0, gp.Earth()) for at in ((40.7, -74.0), (60.0, -74.0)))
    assert here.moved != there.moved
