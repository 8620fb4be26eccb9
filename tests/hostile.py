"""Polygons by which an enemy would make a device slow where somebody is: many edges that are equally near at one place.

Each passes as a design. What a draw takes at the place, and elsewhere, is bounded by `tests/device/test_hostile.py` in
work and shown by `bench/device.py` in time.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Self

import pytest

import geopriv as gp
from geopriv.device import regions
from geopriv.device.draws import Source, draw_letter, rows_of
from geopriv.device.globe import globe_region
from geopriv.device.intervals import Interval, exact
from geopriv.device.reading import CORNERS
from geopriv.device.regions import flat_region
from geopriv.device.tables import NARROWEST
from tests.designs import document_of, rehashed, table_design

Ring = list[tuple[float, float]]
Enclose = Callable[[tuple[Fraction, ...], int], Interval]
RADIUS, TOTAL = 6_371_008.8, 1 << 60
NARROW = [-1.0, -NARROWEST, 0.0, NARROWEST, 1.0]
STREET = [-650 + 0.02 * k for k in range(65_000)]


@dataclass(frozen=True)
class Hostile:
    """A polygon, the lattice of a table on it, and where it is slow and where not: as (x, y), or (latitude, longitude).

    The two letters are reported alike everywhere: what the table says is nothing, how long it takes is the attack.
    """

    ring: Ring = field(repr=False)
    lattice: list[float] = field(repr=False)
    near: tuple[float, float]
    far: tuple[float, float]
    earth: bool

    def enclose(self) -> Enclose:
        """The signed distance, as a device reads it."""
        if self.earth:
            return globe_region(RADIUS, [self.ring]).enclose
        region = flat_region([self.ring])
        return lambda x, bits: region.enclose(tuple(exact(part, bits) for part in x))

    def drawer(self, source: Source) -> Callable[[tuple[float, float]], int]:
        """One draw at a value."""
        rows, enclose = rows_of(self.lattice, ((TOTAL // 2, TOTAL),) * len(self.lattice)), self.enclose()
        return lambda x: draw_letter(rows, partial(enclose, tuple(map(Fraction, x))), source)


class Steps:
    """Counts the instructions of Python that are executed, in all functions that are called, while it is open."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        sys.settrace(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _look(self, frame: Any, event: str, argument: Any) -> Any:
        frame.f_trace_opcodes = True
        self.count += event == "opcode"
        return self._look


def look_at_near_edges_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault: edges of which a corner is far away are left out, so that a draw takes longer beside many."""
    honest = regions._look

    def wrong(place: Sequence[int], edges: Sequence[Any], bits: int) -> tuple[int, bool]:
        return honest(place, [edge for edge in edges if abs(edge[0] - place[0]) < 1 << bits] or edges[:1], bits)

    monkeypatch.setattr(regions, "_look", wrong)


def fan(x: float, y: float, corners: int, size: float) -> Ring:
    """Slim triangles that meet at a place."""
    ring = [(x, y)]
    for k in range((corners - 1) // 3):
        turn = 6 * math.pi * k / corners
        ring += [(x + size * math.cos(t), y + size * math.sin(t)) for t in (turn, turn + 1e-3)] + [(x, y)]
    return ring


def street(corners: int, off: float) -> Ring:
    """One side of a block walked up and down, each time `off` elsewhere; the others once."""
    rng, ring = random.Random(1), []
    for _ in range(corners // 2 - 3):
        ring += [(-74.0 + off * rng.uniform(-1, 1), latitude) for latitude in (40.75, 40.751)]
    return [*ring, (-73.99, 40.751), (-73.99, 40.75), ring[0]]


def far_fan(corners: int) -> Ring:
    """Every second corner as far away as floats go."""
    ring = [end for k in range(corners // 2 - 1)
            for end in ((0.0, 0.0), (1e308 * math.cos(k), 1e308 * math.sin(k)))]  # fmt: skip
    return [*ring, ring[0]]


def tangents(corners: int, long: float) -> Ring:
    """Edges that begin beside the unit circle, touch it, and go on as far as is said."""
    ring = []
    for k in range(corners // 2 - 1):
        turn = 4 * math.pi * k / corners
        x, y = math.cos(turn), math.sin(turn)
        ring += [(x + 0.1 * y, y - 0.1 * x), (x - long * y, y + long * x)]
    return [*ring, ring[0]]


def shared(rings: list[Ring], epsilon: float = 1.0) -> bytes:
    """A design of tables around polygons, heard so seldom that they may share a report wherever these are."""
    document = document_of(table_design(gp.Ball((0.0, 0.0), 1.0, 1.0, gp.Plane()), epsilon))
    (table,) = document["mechanisms"]
    small = {"lattice": [-1.0, 1.0], "values": [0.0, 1.0], "weights": [[TOTAL // 2] * 2] * 2}
    tables = [table | small | {"coordinate": {"type": "Region", "rings": [ring]}} for ring in rings]
    one = {"type": "SharedTables", "tables": tables, "share": [1, 64]}
    one |= {key: table[key] for key in ("space", "guarantee")}
    return rehashed(document | {"mechanisms": [one]})


def polygons(n: int = CORNERS) -> dict[str, Hostile]:
    """All of them, of up to n corners."""
    home, away = (40.75, -74.0), (1.0, 1.0)
    across, opposite = (40.7505, -73.9999), (40.7505, -73.9901)
    around = [0.5, 1 - 1e-9, 1.0, 1 + 1e-9, 2.0]
    circle = tangents(n, 0.1)
    return {
        "Earth, fan": Hostile(fan(-74.0, 40.75, n, 0.01), NARROW, home, away, earth=True),
        "Earth, beside a fan": Hostile(fan(-74.0, 40.75, n, 0.01), NARROW, (40.7500000001, -74.0), away, earth=True),
        "Earth, one edge many times": Hostile(street(n, 0.0), STREET, across, opposite, earth=True),
        "Earth, nearly one edge": Hostile(street(n, 1e-9), STREET, across, opposite, earth=True),
        "Earth, centre of a circle": Hostile(circle, [k * 111_190.0 for k in around], (0.0, 0.0), away, earth=True),
        "Plane, one edge many times": Hostile(street(n, 0.0), STREET, across[::-1], (9.0, 9.0), earth=False),
        "Plane, fan": Hostile(fan(-74.0, 40.75, n, 0.01), NARROW, (-74.0, 40.75), away, earth=False),
        "Plane, far fan": Hostile(far_fan(n), NARROW, (0.0, 0.0), (1.0, 1.0), earth=False),
        "Plane, beside a far fan": Hostile(far_fan(n), NARROW, (1.0, 1.0), (1e300, 1e300), earth=False),
        "Plane, tangents": Hostile(circle, around, (0.0, 0.0), (9.0, 9.0), earth=False),
        "Plane, far tangents": Hostile(tangents(n, 1e308), around, (0.0, 0.0), (1e300, 1e300), earth=False),
    }
