"""Large polygons on a device: ruling out runs of edges changes no distance."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace
from fractions import Fraction

import pytest

import geopriv as gp
from geopriv.device.globe import globe_region
from geopriv.device.intervals import Interval, exact
from geopriv.device.regions import flat_region
from geopriv.device.runs import Run

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


def all_at_once(runs: list[Run]) -> list[Run]:
    """One run that holds every edge and rules nothing out."""
    return [replace(runs[0], edges=range(runs[-1].edges.stop), low=-math.inf, high=math.inf, right=math.inf)]


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


def same(first: Interval, second: Interval) -> bool:
    return (first.low, first.high) == (second.low, second.high)


@pytest.mark.parametrize("name", FLAT)
def test_runs_of_edges_change_no_distance_in_the_plane(name: str) -> None:
    region = flat_region(FLAT[name])
    plain = replace(region, runs=all_at_once(region.runs))
    assert len(region.runs) > 3
    for place in tried(FLAT[name], 1, 80):
        point = tuple(exact(part, BITS) for part in place)
        assert same(region.enclose(point), plain.enclose(point))


@pytest.mark.parametrize("name", GLOBE)
def test_runs_of_arcs_change_no_distance_on_earth(name: str) -> None:
    region = globe_region(RADIUS, GLOBE[name])
    plain = replace(region, runs=all_at_once(region.runs))
    assert len(region.runs) > 2
    for longitude, latitude in tried(GLOBE[name], 2, 40):
        value = min(max(latitude, Fraction(-90)), Fraction(90)), (longitude + 180) % 360 - 180
        assert same(region.enclose(value, 200), plain.enclose(value, 200))


def test_runs_that_are_too_small_are_caught() -> None:
    """Planted: the balls around runs have a tenth of their size, and the heights are those of their first corners."""
    region = flat_region(FLAT["star with a hole"])
    wrong = replace(region, runs=[replace(run, reach=run.reach / 10) for run in region.runs])
    flat = replace(region, runs=[replace(run, high=run.low) for run in region.runs])
    points = [tuple(exact(part, BITS) for part in place) for place in tried(FLAT["star with a hole"], 1, 80)]
    for planted in (wrong, flat):
        assert not all(same(region.enclose(point), planted.enclose(point)) for point in points)


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
