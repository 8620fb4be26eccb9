"""The exact check of what a table of integers promises."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

TOTAL = 1 << 60  # the sum of every row of integer weights
NARROWEST = 2.0**-40  # cell of a table, in units and in 1/ε: then some hundred bits of a coordinate tell its row


def narrow(lattice: Sequence[float], epsilon: float) -> bool:
    """Whether a cell is so narrow that telling where in it a coordinate lies would take long.

    Nobody has a use for it: over such a cell the law changes by a factor of at most 1 + 2^-40, or a unit is said to be
    worth a billion billions of what anyone measures in it.
    """
    floor = NARROWEST * max(1.0, 1.0 / epsilon)
    return any(not b - a >= floor for a, b in pairwise(lattice))


def worst_step(lattice: Sequence[float], rows: Sequence[Sequence[int]], rate: Fraction) -> tuple[Fraction, int, int]:
    """The largest |w_{i+1} − w_i|/(ε·δ_i·min(w_i, w_{i+1})), exactly, and the cell and value where it is.

    Linear interpolation has the slope (w_{i+1} − w_i)/δ_i on a cell and is at least the smaller end, so this is the
    largest |∂ ln K/∂s| over ε (theory T5): the promise holds if it is at most 1. Rows that do not sum to 2^60, and a
    value that is possible on one side of a cell only, count as an infinite loss.

    Args:
        lattice: increasing coordinates.
        rows: integer weights, one row a point.
        rate: ε.
    """
    broken = Fraction(10**9)
    places = [Fraction(s) for s in lattice]
    worst = Fraction(0), 0, 0
    for i, row in enumerate(rows):
        if sum(row) != TOTAL or min(row) < 0:
            return broken, min(i, len(rows) - 2), 0
    for i, (here, there) in enumerate(pairwise(rows)):
        rise, low, letter = _steepest(here, there)
        step = Fraction(rise, low) / (rate * (places[i + 1] - places[i])) if low else broken * rise
        if step > worst[0]:
            worst = step, i, letter
    return worst


def _steepest(here: Sequence[int], there: Sequence[int]) -> tuple[int, int, int]:
    """|a − b| and min(a, b) of the value for which their ratio is largest, and that value; min 0 if it is infinite."""
    best, base, letter = 0, 1, 0
    for j, (a, b) in enumerate(zip(here, there, strict=True)):
        rise, low = abs(a - b), min(a, b)
        if low == 0 < rise:
            return 1, 0, j
        if rise * base > best * low:  # the fractions compared without dividing
            best, base, letter = rise, low, j
    return best, base, letter
