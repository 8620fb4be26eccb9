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

__all__ = ["arb", "cells_of", "clip", "greatest", "interpolated", "length", "total"]


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
