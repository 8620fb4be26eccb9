"""Signed distances to polygons whose numbers were chosen to confuse sides: tiny heights, huge edges, ties."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import shapely
from flint import arb

import geopriv as gp
from geopriv.device import regions
from geopriv.device.intervals import exact
from geopriv.noise.exact import precision
from geopriv.shapes import Region

Ring = list[tuple[float, float]]
BITS = 112
# a run of edges whose heights vanish on the grid of whole numbers, at a height at which somebody is
FLAT: Ring = [
    *((1000.0, -5000 + 5000 * k / 32) for k in range(32)),
    (1000.0, 1e-60),
    *((1000.0, k * 1e-47) for k in range(1, 33)),
    *((1000.0, 5000.0), (-9000.0, 5000.0), (-9000.0, -5000.0), (1000.0, -5000.0)),
]
STRIPS: list[Ring] = [
    [(0.0, -1e155), (0.0, 1e155), (900.0, 1e155), (900.0, -1e155), (0.0, -1e155)],
    [(0.0, -5e153), (0.0, 1.5e154), (900.0, 1.5e154), (900.0, 0.0), (900.0, -5e153), (0.0, -5e153)],
    [(0.0, -1e308), (0.0, 1e308), (9.0, 1e308), (9.0, -1e308), (0.0, -1e308)],
]


def tangle(seed: int, corners: int = 100) -> Ring:
    """A ring of many runs whose heights are of all sizes, and of both signs."""
    rng = np.random.default_rng(seed)
    heights = rng.choice([-1.0, 1.0], corners) * 10.0 ** rng.uniform(-320, 4, corners)
    heights[rng.random(corners) < 0.1] = 0.0
    across = rng.uniform(-1e3, 1e3, corners)
    ring = list(zip(across.tolist(), heights.tolist(), strict=True))
    return [*ring, ring[0]]


def exactly(ring: Ring, x: float, y: float) -> tuple[Fraction, bool]:
    """The squared distance to the border, and whether the point is inside, in fractions."""
    px, py = Fraction(x), Fraction(y)
    squares, inside = [], False
    for start, end in pairwise(ring):
        (ax, ay), (bx, by) = (tuple(map(Fraction, corner)) for corner in (start, end))
        dx, dy = bx - ax, by - ay
        size = dx * dx + dy * dy
        if not size:
            continue
        share = min(max(((px - ax) * dx + (py - ay) * dy) / size, Fraction(0)), Fraction(1))
        squares.append((ax + share * dx - px) ** 2 + (ay + share * dy - py) ** 2)
        if (ay > py) != (by > py):
            inside ^= px < ax + (py - ay) * dx / dy
    return min(squares), inside


def holds(low: Fraction, high: Fraction, square: Fraction, inside: bool) -> bool:
    """Whether an interval holds the signed distance."""
    low, high = (-high, -low) if inside else (low, high)
    return high >= 0 and square <= high * high and (low <= 0 or low * low <= square)


def places(ring: Ring, seed: int) -> list[tuple[float, float]]:
    """Points at the heights of corners, between them and at 0, far from the border for the most part."""
    rng = np.random.default_rng(seed)
    heights = [0.0, 1e-30, -1e-30, 7.0, *rng.choice([y for _, y in ring], 6).tolist()]
    return [(x, y) for y in heights for x in (-5e3, -4.0, 0.0, 4.0, 450.0, float(rng.uniform(-1e3, 1e3)))]


def wrong_on_a_device(ring: Ring, seed: int = 1) -> int:
    region = regions.flat_region([ring])
    found = 0
    for x, y in places(ring, seed):
        s = region.enclose((exact(x, BITS), exact(y, BITS)))
        found += not holds(Fraction(s.low, 1 << s.bits), Fraction(s.high, 1 << s.bits), *exactly(ring, x, y))
    return found


def test_a_device_knows_the_side_whatever_the_heights_of_corners() -> None:
    for ring in [FLAT, *STRIPS, *map(tangle, range(8))]:
        assert wrong_on_a_device(ring) == 0


def test_a_ring_that_is_not_closed_on_the_grid_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the last end of each edge is one unit higher than the first one of the next."""
    whole = regions._whole
    monkeypatch.setattr(regions, "_whole", lambda edge, bits: (*whole(edge, bits)[:-1], whole(edge, bits)[-1] + 1))
    assert wrong_on_a_device(FLAT) > 0


def test_the_library_knows_it_too_and_its_floats_claim_no_more_than_they_know() -> None:
    for ring in [FLAT, *STRIPS, *map(tangle, range(3))]:
        region = Region(gp.Plane("m"), shapely.Polygon(ring))
        for x, y in places(ring, 2):
            square, inside = exactly(ring, x, y)
            with precision(2500):
                s = region.enclose((x, y))
                low, high = map(_fraction, (s.lower(), s.upper()))
            assert holds(low, high, square, inside)
            bounded = region.bounded(np.array([[x, y]]))
            assert bounded is not None
            value, off = float(bounded.value[0]), float(bounded.off[0])
            if np.isfinite(off):
                assert holds(Fraction(value) - Fraction(off), Fraction(value) + Fraction(off), square, inside)


def _fraction(end: arb) -> Fraction:
    """An end of a ball, which is an exact number."""
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


@pytest.mark.parametrize("ring", STRIPS[:2], ids=["bulk", "balls"])
def test_close_people_at_a_border_of_huge_edges_report_alike(ring: Ring) -> None:
    """3,000 reports on each side: the shares of the letters differ by at most 6 standard errors of a coin."""
    table = gp.Table.calibrate(gp.Geofence(shapely.Polygon(ring), 100.0, gp.Plane("m")), "1 per 30 m")
    shares = [np.mean(np.asarray(table.report([(x, 7.0)] * 3000)) > 0.5) for x in (-1e-6, 1e-6)]
    assert abs(shares[0] - shares[1]) < 6 * np.sqrt(0.5 / 3000)
