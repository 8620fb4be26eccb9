"""Recorded positions on a map: what is read, how far off it may be, and what tables on it are charged.

True positions are projected to fifty digits from the recorded latitudes and longitudes themselves.
"""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.charges import charge
from geopriv.checks import FloatArray
from geopriv.coordinates import Linear, QuadrantDistance, Radial, RegionDistance
from tests import precise
from tests.rows import CITY, DISTRICT, RECORDED_CITY

MAPS = [
    RECORDED_CITY,
    gp.LocalPlane(24.0, -125.0, 50.0, -66.0, resolution=1e-7),
    gp.LocalPlane(-20.0, 170.0, 10.0, -160.0, resolution=1e-7),
    gp.LocalPlane(60.0, -80.0, 90.0, 80.0, resolution=1e-7),
]
every_map = pytest.mark.parametrize("space", MAPS, ids=["city", "country", "islands", "polar"])
FINE = replace(CITY, resolution=1e-9)  # so fine that rounding errors show


def positions(space: gp.LocalPlane, n: int) -> FloatArray:
    """A third in the region, a third everywhere, a third near the antipode of the middle."""
    rng = np.random.default_rng(21)
    width = (space.east - space.west) % 360
    here = np.stack([rng.uniform(space.south, space.north, n), space.west + rng.uniform(0, width, n)], axis=-1)
    anywhere = np.stack([rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)], axis=-1)
    antipode = np.array([-space.middle[0], space.middle[1] + 180]) + rng.uniform(-0.1, 0.1, (n, 2))
    found = np.concatenate([here, anywhere, antipode])
    return np.stack([np.clip(found[:, 0], -90, 90), (found[:, 1] + 180) % 360 - 180], axis=-1)


def recorded(space: gp.LocalPlane, values: FloatArray) -> list[tuple[Fraction, Fraction]]:
    """The recorded positions themselves: whole parts of a turn."""
    assert space.resolution is not None
    step = Fraction(360, round(360 / space.resolution))
    degrees = gp.Earth(resolution=space.resolution).read(values).tolist()
    return [(round(a / space.resolution) * step, round(b / space.resolution) * step) for a, b in degrees]


def true_points(space: gp.LocalPlane, values: FloatArray) -> list[list[Decimal]]:
    corners = [[precise.exact(x) for x in corner.tolist()] for corner in space.rectangle]
    found = []
    for position in recorded(space, values):
        point = precise.on_the_map(space.radius, space.middle, *position)
        found.append([min(max(x, low), high) for x, low, high in zip(point, *corners, strict=True)])
    return found


def off(points: FloatArray, truth: list[list[Decimal]]) -> FloatArray:
    pairs = zip(points.tolist(), truth, strict=True)
    return np.array([[float(abs(precise.exact(a) - b)) for a, b in zip(p, t, strict=True)] for p, t in pairs])


@every_map
def test_projections_of_recorded_positions_stay_within_the_bound(space: gp.LocalPlane) -> None:
    values = positions(space, 60)
    error = off(space.read(values), true_points(space, values))
    assert error.max() <= space.projection_error
    assert error.max() > space.projection_error / 300
    assert space.projection_error < 2e-4 * space.closest


def test_a_projection_by_angles_from_cosines_breaks_the_bound() -> None:
    """The planted fault: arccos loses half the digits near the middle."""
    values = np.array(RECORDED_CITY.middle) + np.random.default_rng(22).uniform(-1e-3, 1e-3, (40, 2))
    phi, turn = np.radians(gp.Earth(resolution=1e-7).read(values) - np.array([0.0, RECORDED_CITY.middle[1]])).T
    at = math.radians(RECORDED_CITY.middle[0])
    angle = np.arccos(np.sin(at) * np.sin(phi) + np.cos(at) * np.cos(phi) * np.cos(turn))
    bearing = np.arctan2(np.cos(phi) * np.sin(turn), np.sin(phi - at))
    careless = RECORDED_CITY.radius * np.sin(angle)[:, None] * np.stack([np.sin(bearing), np.cos(bearing)], axis=-1)
    truth = true_points(RECORDED_CITY, values)
    assert off(RECORDED_CITY.read(values), truth).max() <= RECORDED_CITY.projection_error
    assert off(careless, truth).max() > 100 * RECORDED_CITY.projection_error


@every_map
def test_positions_are_snapped_as_on_earth_and_then_projected(space: gp.LocalPlane) -> None:
    values = positions(space, 2000)
    np.testing.assert_array_equal(space.read(values), space.exact.read(gp.Earth(resolution=1e-7).read(values)))
    assert (np.abs(space.read(values)) <= space.extent).all()
    in_region = values[:2000]
    keep = in_region[:, 0] <= 85
    again = space.values(space.read(in_region[keep]))
    assert gp.Earth().distance(again, in_region[keep]).max() <= 0.008  # half the diagonal of a step


def test_the_pole_is_read_at_85_degrees() -> None:
    polar = MAPS[3]
    np.testing.assert_array_equal(polar.read([(90.0, 10.0), (85.0, 10.0)])[0], polar.read((85.0, 10.0)))
    assert (polar.exact.read((90.0, 10.0)) != polar.exact.read((85.0, 10.0))).any()


def test_the_closest_positions_are_those_on_the_ground() -> None:
    assert RECORDED_CITY.closest == gp.Earth(resolution=1e-7).closest
    assert CITY.closest == 0.0
    assert CITY.projection_error == 0.0
    assert CITY.extent == math.inf


