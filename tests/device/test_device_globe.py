"""Polygons of arcs on a device at the height of their corners, between the exact one and the one in floats."""

from __future__ import annotations

import operator
import random
from fractions import Fraction

import pytest
from flint import arb

from geopriv.device.globe import (
    GlobeRegion,
    _float_vector,
    globe_region,
)
from geopriv.device.regions import LEVEL
from tests import independent

RADIUS = 6_371_008.8
Degrees = tuple[float, float]


def place_of(region: GlobeRegion, across: Fraction, height: Fraction) -> tuple[Fraction, Fraction]:
    """The (latitude, longitude) of a point of the region's gnomonic map, to 400 bits."""
    axes = [[Fraction(part) for part in axis] for axis in region.frame]
    with independent.digits(400):
        normals = ([independent.ball(p - at * q) for p, q in zip(axis, axes[2], strict=True)]
                   for axis, at in zip(axes, (across, height), strict=False))  # fmt: skip
        vector = independent.cross(*normals)
        ahead = independent.dot(vector, [independent.ball(part) for part in axes[2]])
        x, y, z = (part if ahead > 0 else -part for part in vector)
        up, around = arb.atan2(z, (x**2 + y**2).sqrt()), arb.atan2(y, x)
        return independent.exactly(180 * up / arb.pi()), independent.exactly(180 * around / arb.pi())


def on_map(region: GlobeRegion, number: int) -> tuple[Fraction, Fraction]:
    """A corner on the region's gnomonic map, to 300 bits."""
    with independent.digits(300):
        vector = independent.on_sphere(*region.corners[number])
        axes = [[independent.ball(part) for part in axis] for axis in region.frame]
        first, second, ahead = (independent.dot(vector, axis) for axis in axes)
        return independent.exactly(first / ahead), independent.exactly(second / ahead)


def level_with_its_first_corner(rng: random.Random) -> tuple[list[Degrees], tuple[Fraction, Fraction]]:
    """A triangle whose first edge runs along the rays that are counted, and a place beside it.

    The place is as high on the map as the first corner is: between its precise place and the one in floats.
    """
    first = (45 + rng.random(), 10 + rng.random())
    second, third = (first[0] - 0.5, first[1]), (first[0] - 0.2, first[1] + 0.5 * rng.choice((-1, 1)))
    for _ in range(5):  # the map depends on the corners
        region = globe_region(RADIUS, [[first, second, third, first]])
        number = region.corners.index((Fraction(first[1]), Fraction(first[0])))
        x, y = on_map(region, number)
        latitude, longitude = place_of(region, x - Fraction(1, 200), y - Fraction(1, 10**9))
        second = (float(longitude), float(latitude))
    region = globe_region(RADIUS, [[first, second, third, first]])
    x, y = on_map(region, number)
    up, ahead = (
        sum(map(operator.mul, _float_vector(region.grid[0][number][:3], LEVEL), axis)) for axis in region.frame[1:]
    )
    height = (Fraction(up / ahead) + y) / 2
    return [first, second, third, first], place_of(region, x - Fraction(1, 1000), height)


@pytest.mark.parametrize("seed", range(6))
def test_a_ring_is_closed_on_the_map_whatever_corners_are_known_precisely(seed: int) -> None:
    """Else a ray could slip through between two places of one corner, and the side be wrong."""
    ring, value = level_with_its_first_corner(random.Random(seed))
    table = {"space": {"type": "Earth", "radius": RADIUS}, "coordinate": {"type": "EarthRegion", "rings": [ring]}}
    device = globe_region(RADIUS, [ring]).enclose(value, 300)
    with independent.digits(400):
        s = independent.coordinate(table, value)
        assert abs(s) > 1e-4
        assert (
            independent.ball(Fraction(device.low, 1 << 300)) <= s <= independent.ball(Fraction(device.high, 1 << 300))
        )
