"""Ball arithmetic, loaded when the first ball is made: who calibrates and simulates need not wait for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geopriv.spaces.checks import FloatArray

if TYPE_CHECKING:
    from flint import arb
else:

    class _Arb:
        """`flint.arb`: a real number as an interval that holds it, at the precision of `flint.ctx`."""

        def __call__(self, *parts: Any) -> Any:
            import flint

            return flint.arb(*parts)

        def __getattr__(self, name: str) -> Any:
            import flint

            return getattr(flint.arb, name)

    arb = _Arb()

__all__ = [
    "angle",
    "arb",
    "cells_of",
    "clip",
    "cross",
    "dot",
    "greatest",
    "interpolated",
    "length",
    "precision",
    "total",
    "turn",
    "unit_vector",
]


def interpolated(nodes: FloatArray, values: FloatArray, t: arb) -> arb:
    """Straight lines between the nodes, constant outside: the hull of what every cell that t touches gives."""
    cells = cells_of(nodes, t)
    result = _on_cell(nodes, values, cells[0], t)
    for cell in cells[1:]:
        result = result.union(_on_cell(nodes, values, cell, t))
    return result


def cells_of(nodes: FloatArray, t: arb) -> range:
    """The cells between nodes in which t can lie; the nearest one outside."""
    # one float further on each side, for what the conversion may have rounded
    ends = np.nextafter(float(t.lower()), -np.inf), np.nextafter(float(t.upper()), np.inf)
    first, last = np.clip(np.searchsorted(nodes, ends, side="right") - 1, 0, nodes.size - 2).tolist()
    return range(first, last + 1)


def _on_cell(nodes: FloatArray, values: FloatArray, cell: int, t: arb) -> arb:
    a, b, c, d = (arb(float(number)) for number in (*nodes[cell : cell + 2], *values[cell : cell + 2]))
    return c + (d - c) * clip((t - a) / (b - a))


def clip(t: arb) -> arb:
    """T between 0 and 1."""
    return t.max(arb(0)).min(arb(1))


def total(terms: Iterable[arb]) -> arb:
    """The sum."""
    return sum(terms, arb(0))


def length(vector: Sequence[arb]) -> arb:
    """The Euclidean length."""
    if len(vector) == 1:
        return abs(vector[0])
    # products, since the power of a ball around 0 is not a number
    return total(a * a for a in vector).nonnegative_part().sqrt()


def greatest(balls: Sequence[arb]) -> arb:
    """The largest of several numbers."""
    best = balls[0]
    for ball in balls[1:]:
        best = best.max(ball)
    return best


def dot(a: Sequence[arb], b: Sequence[arb]) -> arb:
    """The inner product."""
    return total(p * q for p, q in zip(a, b, strict=True))


def cross(a: Sequence[arb], b: Sequence[arb]) -> list[arb]:
    """The vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit_vector(place: Sequence[float]) -> list[arb]:
    """(latitude, longitude) in degrees as a unit vector of R³."""
    (up, out), (sine, cosine) = ((arb(degrees) / 180).sin_cos_pi() for degrees in place)
    return [out * cosine, out * sine, up]


def angle(a: Sequence[arb], b: Sequence[arb]) -> arb:
    """The angle between two unit vectors, by Kahan's formula."""
    apart = length([p - q for p, q in zip(a, b, strict=True)])
    together = length([p + q for p, q in zip(a, b, strict=True)])
    return 2 * turn(apart, together)


def turn(opposite: arb, adjacent: arb) -> arb:
    """arctan(opposite/adjacent) for two lengths that are not both 0, in [0, π/2]."""
    return arb.atan2(opposite, adjacent).max(0).min(arb.pi() / 2)


def precision() -> int:
    """How many bits the arithmetic has."""
    from flint import ctx

    return ctx.prec
