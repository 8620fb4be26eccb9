"""The law of a design from its document alone, in ball arithmetic: written apart from the device and from the library.

Formulas are others than theirs wherever there are others: maps by vectors, sides by turning numbers, rows by one
monotonous rank, noise by logarithms. Only public floats that a document leaves to arithmetic (the middle and the
rectangle of a LocalPlane) are taken from the device; the promise holds whatever they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq

from geopriv.device.maps import middle_of, rectangle_of

Value = tuple[Fraction, ...]
FARTHEST = 1 << 50


@contextmanager
def digits(bits: int) -> Iterator[None]:
    """Balls with so many bits."""
    before, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(number: Fraction | float) -> arb:
    return arb(fmpq(*number.as_integer_ratio()))


def exactly(number: arb) -> Fraction:
    """The middle of a ball."""
    mantissa, exponent = number.mid().man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)


def nearest(number: arb) -> float:
    """The float nearest to the middle of a narrow ball."""
    return float(exactly(number))


def clip(number: arb) -> arb:
    return number.max(arb(0)).min(arb(1))


def dot(a: Iterable[arb], b: Iterable[arb]) -> arb:
    return sum((p * q for p, q in zip(a, b, strict=True)), arb(0))


def norm(a: Sequence[arb]) -> arb:
    return abs(a[0]) if len(a) == 1 else dot(a, a).nonnegative_part().sqrt()


def less(a: Sequence[arb], b: Sequence[arb]) -> list[arb]:
    return [p - q for p, q in zip(a, b, strict=True)]


def cross(a: Sequence[arb], b: Sequence[arb]) -> list[arb]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def on_sphere(latitude: Fraction | float, longitude: Fraction | float) -> list[arb]:
    (up, out), (sine, cosine) = ((ball(degrees) / 180).sin_cos_pi() for degrees in (latitude, longitude))
    return [out * cosine, out * sine, up]


def angle(a: Sequence[arb], b: Sequence[arb]) -> arb:
    """Twice the arc of the half chord: of a right angle at most, else of what is left to π."""
    if not dot(a, b) >= 0:
        return arb.pi() - 2 * (norm([p + q for p, q in zip(a, b, strict=True)]) / 2).min(arb(1)).asin()
    return 2 * (norm(less(a, b)) / 2).min(arb(1)).asin()


def on_map(space: dict[str, Any], latitude: Fraction | float, longitude: Fraction | float) -> list[arb]:
    """R·⟨v, east⟩ and R·⟨v, north⟩ at the middle."""
    middle = middle_of(*(space[name] for name in ("south", "west", "north", "east")))
    (up, out), (sine, cosine) = ((ball(degrees) / 180).sin_cos_pi() for degrees in middle)
    axes = [-sine, cosine, arb(0)], [-up * cosine, -up * sine, out]
    return [ball(space["radius"]) * dot(on_sphere(latitude, longitude), axis) for axis in axes]


def point(space: dict[str, Any], x: Value) -> list[arb]:
    """Where a person is on a flat space."""
    if space["type"] == "LogLine":
        return [ball(max(x[0], Fraction(space["floor"]))).log() / ball(space["base"]).log()]
    if space["type"] == "LocalPlane":
        low, high = rectangle_of(*(space[name] for name in ("south", "west", "north", "east", "radius")))
        axes = zip(on_map(space, *x), low, high, strict=True)
        return [along.max(arb(a)).min(arb(b)) for along, a, b in axes]
    return [ball(part) for part in x]


def distance(space: dict[str, Any], x: Value, y: Value) -> arb:
    """In the metric of the promise: great circles on Earth and on its maps."""
    if space["type"] in ("Earth", "LocalPlane"):
        return ball(space["radius"]) * angle(on_sphere(*x), on_sphere(*y))
    return norm(less(point(space, x), point(space, y)))


def coordinate(table: dict[str, Any], x: Value) -> arb:
    """s(x), from the coordinate that a table carries."""
    found, space = table["coordinate"], table["space"]
    kind = found["type"]
    if kind == "EarthRegion":
        rings = [[on_sphere(latitude, longitude) for longitude, latitude in ring] for ring in found["rings"]]
        return ball(space["radius"]) * _on_globe(rings, on_sphere(*x))
    if kind == "Radial" and space["type"] == "Earth":
        gap = ball(space["radius"]) * angle(on_sphere(*x), on_sphere(*found["center"]))
        return gap - ball(found["offset"])
    here = point(space, x)
    if kind == "Radial":
        return norm(less(here, [ball(part) for part in found["center"]])) - ball(found["offset"])
    if kind == "Linear":
        direction = [ball(part) for part in found["direction"]]
        return dot(direction, here) / norm(direction) + ball(found["shift"])
    if kind == "Quadrant":
        return _quadrant(found["corner"], here)
    return _region(found["rings"], here)


def _quadrant(corner: Sequence[float], x: list[arb]) -> arb:
    """How far outside, or how deep inside."""
    lack = [ball(a) - b for a, b in zip(corner, x, strict=True)]
    deepest = lack[0]
    for part in lack[1:]:
        deepest = deepest.max(part)
    return norm([part.max(arb(0)) for part in lack]) + deepest.min(arb(0))


def _region(rings: Sequence[Sequence[Sequence[float]]], here: list[arb]) -> arb:
    seen = [[less([ball(part) for part in corner], here) for corner in ring] for ring in rings]
    edges = [(a, b) for ring, names in zip(seen, rings, strict=True)
             for (a, b), (p, q) in zip(pairwise(ring), pairwise(names), strict=True) if p != q]  # fmt: skip
    gaps = []
    for a, b in edges:
        along = less(b, a)
        share = clip(-dot(a, along) / dot(along, along))
        gaps.append(norm([p + share * q for p, q in zip(a, along, strict=True)]))
    return _signed(gaps, [arb.atan2(a[0] * b[1] - a[1] * b[0], dot(a, b)) for a, b in edges])


def _on_globe(rings: Sequence[Sequence[list[arb]]], x: list[arb]) -> arb:
    """The angle to the nearest arc; the side by how far the corners turn around x, seen from there.

    That counts turns around x less those around −x; whatever is within 80° of a middle never holds both, and on the
    side of the antipodes it is told by being far.
    """
    arcs = [arc for ring in rings for arc in pairwise(ring)]
    gaps = [_to_arc(x, a, b) for a, b in arcs]
    middle = [sum((a[i] for a, _ in arcs), arb(0)) for i in range(3)]
    if dot(middle, x) < norm(middle) / 10:
        return _least(gaps)
    return _signed(gaps, [arb.atan2(dot(x, cross(a, b)), dot(a, b) - dot(a, x) * dot(b, x)) for a, b in arcs])


def _to_arc(x: list[arb], a: list[arb], b: list[arb]) -> arb:
    """The nearest of: both ends, and the foot (x less its part along the normal) if it is between them."""
    ends, normal = angle(x, a).min(angle(x, b)), cross(a, b)
    square = dot(normal, normal)
    if not square > 0:  # both ends are one place
        return ends
    foot = [p - dot(x, normal) / square * q for p, q in zip(x, normal, strict=True)]
    between = dot(cross(a, foot), normal), dot(cross(foot, b), normal)
    if between[0] < 0 or between[1] < 0:
        return ends
    height = (abs(dot(x, normal)) / square.sqrt()).min(arb(1)).asin()
    return height if between[0] > 0 and between[1] > 0 else height.union(ends)


def _least(numbers: Sequence[arb]) -> arb:
    best = numbers[0]
    for number in numbers[1:]:
        best = best.min(number)
    return best


def _signed(gaps: Sequence[arb], turns: Sequence[arb]) -> arb:
    """Negative where the turns are odd; of both signs where a point may be on the border."""
    gap = _least(gaps)
    turned = sum(turns, arb(0)) / (2 * arb.pi())
    whole = (turned + 0.5).floor().unique_fmpz() if turned.is_finite() else None
    if whole is None or not gap > 0:
        return gap.union(-gap)
    return -gap if int(whole) % 2 else gap


def rank(lattice: Sequence[float], s: arb) -> list[arb]:
    """How much of each cell lies before s; the sum is the row, counted in cells."""
    return [clip((s - ball(a)) / (ball(b) - ball(a))) for a, b in pairwise(lattice)]


def table_law(table: dict[str, Any], s: arb) -> list[arb]:
    """The interpolated integer weights of every letter, and in each cell what spare rows add.

    A spare row takes q·t·(1 − t)·(2 − t) from the row below and q·t·(1 − t)·(1 + t) from that above.
    """
    shares, rows = rank(table["lattice"], s), table["weights"]
    spare = table.get("spare") or {"rows": rows, "shares": [0] * len(shares)}
    found = [arb(first) for first in rows[0]]
    for i, (t, out_of_44) in enumerate(zip(shares, spare["shares"], strict=True)):
        bent = ball(Fraction(out_of_44, 1 << 44)) * t * (1 - t)
        for j in range(len(found)):
            below, above = (spare["rows"][k][j] - rows[k][j] for k in (i, i + 1))
            found[j] += t * (rows[i + 1][j] - rows[i][j]) + bent * ((2 - t) * below + (1 + t) * above)
    return found


def positions(grid: dict[str, Any], x: Value) -> list[arb]:
    """(x − origin)/step, clamped."""
    along = [(p - ball(o)) / ball(grid["step"]) for p, o in zip(point(grid["space"], x), grid["origin"], strict=True)]
    return [place.max(arb(-FARTHEST)).min(arb(FARTHEST)) for place in along]


def cell_law(grid: dict[str, Any], place: arb, cell: int) -> arb:
    """P[cell] on one axis, but for a constant: the hat of each neighbour times a^distance, as a sum over both.

    With t between i and i + 1 it is (1 − λ)·a^|c − i| + λ·a^|c − i − 1|; on both sides of a whole t that is one line.
    """
    a = 1 / (1 + ball(Fraction(*grid["theta"])))
    first, last = (math.floor(exactly(end)) for end in (place.lower(), place.upper()))
    found = [_between(place, i, cell, a) for i in range(first, last + 1)]
    hull = found[0]
    for part in found[1:]:
        hull = arb(hull.union(part))
    return hull


def _between(place: arb, i: int, cell: int, a: arb) -> arb:
    share = clip(place - i)
    return arb((1 - share) * a ** abs(cell - i) + share * a ** abs(cell - i - 1))


def axis_loss(grid: dict[str, Any], here: arb, there: arb) -> arb:
    """The largest |ln P[c]/P'[c]| over the cells c of one axis; beyond both places it does not change any more."""
    near = {math.floor(exactly(place)) + k for place in (here, there) for k in (-1, 0, 1, 2)}
    return greatest([abs(cell_law(grid, here, cell).log() - cell_law(grid, there, cell).log()) for cell in near])


def greatest(numbers: Sequence[arb]) -> arb:
    best = numbers[0]
    for number in numbers[1:]:
        best = best.max(number)
    return best
