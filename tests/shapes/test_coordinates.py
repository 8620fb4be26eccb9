"""Coordinates never stretch a distance: |s(x) − s(x')| ≤ dist(x, x'), everywhere, far and near."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import geopriv as gp
from geopriv.shapes.coordinates import Coordinate
from geopriv.spaces.checks import FloatArray

PROPERTY = settings(deadline=None, derandomize=True, max_examples=60)
EARTH = gp.Earth()
HALF_TURN = math.pi * EARTH.radius
METRES_OF_SLACK = 1e-6


@dataclass(frozen=True)
class Fence:
    """A polygon on Earth in (longitude, latitude), with places (latitude, longitude) known to lie in and out of it."""

    polygon: shapely.Geometry
    inside: tuple[tuple[float, float], ...]
    outside: tuple[tuple[float, float], ...]


FENCES = {
    "a box": Fence(
        shapely.box(2.0, 48.0, 3.0, 49.0),
        inside=((48.5, 2.5), (48.01, 2.99)),
        outside=((48.5, 3.5), (47.9, 2.5), (-48.5, -177.5), (0.0, 0.0), (90.0, 0.0)),
    ),
    "a box with a hole": Fence(
        shapely.Polygon(
            [(10, 50), (12, 50), (12, 52), (10, 52)], [[(10.5, 50.5), (11.5, 50.5), (11.5, 51.5), (10.5, 51.5)]]
        ),
        inside=((50.2, 10.2), (51.0, 10.25), (51.8, 11.0)),
        outside=((51.0, 11.0), (50.6, 10.6), (53.0, 11.0), (51.0, 12.1)),
    ),
    "a U": Fence(
        shapely.Polygon([(-75, 40), (-72, 40), (-72, 43), (-73, 43), (-73, 41), (-74, 41), (-74, 43), (-75, 43)]),
        inside=((40.5, -73.5), (42.5, -74.5), (42.5, -72.5)),
        outside=((42.0, -73.5), (42.9, -73.5), (43.5, -74.5), (39.5, -73.5)),
    ),
    "across the antimeridian": Fence(
        shapely.Polygon([(179.0, -17.0), (181.5, -17.5), (181.0, -16.0), (179.5, -15.5)]),
        inside=((-16.5, 180.0), (-16.5, -180.0), (-16.5, 179.5), (-16.5, -179.5), (-16.5, 180.5)),
        outside=((-16.5, 178.0), (-16.5, -178.0), (-16.5, 0.0), (-14.0, 180.0)),
    ),
    "across the antimeridian from the east": Fence(
        shapely.Polygon([(-181.0, 64.0), (-170.0, 64.0), (-170.0, 70.0), (-181.0, 70.0)]),
        inside=((67.0, 180.0), (67.0, 179.5), (67.0, -175.0)),
        outside=((67.0, 178.0), (67.0, -169.0), (67.0, 10.0)),
    ),
    "near the pole": Fence(
        shapely.Polygon([(10, 86), (60, 85), (120, 88), (100, 89.9), (40, 89.5)]),
        inside=((87.5, 60.0), (89.0, 90.0)),
        outside=((90.0, 0.0), (84.0, 60.0), (87.5, -60.0), (-87.5, -120.0)),
    ),
    "around the pole": Fence(
        shapely.Polygon([(0, -80), (90, -78), (180, -81), (270, -79), (359, -82)]),
        inside=((-90.0, 0.0), (-85.0, 45.0), (-85.0, -45.0), (-85.0, 225.0)),
        outside=((-75.0, 0.0), (-60.0, 200.0), (90.0, 0.0)),
    ),
    "with edges of thousands of kilometres": Fence(
        shapely.Polygon([(-60, 5), (0, -30), (55, 10), (40, 60), (-40, 50)]),
        inside=((20.0, 0.0), (59.0, 35.0)),
        outside=((-40.0, 0.0), (75.0, 0.0), (20.0, -90.0), (0.0, 180.0)),
    ),
    "two islands": Fence(
        shapely.MultiPolygon([shapely.box(5, 5, 6, 6), shapely.box(7, 5, 8, 7)]),
        inside=((5.5, 5.5), (6.5, 7.5)),
        outside=((5.5, 6.5), (8.0, 7.5), (4.0, 5.5)),
    ),
}

LINE, LOG, PLANE, ROOM = gp.Line(), gp.LogLine(base=2), gp.Plane(), gp.Euclidean(3)
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
DISTRICT = shapely.Polygon([(-74.02, 40.70), (-73.97, 40.70), (-73.97, 40.75), (-74.0, 40.73), (-74.02, 40.76)])
HOLED = shapely.Polygon([(-8, -8), (8, -8), (9, 7), (0, 2), (-8, 8)], [[(-4, -5), (4, -5), (3, 0)]])
QUERIES: dict[str, gp.queries.Query] = {
    "Threshold on Line": gp.Threshold(at=3.0, width=2.0),
    "Range on Line": gp.Range(low=-2.0, high=5.0, width=1.0),
    "triangle Range on Line": gp.Range(low=-2.0, high=5.0, width=1.0, shape="triangle"),
    "Ball on Line": gp.Ball(center=(1.0,), radius=3.0, width=1.0, space=LINE),
    "GaussianKernel on Line": gp.GaussianKernel(center=(1.0,), bandwidth=3.0, space=LINE),
    "RadialQuery on Line": gp.RadialQuery(-1.0, gp.shapes.Gaussian(2.0)),
    "LipschitzQuery on Line": gp.LipschitzQuery(np.sin, constant=1.0),
    "Threshold on LogLine": gp.Threshold(at=9.0, width=2.0, space=LOG),
    "Range on LogLine": gp.Range(low=2.0, high=50.0, width=1.0, space=LOG),
    "Ball on LogLine": gp.Ball(center=(9.0,), radius=3.0, width=1.0, space=LOG),
    "GaussianKernel on LogLine": gp.GaussianKernel(center=(9.0,), bandwidth=3.0, space=LOG),
    "LipschitzQuery on LogLine": gp.LipschitzQuery(lambda x: np.log2(x) / 3, constant=1 / 3, space=LOG),
    "Orthant on Plane": gp.Orthant(at=(1.0, -2.0), width=3.0, space=PLANE),
    "Score on Plane": gp.Score(weights=(3.0, -4.0), at=2.0, width=1.0, space=PLANE),
    "Ball on Plane": gp.Ball(center=(1.0, 2.0), radius=3.0, width=1.0, space=PLANE),
    "GaussianKernel on Plane": gp.GaussianKernel(center=(1.0, 2.0), bandwidth=3.0, space=PLANE),
    "LinearQuery on Plane": gp.LinearQuery((0.1, 7.0), gp.shapes.Ramp(2.0), intercept=-4.0, space=PLANE),
    "RadialQuery on Plane": gp.RadialQuery((0.0, 1.0), gp.shapes.Ramp(2.0), space=PLANE),
    "Geofence on Plane": gp.Geofence(HOLED, width=1.0),
    "islands on Plane": gp.Geofence(shapely.MultiPolygon([HOLED, shapely.box(10, 10, 12, 15)]), width=1.0),
    "LipschitzQuery on Plane": gp.LipschitzQuery(lambda x: 2 * np.abs(x).max(axis=-1), constant=2.0, space=PLANE),
    "Orthant on Euclidean": gp.Orthant(at=(1.0, -2.0, 0.5), width=3.0, space=ROOM),
    "Score on Euclidean": gp.Score(weights=(1.0, 2.0, -5.0), at=2.0, width=1.0, space=ROOM),
    "Ball on Euclidean": gp.Ball(center=(1.0, 2.0, 3.0), radius=3.0, width=1.0, space=ROOM),
    "GaussianKernel on Euclidean": gp.GaussianKernel(center=(1.0, 2.0, 3.0), bandwidth=3.0, space=ROOM),
    "LinearQuery on Euclidean": gp.LinearQuery((1.0, 1.0, 1.0), gp.shapes.Gaussian(2.0), space=ROOM),
    "Orthant on LocalPlane": gp.Orthant(at=(40.7, -74.0), width=300.0, space=CITY),
    "Score on LocalPlane": gp.Score(weights=(3.0, -4.0), at=2000.0, width=100.0, space=CITY),
    "Ball on LocalPlane": gp.Ball(center=(40.7, -74.0), radius=5e3, width=1e3, space=CITY),
    "GaussianKernel on LocalPlane": gp.GaussianKernel(center=(40.7, -74.0), bandwidth=2e3, space=CITY),
    "Geofence on LocalPlane": gp.Geofence(DISTRICT, width=1e3, space=CITY),
    "Ball on Earth": gp.Ball(center=(40.7, -74.0), radius=5e5, width=1e3, space=EARTH),
    "Ball at the pole": gp.Ball(center=(90.0, 10.0), radius=5e5, width=1e3, space=EARTH),
    "Ball at the antimeridian": gp.Ball(center=(-17.0, 180.0), radius=5e5, width=1e3, space=EARTH),
    "GaussianKernel on Earth": gp.GaussianKernel(center=(-33.9, 151.2), bandwidth=1e4, space=EARTH),
    **{f"Geofence {name}": gp.Geofence(f.polygon, width=1e3, space=EARTH) for name, f in FENCES.items()},
}


def steps_from(space: gp.spaces.Space, points: FloatArray, length: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Points at about `length` from the given ones, in random directions."""
    if isinstance(space, gp.Earth):
        return space.move(points, length, rng.uniform(0, 2 * np.pi, len(points)))
    direction = rng.normal(size=points.shape)
    if points.ndim == 1:
        return points + np.sign(direction) * length
    return np.asarray(points + direction / np.linalg.norm(direction, axis=-1, keepdims=True) * length[:, None])


