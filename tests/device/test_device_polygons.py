"""Large polygons on a device: what is enclosed is the exact distance."""

from __future__ import annotations

import math
import random
import time
from fractions import Fraction
from typing import Any

import pytest

import geopriv as gp
from geopriv.device import globe, regions
from geopriv.device.globe import globe_region
from geopriv.device.intervals import Interval, exact
from geopriv.device.regions import flat_region
from tests import independent

HONEST = regions._look, globe._look
Ring = list[tuple[float, float]]
RADIUS, BITS = 6_371_008.8, 1_300


def star(corners: int, x: float, y: float, size: float, seed: int) -> Ring:
    """A jagged ring, whose neighbouring corners are far from each other."""
    rng = random.Random(seed)
    turns = [2 * math.pi * k / corners for k in range(corners)]
    far = [size * (0.6 + 0.4 * rng.random()) for _ in turns]
    ring = [(x + d * math.cos(t), y + d * math.sin(t)) for d, t in zip(far, turns, strict=True)]
    return [*ring, ring[0]]


def circle(corners: int, x: float, y: float, size: float) -> Ring:
    ring = [(x + size * math.cos(2 * math.pi * k / corners), y + size * math.sin(2 * math.pi * k / corners))
            for k in range(corners)]  # fmt: skip
    return [*ring, ring[0]]


FLAT: dict[str, list[Ring]] = {
    "star with a hole": [star(300, 1.0, 2.0, 5.0, 1), star(90, 1.0, 2.0, 1.0, 2)],
    "circle": [circle(500, 0.0, 0.0, 1.0)],
    "one corner far away": [[*star(200, 0.0, 0.0, 1e-3, 3)[:-1], (1e15, 3.0), star(200, 0.0, 0.0, 1e-3, 3)[0]]],
    "of every size": [[(10.0**k, 10.0 ** (k / 2)) for k in range(-150, 150)] + [(-1.0, -1.0), (1e-150, 1e-75)]],
    "next to the largest": [star(100, 1e307, -1e307, 1.5e308, 4)],
}
GLOBE: dict[str, list[Ring]] = {
    "city": [star(300, -74.0, 40.7, 0.1, 5), star(60, -74.0, 40.7, 0.02, 6)],
    "continent": [star(150, 20.0, 10.0, 60.0, 7)],
    "around the pole": [[*[(3.6 * k - 180, 70 + 5 * math.sin(k)) for k in range(100)], (-180.0, 70.0)]],
    "antimeridian": [star(100, 180.0, 0.0, 2.0, 8)],
    "of micrometres": [star(100, 10.0, 50.0, 1e-11, 9)],
}


def tried(rings: list[Ring], seed: int, n: int) -> list[tuple[Fraction, Fraction]]:
    """Corners, places beside edges at every distance, on the level of corners, and anywhere."""
    rng = random.Random(seed)
    corners = [corner for ring in rings for corner in ring]
    size = max(abs(a - b) for a in corners[0] for b in corners[1])
    found = [corners[0], corners[-2], (2 * corners[0][0], corners[1][1])]
    for _ in range(n):
        ring = rng.choice(rings)
        k = rng.randrange(len(ring) - 1)
        (ax, ay), (bx, by), share = ring[k], ring[k + 1], rng.random()
        off = [rng.gauss(0, 1) * size * 10.0 ** rng.uniform(-17, 0.5) for _ in range(2)]
        found.append((ax + share * (bx - ax) + off[0], ay + share * (by - ay) + off[1]))
        found.append((ax + off[0], ay))
    return [(Fraction(x), Fraction(y)) for x, y in found if math.isfinite(x) and math.isfinite(y)]


def wrong(found: Interval, bits: int, table: dict[str, Any], x: independent.Value) -> bool:
    """Whether an enclosure does not hold the exact distance."""
    with independent.digits(2_600):
        s = independent.coordinate(table, x)
        low, high = (independent.ball(Fraction(end, 1 << bits)) for end in (found.low, found.high))
        return bool(low > s or s > high)


def in_the_plane(name: str) -> list[bool]:
    """Of each place whether its enclosure is wrong."""
    region = flat_region(FLAT[name])
    rings = [list(map(list, ring)) for ring in FLAT[name]]
    table = {"space": {"type": "Plane", "unit": "m"}, "coordinate": {"type": "Region", "rings": rings}}
    return [
        wrong(region.enclose(tuple(exact(part, BITS) for part in place)), BITS, table, place)
        for place in tried(FLAT[name], 1, 8)
    ]


def on_earth(name: str) -> list[bool]:
    region = globe_region(RADIUS, GLOBE[name])
    rings = [list(map(list, ring)) for ring in GLOBE[name]]
    table = {"space": {"type": "Earth", "radius": RADIUS}, "coordinate": {"type": "EarthRegion", "rings": rings}}
    found = []
    for longitude, latitude in tried(GLOBE[name], 2, 5):
        value = min(max(latitude, Fraction(-90)), Fraction(90)), (longitude + 180) % 360 - 180
        found.append(wrong(region.enclose(value, 200), 200, table, value))
    return found


@pytest.mark.parametrize("name", FLAT)
def test_distances_to_large_polygons_of_the_plane_are_exact(name: str) -> None:
    assert not any(in_the_plane(name))


@pytest.mark.parametrize("name", GLOBE)
def test_distances_to_large_polygons_on_earth_are_exact(name: str) -> None:
    assert not any(on_earth(name))


@pytest.mark.parametrize(
    ("found", "name", "part", "planted"),
    [
        (in_the_plane, "circle", regions, lambda place, edges, bits: HONEST[0](place, edges[::2], bits)),
        (on_earth, "city", globe, lambda here, corners, arcs, level: HONEST[1](here, corners, arcs[::2], level)),
    ],
    ids=["Plane", "Earth"],
)
def test_an_edge_that_is_not_looked_at_is_caught(
    found: Any, name: str, part: Any, planted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: every second one is left out."""
    monkeypatch.setattr(part, "_look", planted)
    assert any(found(name))


def reading_time(ring: Ring, radius: float) -> float:
    """The least of three times to project a region onto a map of a city, whose middle is at 40.725° and -73.975°."""
    city = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65, radius=radius)
    places = [corner[::-1] for corner in ring]
    times = []
    for _ in range(3):
        start = time.perf_counter()
        city.project(places)
        times.append(time.perf_counter() - start)
    return min(times)


def test_corners_that_are_zero_or_tiny_on_a_map_are_projected_nearly_as_quickly_as_others() -> None:
    """A number that is 0 is so to any number of bits; computed to 2,048 of them, it took 17 times as long."""
    usual = reading_time(circle(120, -73.975, 40.725, 0.1), RADIUS)
    middle = (-74.3 + (-73.65 + 74.3) % 360 / 2 + 180) % 360 - 180
    meridian = [(middle, 40.6 + 0.002 * k) for k in range(120)]
    assert reading_time([*meridian, meridian[0]], RADIUS) < 7 * usual
    assert reading_time(circle(120, -73.975, 40.725, 0.1), 1e-80) < 7 * usual