def test_public_places_are_not_snapped() -> None:
    place = (40.70000003, -74.00000004)
    assert (RECORDED_CITY.public_point("x", "y", place) == CITY.read(place)).all()
    assert (RECORDED_CITY.read(place) != CITY.read(place)).all()
    assert RECORDED_CITY.holds(place)
    coarse = replace(CITY, resolution=0.5)
    np.testing.assert_array_equal(gp.Ball(place, 1000.0, 100.0, coarse).geometry.anchor, CITY.read(place))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "fine", True, 0.7, 1e-10, 360.0])
def test_a_resolution_that_is_none_is_refused(bad: Any) -> None:
    with pytest.raises(gp.InvalidParameter, match="'resolution' parameter of LocalPlane"):
        replace(CITY, resolution=bad)


def test_a_map_with_a_resolution_is_a_value() -> None:
    assert pickle.loads(pickle.dumps(RECORDED_CITY)) == RECORDED_CITY
    assert RECORDED_CITY != CITY
    assert RECORDED_CITY.exact == CITY


# What is charged ------------------------------------------------------------------------------------------------------


def true_coordinate(query: gp.Query, p: list[Decimal]) -> Decimal:
    match query.geometry:
        case Radial() as radial:
            away = [a - precise.exact(c) for a, c in zip(p, radial.center, strict=True)]
            return precise.norm(away) - precise.exact(radial.offset)
        case Linear():
            assert isinstance(query, gp.HalfSpace)
            normal = [precise.exact(w) for w in query.normal]
            return (precise.dot(normal, p) - precise.exact(query.offset)) / precise.norm(normal)
        case QuadrantDistance() as corner:
            lack = [precise.exact(c) - a for c, a in zip(corner.corner, p, strict=True)]
            outside = precise.norm([max(part, Decimal(0)) for part in lack])
            return outside if outside > 0 else max(lack)
        case RegionDistance() as fence:
            ring = [tuple(map(precise.exact, c)) for c in fence.region.exterior.coords]
            distance = min(precise.to_segment(p, a, b) for a, b in pairwise(ring))
            return -distance if shapely.contains_xy(fence.region, *map(float, p)) else distance
    raise AssertionError(query)


QUERIES = [
    gp.Ball((40.7, -74.0), 3000.0, 1000.0, RECORDED_CITY),
    gp.GaussianKernel((40.7, -74.0), 2000.0, RECORDED_CITY),
    gp.HalfSpace((1.0, -2.0), 300.0, 500.0, RECORDED_CITY),
    gp.Orthant((40.7, -74.0), 500.0, RECORDED_CITY),
    gp.Geofence(DISTRICT, 500.0, RECORDED_CITY),
]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: type(query).__name__)
def test_coordinates_on_a_map_stay_within_what_is_charged(query: gp.Query) -> None:
    found = charge("Table", query, 1e5)
    assert found is not None
    assert found.closest == RECORDED_CITY.closest
    assert 1 < found.factor < Fraction(1001, 1000)
    values = positions(RECORDED_CITY, 30)
    truth = [true_coordinate(query, p) for p in true_points(RECORDED_CITY, values)]
    pairs = zip(query.coordinate(values).tolist(), truth, strict=True)
    error = max(float(abs(precise.exact(s) - t)) for s, t in pairs)
    assert error <= found.error
    assert error > found.error / 1e4
    assert found.error >= math.sqrt(2) * RECORDED_CITY.projection_error


def neighbours(space: gp.LocalPlane, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Positions of the region, their neighbours by one step of latitude or longitude, and metres on the ground."""
    assert space.resolution is not None
    rng = np.random.default_rng(23)
    x = rng.uniform((40.6, -74.2), (40.9, -73.7), (n, 2))
    x = gp.Earth(resolution=space.resolution).read(x)
    y = x + space.resolution * np.eye(2)[rng.integers(0, 2, n)]
    ground = [
        float(precise.exact(space.radius) * precise.arc(precise.unit_vector(*a), precise.unit_vector(*b)))
        for a, b in zip(recorded(space, x), recorded(space, y), strict=True)
    ]
    return space.read(x), space.read(y), np.array(ground)


def test_computed_points_move_further_than_people_do_and_by_no_more_than_is_charged() -> None:
    """Why a charge is needed at all: on a fine grid of degrees neighbours seem farther apart than they are."""
    first, second, ground = neighbours(FINE, 300)
    stretch = FINE.between(first, second) / ground
    assert stretch.max() > 1 + 1e-6
    assert stretch.max() <= 1 + 2 * math.sqrt(2) * FINE.projection_error / FINE.closest


def test_a_table_on_a_map_pays_for_its_rounding_and_one_that_has_not_paid_is_caught() -> None:
    query = replace(QUERIES[0], space=FINE)  # type: ignore[type-var]
    paid = gp.Table.calibrate(query, 1e-3)
    assert paid.charge is not None
    assert Fraction(101, 100) < paid.charge.factor < Fraction(11, 10)
    assert gp.audit(paid).passed
    unpaid = gp.Table.calibrate(replace(QUERIES[0], space=CITY), 1e-3)  # type: ignore[type-var]
    assert unpaid.charge is None
    assert not gp.audit(replace(unpaid, query=query)).passed


def test_a_resolution_too_fine_for_the_projection_is_refused() -> None:
    query = replace(QUERIES[0], space=replace(CITY, resolution=360 / 2**40))  # type: ignore[type-var]
    with pytest.raises(gp.InvalidParameter, match=r"'resolution'.*would do"):
        gp.Table.calibrate(query, 1e-3)