def points_of(space: gp.spaces.Space, points: FloatArray) -> FloatArray:
    """Points that can be read: on a LogLine they start at its floor and end where values overflow."""
    return np.clip(points, 0.0, 1000.0) if isinstance(space, gp.LogLine) else points


def pairs(query: gp.queries.Query, rng: np.random.Generator, n: int = 3000) -> tuple[FloatArray, FloatArray]:
    """Pairs of points of four kinds: near and far from the anchor, each with close and with far partners."""
    space = query.space
    earth = isinstance(space, gp.Earth)
    small, large = (1e-3, HALF_TURN) if earth else (1e-6, 1e3)
    anchor = np.broadcast_to(query.geometry.anchor, (n, *space.point_shape))
    x = steps_from(space, anchor, np.exp(rng.uniform(np.log(small), np.log(large), n)), rng)
    y = steps_from(space, x, np.exp(rng.uniform(np.log(small), np.log(large), n)), rng)
    return points_of(space, x), points_of(space, y)


def excess(space: gp.spaces.Space, s: Callable[[FloatArray], FloatArray], x: FloatArray, y: FloatArray) -> float:
    """By how much s stretches a distance at worst, beyond what rounding explains; positive means caught."""
    if isinstance(space, gp.Earth):
        slack = METRES_OF_SLACK
    else:
        sizes = (float(np.abs(part).max(initial=0.0)) for part in (x, y, s(x)))
        slack = 1e-14 * (1 + sum(sizes))
    return float((np.abs(s(x) - s(y)) - space.between(x, y) * (1 + 1e-9) - slack).max())


