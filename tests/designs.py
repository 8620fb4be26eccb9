"""Small designs for the tests of devices and their files, and sources of known bytes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.device.files import canonical, digest
from geopriv.mechanisms.table.spare import SpareRows
from geopriv.surveys.design import Design
from tests.rows import (
    CITY,
    DISTRICT,
    EARTH,
    PARK,
    PLANE,
)

TOTAL = 1 << 60
SHARES = np.array([[16, 8, 4, 4], [14, 8, 5, 5], [10, 8, 7, 7], [8, 8, 9, 7], [6, 10, 9, 7]])

# every kind of query on every kind of space that a device runs, a rate, and where people are
ASKED_OF_DEVICES: tuple[tuple[str, gp.queries.Query, float, Any], ...] = (
    ("threshold", gp.Threshold(100_000, 16_000, gp.Line("USD")), 1 / 8000, (80_000.0, 120_000.0)),
    ("ratios", gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 2.0, (500.0, 2000.0)),
    ("range", gp.Range(-3.0, 4.0, 1.0), 1.0, (-5.0, 6.0)),
    ("range of ratios", gp.Range(10.0, 40.0, 0.5, space=gp.LogLine(2.0)), 2.0, (4.0, 80.0)),
    ("kernel on a line", gp.GaussianKernel(0.0, 2.0), 1.0, (-4.0, 4.0)),
    ("blurred", gp.Blurred(gp.Threshold(0.0, 1.0), 1.0), 1.0, (-3.0, 3.0)),
    ("ball", gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), 1.0, ((-3.0, -3.0), (3.0, 3.0))),
    ("ball on a line", gp.Ball(8e20, 8e20, 1e6, gp.Line("m")), 1e-5, (-2e5, 2e5)),
    ("half-space on a map", gp.Score((1.0, 2.0), 1e3, 1e3, CITY), 1e-3, ((40.4, -74.4), (41.0, -73.6))),
    ("kernel in space", gp.GaussianKernel((0.0, 0.1, 0.2), 2.0), 1.0, ((-2.0,) * 3, (2.0,) * 3)),
    ("half-space", gp.Score((1.0, -2.0, 0.5), 0.3, 1.0), 1.0, ((-2.0,) * 3, (2.0,) * 3)),
    ("score", gp.LinearQuery((3.0, 4.0), gp.shapes.Trapezoid(10.0, 5.0), 0.7), 1.0, ((-2.0, -2.0), (2.0, 2.0))),
    ("one axis", gp.LinearQuery((-2.0,), gp.shapes.Ramp(1.0)), 1.0, ((-2.0,), (2.0,))),
    ("ring", gp.RadialQuery((0.0, 0.0), gp.shapes.Triangle(1.0, center=3.0), PLANE), 1.0, ((-3.0, -3.0), (3.0, 3.0))),
    ("orthant", gp.Orthant((0.0, 0.0), 1.0, PLANE), 1.0, ((-3.0, -3.0), (3.0, 3.0))),
    ("geofence", gp.Geofence(PARK, 0.4, PLANE), 1.0, ((-1.0, -1.0), (4.0, 3.0))),
    ("ball on a map", gp.Ball((40.7, -74.0), 3000.0, 1e3, CITY), 1e-3, ((40.4, -74.4), (41.0, -73.6))),
    ("orthant on a map", gp.Orthant((40.7, -74.0), 1e3, CITY), 1e-3, ((40.4, -74.4), (41.0, -73.6))),
    ("fence on a map", gp.Geofence(DISTRICT, 500.0, CITY), 1e-3, ((40.65, -74.05), (40.8, -73.9))),
    ("ball on Earth", gp.Ball((40.7, -74.0), 3000.0, 1e3, EARTH), 1e-3, ((40.65, -74.05), (40.75, -73.95))),
    ("kernel on Earth", gp.GaussianKernel((10.0, 179.99), 2e3, EARTH), 1e-3, ((9.9, 179.9), (10.1, 180.1))),
    ("anywhere on Earth", gp.Ball((80.0, 30.0), 3e6, 1e6, EARTH), 1e-6, ((-90.0, -180.0), (90.0, 180.0))),
    ("fence on Earth", gp.Geofence(DISTRICT, 500.0, EARTH), 1e-3, ((40.65, -74.05), (40.8, -73.9))),
)


def small_table(query: gp.queries.Query, epsilon: float) -> gp.Table:
    """Four values on five points: privacy enough, whatever they estimate."""
    weights = (SHARES * (TOTAL // 32)).astype(np.int64)
    promise = gp.Guarantee(epsilon, unit=query.space.distance_unit, reference="by hand")
    lattice = np.array([-2.0, -0.9, 0.1, 1.0, 2.5]) / epsilon
    return gp.Table(query, promise, lattice, np.array([-0.5, 0.0, 1.0, 1.5]), weights)


def spare_table(query: gp.queries.Query, epsilon: float) -> gp.Table:
    """The same with spare rows of quite other letters, to which its cells look with four chances, one of them none."""
    shares = np.array([[4, 4, 12, 12], [2, 4, 13, 13], [4, 3, 12, 13], [3, 4, 13, 12], [2, 5, 12, 13]])
    chances = np.array([1 << 40, 3 << 38, 1 << 40, 0], dtype=np.int64)
    spare = SpareRows((shares * (TOTAL // 32)).astype(np.int64), chances)
    return replace(small_table(query, epsilon), spare=spare)


def table_design(query: gp.queries.Query | None = None, epsilon: float = 1.0, survey: str = "survey") -> Design:
    return Design(survey, (small_table(query or gp.Threshold(0.0, 2.0), epsilon),))


def grouped_design(weights: tuple[float, ...] = (), column: str = "county") -> Design:
    """A table whose reports carry one of three groups openly."""
    groups = gp.queries.Groups(column, ("Kings", "Queens", "New York"), weights)
    query = gp.Threshold(0.0, 2.0)
    shares, source = (gp.Share("above", query),), gp.Source(("income",), (-4.0,), (4.0,))
    return Design("by county", (small_table(query, 1.0),), (), shares, source, groups, "households")


def two_tables() -> Design:
    queries = (gp.Threshold(0.0, 2.0), gp.Threshold(1.0, 2.0), gp.Threshold(2.0, 2.0))
    return Design("three questions", tuple(small_table(query, 1.0) for query in queries), (1, 2, 5))


def lattice_design(space: gp.spaces.Space | None = None, epsilon: float = 1e-3, step: float = 150.0) -> Design:
    return Design("map", (gp.Lattice.calibrate(space or gp.Plane(), epsilon, step=step),))


def places(box: Any, n: int, seed: int) -> list[Any]:
    """Values that are even between two corners, as a device takes them."""
    low, high = box
    rng = np.random.default_rng(seed)
    found: list[Any] = rng.uniform(low, high, (n, *np.shape(low))).tolist()
    return found


def rehashed(document: dict[str, Any]) -> bytes:
    """A design file with the hash that fits it, whatever is in it."""
    return canonical(document | {"hash": digest(document)}) + b"\n"


def document_of(design: Design) -> dict[str, Any]:
    """A copy that may be changed."""
    found: dict[str, Any] = json.loads(design.to_bytes())
    return found


class Given:
    """The given bytes, in order; afterwards an error. For tests only."""

    def __init__(self, given: bytes) -> None:
        self.given, self.used = given, 0

    def __call__(self, n: int) -> bytes:
        if self.used + n > len(self.given):
            raise EOFError("no bytes left")
        self.used += n
        return self.given[self.used - n : self.used]


class Stream:
    """Bytes of SHA-256 in counter mode, so that a statistical test has a fixed outcome. For tests only."""

    def __init__(self, seed: int) -> None:
        self._seed, self._count, self._left = seed, 0, b""

    def __call__(self, n: int) -> bytes:
        while len(self._left) < n:
            self._left += hashlib.sha256(f"{self._seed}/{self._count}".encode()).digest()
            self._count += 1
        given, self._left = self._left[:n], self._left[n:]
        return given
