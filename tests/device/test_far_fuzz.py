"""The floats by which a device proves how often far tables may be heard, against fractions, at hostile numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from geopriv.device import far, sights
from geopriv.device.chances import Chances, chances_of
from geopriv.device.far import Box, Search, Spoken
from geopriv.device.sights import Sight, read_sight
from geopriv.device.tables import TOTAL

Exact = tuple[Fraction, ...]
BITS = 400  # of exact square roots
SLACK = Fraction(1, 1 << 60)  # of square roots, beside numbers of the size of 1/ε


def root(number: Fraction) -> Fraction:
    """The square root, rounded down at some hundred bits of its own."""
    if number == 0:
        return Fraction(0)
    shift = max(BITS - (number.numerator.bit_length() - number.denominator.bit_length()), 0) // 2 * 2 + 2
    return Fraction(math.isqrt(int(number * (1 << shift) * (1 << shift))), 1 << shift)


def nearest(p: Exact, a: Exact, b: Exact) -> Exact:
    """The nearest point of a segment, which may be a point."""
    way = tuple(y - x for x, y in zip(a, b, strict=True))
    square = sum(w * w for w in way)
    t = sum((x - y) * w for x, y, w in zip(p, a, way, strict=True)) / square if square else Fraction(0)
    t = min(max(t, Fraction(0)), Fraction(1))
    return tuple(x + t * w for x, w in zip(a, way, strict=True))


def disc(
    center: tuple[float, ...], offset: float
) -> tuple[dict[str, object], Callable[[Exact], tuple[Fraction, Exact]]]:
    """A document, and s and the way to a point exactly."""
    exact = tuple(map(Fraction, center))

    def seen(p: Exact) -> tuple[Fraction, Exact]:
        way = tuple(x - c for x, c in zip(p, exact, strict=True))
        return root(sum((w * w for w in way), Fraction(0))) - Fraction(offset), way

    return {"type": "Radial", "center": list(center), "offset": offset}, seen


def polygon(corners: list[tuple[float, float]]) -> tuple[dict[str, object], Callable[[Exact], tuple[Fraction, Exact]]]:
    """The same of a convex polygon, whose corners go around it to the left; it may be a line."""
    exact = [tuple(map(Fraction, corner)) for corner in corners]
    sides = list(zip(exact, [*exact[1:], exact[0]], strict=True))

    def seen(p: Exact) -> tuple[Fraction, Exact]:
        points = [nearest(p, a, b) for a, b in sides]
        ways = [tuple(x - y for x, y in zip(p, q, strict=True)) for q in points]
        way = min(ways, key=lambda w: sum(part * part for part in w))
        turns = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for a, b in sides]
        inside = all(turn >= 0 for turn in turns) and any(turn > 0 for turn in turns)
        length = root(sum((part * part for part in way), Fraction(0)))
        return (-length, tuple(-part for part in way)) if inside else (length, way)

    return {"type": "Region", "rings": [[list(corner) for corner in (*corners, corners[0])]]}, seen


def sets(rng: Random, axes: int) -> tuple[Sight, Callable[[Exact], tuple[Fraction, Exact]], float]:
    """A set of a size from tiny to huge, at a place from 0 to far away."""
    size = 2.0 ** rng.uniform(-20, 60)
    away = rng.choice([0.0, -0.0, size, 1e6 * size, 1e-9 * size, 2.0**190])
    center = tuple(away * rng.choice([1.0, -1.0, rng.uniform(-1, 1), 0.0]) for _ in range(axes))
    if axes == 1 or rng.random() < 0.6:
        offset = size * rng.choice([1.0, 0.0, -0.0, -0.5, 5e-324, rng.uniform(0, 2)])
        document, seen = disc(center, offset)
    else:
        (x, y), thin = (c if abs(c) < 1e7 * size else size for c in center), rng.choice([1.0, 1e-9])
        document, seen = polygon([(x, y), (x + size, y), (x + size * rng.uniform(0.2, 0.8), y + thin * size)])
    return read_sight(document, axes, "here"), seen, size


def around(rng: Random, middle: tuple[float, ...], reach: float, way: Exact) -> list[Exact]:
    """Points within a distance of a middle: towards and away from a set, and elsewhere."""
    start, far_ = tuple(map(Fraction, middle)), Fraction(reach)
    length = root(sum((w * w for w in way), Fraction(0)))
    found = [start]
    for sign in (1, -1):  # roots are rounded down, so a little less than the reach
        if length:
            found.append(tuple(m + sign * far_ * w / length * (1 - SLACK) for m, w in zip(start, way, strict=True)))
    for _ in range(2):
        turn = rng.uniform(0, 2 * math.pi)
        steps = (math.cos(turn), math.sin(turn))[: len(middle)]
        found.append(tuple(m + far_ * Fraction(0.999 * step) for m, step in zip(start, steps, strict=True)))
    return found


def wrong_views(seed: int, cases: int) -> int:
    """How often a point of a disc around a place is outside of what is said of it."""
    rng, wrong = Random(seed), 0
    for _ in range(cases):
        axes = rng.choice([1, 2])
        sight, seen, size = sets(rng, axes)
        low, high = sight.box
        middle = tuple(
            rng.choice([a, b, (a + b) / 2, a + rng.uniform(-8, 8) * size]) for a, b in zip(low, high, strict=True)
        )
        reach = size * rng.choice([0.0, 1.0, 2.0 ** rng.uniform(-30, 3)])
        view = sight.look(middle, reach)
        for point in around(rng, middle, reach, seen(tuple(map(Fraction, middle)))[1]):
            s, way = seen(point)
            wrong += not Fraction(view.low) <= s <= Fraction(view.high)
            length = root(sum((w * w for w in way), Fraction(0)))
            if view.direction is not None and length:
                off = sum((w / length - Fraction(d)) ** 2 for w, d in zip(way, view.direction, strict=True))
                wrong += off > (Fraction(view.off) + SLACK) ** 2
    return wrong


def test_views_hold_what_fractions_say_and_a_wrong_rounding_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong_views(seed=1, cases=400) == 0
    monkeypatch.setattr(sights, "OUTWARD", 0.0)  # nothing is moved outward: roundings show
    assert wrong_views(seed=1, cases=400) > 0


def table(rng: Random, scale: float, wide: float) -> tuple[Chances, Callable[[Fraction], tuple[Fraction, Fraction]]]:
    """A table that says something less and less often, and P and D/ε exactly, for ε = 1/scale."""
    lattice = sorted({-wide, wide, *(scale * rng.uniform(-3, 6) for _ in range(rng.choice([0, 4])))})
    rows, idle = [], TOTAL // 50
    for a, b in pairwise([lattice[0], *lattice]):
        grown = 1 + Fraction(rng.uniform(0.1, 0.999)) * min(Fraction(b) - Fraction(a), Fraction(scale)) / Fraction(
            scale
        )
        idle = min(int(idle * grown), TOTAL)
        rows.append([TOTAL - idle, idle])
    rows[-1] = [0, TOTAL] if rows[-1][1] > TOTAL * 0.9 else rows[-1]
    rows = rows[:: rng.choice([1, -1])]  # or more and more often
    rate, places = 1 / Fraction(scale), [Fraction(s) for s in lattice]

    def exact(s: Fraction) -> tuple[Fraction, Fraction]:
        if not places[0] < s < places[-1]:
            return Fraction(rows[0 if s <= places[0] else -1][0], TOTAL), Fraction(0)
        k = next(k for k, (a, b) in enumerate(pairwise(places)) if a <= s <= b)
        rise = Fraction(rows[k + 1][0] - rows[k][0], TOTAL) / (places[k + 1] - places[k])
        return Fraction(rows[k][0], TOTAL) + rise * (s - places[k]), rise / rate

    return chances_of(lattice, rows, 1, rate), exact


WIDE = (10.0, 1e9, 1e200, 1.7e308)


def wrong_chances(seed: int, cases: int) -> int:
    """How often P, D or B of a coordinate is beyond what is said of a range."""
    rng, wrong, near = Random(seed), 0, Fraction(1, 1 << 46)
    for _ in range(cases):
        chances, exact = table(rng, 1.0, rng.choice(WIDE))
        low = rng.choice([*chances.lattice, rng.uniform(-5, 8), -math.inf])
        high = rng.choice([low, *(s for s in chances.lattice if s >= low), max(low, rng.uniform(-5, 8)), math.inf])
        found = chances.over(low, high)
        ends = [min(max(end, -1.7e308), 1.7e308) for end in (low, high)]
        for part in (0, Fraction(1, 3), Fraction(1, 2), 1):
            s = Fraction(ends[0]) + part * (Fraction(ends[1]) - Fraction(ends[0]))
            chance, slope = exact(s)
            wrong += chance > Fraction(found.chance) + near
            if s not in chances.lattice:  # where it has one slope
                wrong += not Fraction(found.falling) - near <= slope <= Fraction(found.rising) + near
                wrong += chance + abs(slope) > Fraction(found.both) + near
    return wrong


def test_chances_hold_what_fractions_say_in_cells_as_wide_as_floats_go(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong_chances(seed=2, cases=600) == 0

    def overflowing(self: Chances, cell: int, s: float) -> float:
        """As it was: the width of a cell from -1.7e308 to 1.7e308 is no float."""
        if not 0 < cell < len(self.lattice):
            return self.heights[min(cell, len(self.heights) - 1)]
        a, b = self.lattice[cell - 1 : cell + 1]
        share = (s - a) / (b - a)
        return (1 - share) * self.heights[cell - 1] + share * self.heights[cell]

    monkeypatch.setattr(Chances, "_at", overflowing)
    assert wrong_chances(seed=2, cases=600) > 0


def wrong_bounds(seed: int, cases: int) -> int:
    """How often A + |∇A|/ε at a point of a box is above its bound."""
    rng, wrong = Random(seed), 0
    for _ in range(cases):
        axes, scale = rng.choice([1, 2]), 2.0 ** rng.uniform(-30, 30)
        origin = rng.choice([0.0, -0.0, 1e6 * scale, -1e9 * scale])
        made = []
        for _ in range(rng.choice([1, 2, 3])):
            center = tuple(origin + scale * rng.uniform(-6, 6) for _ in range(axes))
            document, seen = disc(center, scale * rng.choice([0.0, 0.5, 2.0]))
            if axes == 2 and rng.random() < 0.3:
                x, y = center
                document, seen = polygon([(x, y), (x + scale, y), (x, y + scale)])
            chances, exact = table(rng, scale, scale * rng.choice([10.0, 1e9]))
            made.append((Spoken(read_sight(document, axes, "here"), chances), seen, exact))
        search = Search([spoken for spoken, _, _ in made], 1 / scale)
        middle = tuple(origin + scale * rng.uniform(-8, 8) for _ in range(axes))
        box = Box(middle, scale * rng.choice([0.0, 2.0 ** rng.uniform(-20, 1)]), tuple(range(len(made))), 0.0)
        bound, _ = search.bound(box)
        for signs in ((0, 0), (1, 1), (-1, 1), (0.5, -1)):
            point = tuple(
                Fraction(m) + Fraction(box.half) * Fraction(sign) for m, sign in zip(middle, signs, strict=False)
            )
            heard, slope = Fraction(0), [Fraction(0)] * axes
            for _, seen, exact in made:
                s, way = seen(point)
                chance, steep = exact(s)
                length = root(sum((w * w for w in way), Fraction(0)))
                heard += chance
                slope = [d + (steep * w / length if length else 0) for d, w in zip(slope, way, strict=True)]
            wrong += heard + root(sum((d * d for d in slope), Fraction(0))) > Fraction(bound) + SLACK
    return wrong


def test_bounds_of_boxes_hold_at_exact_points_and_a_wrong_rounding_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong_bounds(seed=3, cases=300) == 0
    monkeypatch.setattr(far, "OUTWARD", -(2.0**-12))
    assert wrong_bounds(seed=3, cases=300) > 0