@pytest.mark.parametrize("name", QUERIES)
def test_a_coordinate_never_stretches_the_distance_of_random_pairs(name: str) -> None:
    query = QUERIES[name]
    x, y = pairs(query, np.random.default_rng(21))
    assert excess(query.space, query.geometry, x, y) <= 0


@pytest.mark.parametrize("name", QUERIES)
def test_a_coordinate_that_is_one_percent_too_steep_is_caught(name: str) -> None:
    query = QUERIES[name]
    x, y = pairs(query, np.random.default_rng(21))
    assert excess(query.space, lambda points: 1.01 * query.geometry(points), x, y) > 0


@pytest.mark.parametrize("name", QUERIES)
@PROPERTY
@given(data=st.data())
def test_a_coordinate_never_stretches_the_distance_of_drawn_pairs(name: str, data: st.DataObject) -> None:
    query = QUERIES[name]
    numbers, size = st.floats(-50, 50), query.space.dimension
    near = st.one_of(st.just(0.0), st.floats(-1, 1), st.floats(-1e-6, 1e-6))
    if isinstance(query.space, gp.Earth):
        latitudes = st.one_of(st.sampled_from([-90.0, 0.0, 90.0]), st.floats(-90, 90))
        longitudes = st.one_of(st.sampled_from([-180.0, 0.0, 180.0]), st.floats(-180, 180))
        x = np.array(data.draw(st.tuples(latitudes, longitudes)))
        y = x + data.draw(st.tuples(near, near))
        y = np.array([np.clip(y[0], -90, 90), y[1]])
    else:
        x = np.reshape(data.draw(st.tuples(*[numbers] * size)), query.space.point_shape)
        y = np.reshape(x + np.reshape(data.draw(st.tuples(*[near] * size)), x.shape), x.shape)
    x, y = points_of(query.space, x), points_of(query.space, y)
    assert excess(query.space, query.geometry, x[None], y[None]) <= 0


@pytest.mark.parametrize("name", QUERIES)
def test_a_coordinate_keeps_the_shape_of_its_points(name: str) -> None:
    query = QUERIES[name]
    point = np.asarray(query.geometry.anchor, dtype=np.float64)
    for shape in [(), (0,), (3,), (2, 3)]:
        assert np.shape(query.geometry(np.broadcast_to(point, shape + point.shape))) == shape


@pytest.mark.parametrize("name", QUERIES)
def test_an_anchor_is_one_point_of_the_space(name: str) -> None:
    query = QUERIES[name]
    assert np.shape(query.geometry.anchor) == query.space.point_shape
    assert np.isfinite(query.geometry.anchor).all()


def test_the_threshold_coordinate_is_the_signed_distance_to_the_threshold() -> None:
    np.testing.assert_array_equal(gp.Threshold(at=3.0, width=2.0).coordinate([1.0, 3.0, 7.5]), [-2, 0, 4.5])


def test_the_ball_coordinate_is_the_distance_beyond_the_radius() -> None:
    ball = gp.Ball(center=(1.0, 2.0), radius=3.0, width=1.0)
    np.testing.assert_allclose(ball.coordinate([(1.0, 2.0), (4.0, 6.0), (1.0, 5.0)]), [-3, 2, 0], atol=1e-15)


def test_the_halfspace_coordinate_is_the_signed_distance_to_the_hyperplane() -> None:
    half = gp.Score(weights=(3.0, 4.0), at=5.0, width=1.0)
    np.testing.assert_allclose(half.coordinate([(0.0, 0.0), (3.0, 4.0), (-1.0, 2.0)]), [-1, 4, 0], atol=1e-15)


def test_the_orthant_coordinate_is_the_signed_distance_to_a_quadrant() -> None:
    query = gp.Orthant(at=(0.0, 0.0), width=2.0)
    corner = 1.0 + math.sqrt(2.0)
    rng = np.random.default_rng(22)
    points = rng.uniform(-8, 8, (500, 2)) + corner
    quadrant = shapely.box(corner, corner, 1e4, 1e4)
    places = shapely.points(points)
    distance = shapely.distance(quadrant.boundary, places)
    expected = np.where(shapely.contains(quadrant, places), -distance, distance)
    np.testing.assert_allclose(query.coordinate(points), expected, rtol=1e-12, atol=1e-12)


def test_the_plane_geofence_coordinate_is_negative_inside_and_positive_outside_and_in_holes() -> None:
    box = shapely.Polygon([(0, 0), (10, 0), (10, 10), (0, 10)], [[(4, 4), (6, 4), (6, 6), (4, 6)]])
    fence = gp.Geofence(box, width=0.5)
    points = [(1, 5), (5, 5), (13, 14), (10, 5), (4, 5), (3, 5), (-2, 5), (0, 0)]
    np.testing.assert_allclose(fence.coordinate(points), [-1, 1, 5, 0, 0, -1, 2, 0], atol=1e-15)


def rings(polygon: shapely.Geometry) -> list[FloatArray]:
    """Closed rings as (latitude, longitude), exteriors and holes alike."""
    parts = shapely.get_parts(polygon)
    return [shapely.get_coordinates(r)[:, ::-1] for part in parts for r in (part.exterior, *part.interiors)]


def on_arcs(ring: FloatArray, n: int) -> FloatArray:
    """Unit vectors on the great-circle arcs of a ring, n per arc: points of the chords, lifted to the sphere."""
    latitude, longitude = np.radians(ring).T
    corners = np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], 1
    )
    weight = np.linspace(0, 1, n, endpoint=False)[:, None, None]
    points = (1 - weight) * corners[:-1] + weight * corners[1:]
    points = np.moveaxis(points / np.linalg.norm(points, axis=-1, keepdims=True), 1, 0).reshape(-1, 3)
    return np.asarray(np.vstack([points, corners[:1]]))


def vectors(points: FloatArray) -> FloatArray:
    latitude, longitude = np.radians(points).T
    return np.stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], 1)


def angles(first: FloatArray, second: FloatArray) -> FloatArray:
    """Angles between unit vectors by the cross and the dot product."""
    across = np.linalg.norm(np.cross(first, second), axis=-1)
    return np.asarray(np.arctan2(across, (first * second).sum(axis=-1)))


def encloses(border: FloatArray, points: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether the closed curve winds around the points (those on the same half of the globe)."""
    middle = border.mean(axis=0) / np.linalg.norm(border.mean(axis=0))
    north = np.array([0.123, 0.456, 0.881])
    east = np.cross(north, points)
    up = np.cross(points, east)
    bearing = np.arctan2(border @ east.T, border @ up.T)  # (border, points): only differences along the border matter
    turn = np.diff(bearing, axis=0)
    winding = ((turn + np.pi) % (2 * np.pi) - np.pi).sum(axis=0) / (2 * np.pi)
    return np.asarray((np.abs(winding) > 0.5) & (points @ middle > 0))


def around(fence: Fence, rng: np.random.Generator, n: int) -> FloatArray:
    """Places near and far from a fence, a third of them anywhere on the globe."""
    corners = np.concatenate(rings(fence.polygon))
    near = EARTH.move(
        corners[rng.integers(0, len(corners), 2 * n // 3)],
        np.exp(rng.uniform(np.log(10.0), np.log(3e6), 2 * n // 3)),
        rng.uniform(0, 2 * np.pi, 2 * n // 3),
    )
    far = np.stack([np.degrees(np.arcsin(rng.uniform(-1, 1, n // 3))), rng.uniform(-180, 180, n // 3)], axis=-1)
    return np.concatenate([near, far])


@pytest.mark.parametrize("name", FENCES)
def test_the_earth_geofence_distance_is_that_to_the_nearest_sampled_border_point(name: str) -> None:
    fence = FENCES[name]
    points = around(fence, np.random.default_rng(23), 300)
    found = np.abs(gp.Geofence(fence.polygon, width=1.0, space=EARTH).coordinate(points))
    curves = [on_arcs(ring, 800) for ring in rings(fence.polygon)]
    spacing = EARTH.radius * max(angles(curve[:-1], curve[1:]).max() for curve in curves)
    border = np.concatenate(curves)
    sampled = EARTH.radius * np.array([angles(border, point).min() for point in vectors(points)])
    assert (found <= sampled + METRES_OF_SLACK).all()
    assert (found >= sampled - spacing / 2 - METRES_OF_SLACK).all()


@pytest.mark.parametrize("name", FENCES)
def test_the_earth_geofence_sign_says_whether_the_border_winds_around_a_point(name: str) -> None:
    fence = FENCES[name]
    points = around(fence, np.random.default_rng(24), 600)
    found = gp.Geofence(fence.polygon, width=1.0, space=EARTH).coordinate(points)
    winds = [encloses(on_arcs(ring, 400), vectors(points)) for ring in rings(fence.polygon)]
    expected = np.logical_xor.reduce(winds)
    clear = np.abs(found) > 100.0  # nearer than the sampling of the border nobody can tell
    assert 0 < expected[clear].sum() < clear.sum()
    np.testing.assert_array_equal(found[clear] < 0, expected[clear])


@pytest.mark.parametrize("name", FENCES)
def test_the_earth_geofence_coordinate_is_negative_at_known_places_inside(name: str) -> None:
    fence = FENCES[name]
    assert (gp.Geofence(fence.polygon, width=1.0, space=EARTH).coordinate(fence.inside) < 0).all()


@pytest.mark.parametrize("name", FENCES)
def test_the_earth_geofence_coordinate_is_positive_at_known_places_outside_and_in_holes(name: str) -> None:
    fence = FENCES[name]
    assert (gp.Geofence(fence.polygon, width=1.0, space=EARTH).coordinate(fence.outside) > 0).all()


@pytest.mark.parametrize("name", FENCES)
def test_the_earth_geofence_coordinate_vanishes_on_the_border(name: str) -> None:
    fence = FENCES[name]
    x, y, z = np.concatenate([on_arcs(ring, 50) for ring in rings(fence.polygon)]).T
    border = np.stack([np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))], axis=-1)
    found = gp.Geofence(fence.polygon, width=1.0, space=EARTH).coordinate(border)
    np.testing.assert_allclose(found, 0.0, atol=METRES_OF_SLACK)


@pytest.mark.parametrize("name", FENCES)
def test_the_earth_geofence_coordinate_never_jumps_across_the_border(name: str) -> None:
    fence, rng = FENCES[name], np.random.default_rng(25)
    x, y, z = np.concatenate([on_arcs(ring, 100) for ring in rings(fence.polygon)]).T
    border = np.stack([np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))], axis=-1)
    border = np.tile(border, (10, 1))
    step = np.exp(rng.uniform(np.log(1e-6), np.log(1e4), len(border)))
    bearing = rng.uniform(0, 2 * np.pi, len(border))
    query = gp.Geofence(fence.polygon, width=1.0, space=EARTH)
    one, other = EARTH.move(border, step, bearing), EARTH.move(border, step, bearing + np.pi)
    assert excess(EARTH, query.geometry, one, other) <= 0


def circle(latitude: float, longitude: float, radius: float, corners: int) -> shapely.Geometry:
    bearings = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    center = np.broadcast_to([latitude, longitude], (corners, 2))
    return shapely.Polygon(EARTH.move(center, np.full(corners, radius), bearings)[:, ::-1])


def close_pairs_around(
    place: tuple[float, float], reach: float, step: float, seed: int, n: int = 20_000
) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    center = np.broadcast_to(np.asarray(place), (n, 2))
    x = EARTH.move(center, rng.uniform(0, reach, n), rng.uniform(0, 2 * np.pi, n))
    return x, EARTH.move(x, rng.uniform(0, step, n), rng.uniform(0, 2 * np.pi, n))


@pytest.mark.parametrize("edge", [10.0, 1.0, 0.1, 0.01])
def test_the_earth_geofence_coordinate_never_stretches_around_short_edges(edge: float) -> None:
    radius = 200 * edge / (2 * math.pi)
    query = gp.Geofence(circle(48.5, 2.5, radius, 200), width=1.0, space=EARTH)
    x, y = close_pairs_around((48.5, 2.5), reach=5 * radius, step=edge, seed=26)
    assert excess(EARTH, query.geometry, x, y) <= 0


def test_the_earth_geofence_coordinate_never_stretches_beside_two_corners_a_centimetre_apart() -> None:
    gap = 1e-7  # degrees: the resolution of OpenStreetMap
    ring = [(2, 48), (2.1, 48), (2.1, 48.1), (2.05, 48.1), (2.05 - gap, 48.1 - 0.3 * gap), (2, 48.05)]
    query = gp.Geofence(shapely.Polygon(ring), width=1.0, space=EARTH)
    x, y = close_pairs_around((48.1, 2.05), reach=0.1, step=0.01, seed=27, n=100_000)
    assert excess(EARTH, query.geometry, x, y) <= 0


def test_the_earth_geofence_coordinate_never_stretches_around_the_antipode_of_a_small_fence() -> None:
    query = gp.Geofence(shapely.box(10, 20, 10.0005, 20.0005), width=1.0, space=EARTH)
    x, y = close_pairs_around((-20.00025, -169.99975), reach=100.0, step=0.01, seed=28)
    assert excess(EARTH, query.geometry, x, y) <= 0


def test_the_earth_geofence_coordinate_never_stretches_a_quarter_turn_away_from_a_long_edge() -> None:
    query = gp.Geofence(shapely.Polygon([(-40, 0), (40, 0), (0, -20)]), width=1.0, space=EARTH)
    x, y = close_pairs_around((90.0, 0.0), reach=10.0, step=0.01, seed=29)
    assert excess(EARTH, query.geometry, x, y) <= 0


def test_many_points_are_measured_in_parts_as_if_at_once() -> None:
    query = gp.Geofence(circle(10.0, 20.0, 1e5, 3000), width=1.0, space=EARTH)
    points = np.random.default_rng(30).uniform((8, 18), (12, 22), (1500, 2))
    parts = [query.coordinate(part) for part in np.array_split(points, 7)]
    np.testing.assert_array_equal(query.coordinate(points), np.concatenate(parts))


def test_a_scaled_function_is_divided_by_its_constant() -> None:
    query = gp.LipschitzQuery(lambda x: 5 * x, constant=5.0)
    np.testing.assert_allclose(query.coordinate([1.0, -2.0]), [1.0, -2.0])


def test_a_scaled_function_is_asked_with_values_and_not_with_logarithms() -> None:
    query = gp.LipschitzQuery(np.log2, constant=1.0, space=LOG)
    np.testing.assert_allclose(query.coordinate([1.0, 8.0, -3.0]), [0.0, 3.0, 0.0], atol=1e-15)


def test_every_shipped_kind_of_coordinate_is_in_the_table_above() -> None:
    shipped = {kind for kind in Coordinate.__subclasses__() if kind.__module__.startswith("geopriv.shapes.coordinates")}
    assert shipped == {type(query.geometry) for query in QUERIES.values()}


def test_a_geofence_on_a_local_plane_is_almost_that_on_the_globe() -> None:
    """Edges of 5 km bulge by 0.1 m between the two, and the map shrinks distances there by a part in 10^5."""
    x = np.random.default_rng(31).uniform((40.6, -74.2), (40.9, -73.8), (500, 2))
    flat, round_ = (gp.Geofence(DISTRICT, width=1e3, space=space).coordinate(x) for space in (CITY, EARTH))
    np.testing.assert_allclose(flat, round_, atol=1.0)
    assert np.abs(flat - round_).max() > 1e-3


def test_a_geofence_may_leave_the_region_of_a_local_plane_but_not_the_horizon() -> None:
    wide = gp.Geofence(shapely.box(-80, 35, -70, 45), width=1e3, space=CITY)
    assert (wide([(40.7, -74.0), (40.9, -73.7)]) == 1).all()
    with pytest.raises(gp.InvalidParameter, match=r"'polygon'.*within 60°"):
        gp.Geofence(shapely.box(-80, 35, 60, 45), width=1e3, space=CITY)


@pytest.mark.parametrize("turn", [-360.0, 0.0])
def test_a_geofence_on_a_local_plane_may_cross_the_antimeridian(turn: float) -> None:
    space = gp.LocalPlane(south=-20.0, west=170.0, north=-10.0, east=-170.0)
    fence = FENCES["across the antimeridian"]
    moved = shapely.transform(fence.polygon, lambda lonlat: lonlat + np.array([turn, 0.0]))
    query = gp.Geofence(moved, width=1e3, space=space)
    assert (query.coordinate(fence.inside) < 0).all()
    assert (query.coordinate([(-16.5, 178.0), (-16.5, -178.0), (-14.0, 180.0)]) > 0).all()


@pytest.mark.parametrize("bad", [(95.0, -74.0), (40.7, 400.0), (40.7, math.nan), (40.7,)])
def test_a_center_that_is_no_place_is_named_on_a_local_plane_too(bad: tuple[float, ...]) -> None:
    with pytest.raises(gp.InvalidParameter, match="'center'"):
        gp.Ball(bad, 100.0, 10.0, CITY)


@pytest.mark.parametrize("center", [(41.5, -74.0), (-40.725, 106.0), (40.7, 0.0)])
def test_a_public_place_outside_the_region_of_a_local_plane_is_refused(center: tuple[float, float]) -> None:
    for make in (
        lambda: gp.Ball(center, 100.0, 10.0, CITY),
        lambda: gp.GaussianKernel(center, 100.0, CITY),
        lambda: gp.Orthant(center, 100.0, CITY),
    ):
        with pytest.raises(gp.InvalidParameter, match="in the region of LocalPlane"):
            make()
