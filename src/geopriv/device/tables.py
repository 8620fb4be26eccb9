"""The exact check of what a table of integers promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

TOTAL = 1 << 60  # the sum of every row of integer weights
SHARES = 1 << 44  # of which a cell's share is a part
MOST_SHARE = SHARES >> 4  # four bits tell of most reports that no further coins are tossed
NARROWEST = 2.0**-40  # cell of a table, in units and in 1/ε: then some hundred bits of a coordinate tell its row
_BROKEN = Fraction(10**9)


def narrow(lattice: Sequence[float], epsilon: float) -> bool:
    """Whether a cell is so narrow that telling where in it a coordinate lies would take long.

    Nobody has a use for it: over such a cell the law changes by a factor of at most 1 + 2^-40, or a unit is said to be
    worth a billion billions of what anyone measures in it.
    """
    floor = NARROWEST * max(1.0, 1.0 / epsilon)
    return any(not b - a >= floor for a, b in pairwise(lattice))


@dataclass(frozen=True)
class SpareRows:
    """Further rows of a table, one a lattice point, and how often a cell looks at them.

    Args:
        rows: integer weights, one row a lattice point.
        shares: q of each cell, as a whole number out of 2^44, at most 2^40: further coins are tossed with that chance.
    """

    rows: Sequence[Sequence[int]]
    shares: Sequence[int]


def worst_step(
    lattice: Sequence[float], rows: Sequence[Sequence[int]], rate: Fraction, spare: SpareRows | None = None
) -> tuple[Fraction, int, int]:
    """The largest |∂ ln K/∂s| over ε that a table can have, exactly, and the cell and value where it is.

    Without spare rows it is |w_{i+1} − w_i|/(ε·δ_i·min(w_i, w_{i+1})): linear interpolation has one slope on a cell and
    is at least the smaller end (theory T5). With them K and its slope are cubics on a cell, and it is the largest
    quotient of their Bernstein coefficients (theory T5″). The promise holds if it is at most 1. Rows that do not sum to
    2^60, and a value that is possible on one side of a cell only, count as an infinite loss.

    Args:
        lattice: increasing coordinates.
        rows: integer weights, one row a point.
        rate: ε.
        spare: further rows.
    """
    worst = Fraction(0), 0, 0
    for i, row in enumerate((*rows, *(spare.rows if spare else ()))):
        if sum(row) != TOTAL or min(row) < 0:
            return _BROKEN, min(i % len(rows), len(rows) - 2), 0
    if spare and not all(0 <= share <= MOST_SHARE for share in spare.shares):
        return _BROKEN, 0, 0
    places = [Fraction(s) for s in lattice]
    for i, (here, there) in enumerate(pairwise(rows)):
        rise, low, letter = _bent(rows, spare, i) if spare else _steepest(here, there)
        step = Fraction(rise, low) / (rate * (places[i + 1] - places[i])) if low else _BROKEN * rise
        if step > worst[0]:
            worst = step, i, letter
    return worst


def _bent(rows: Sequence[Sequence[int]], spare: SpareRows, cell: int) -> tuple[int, int, int]:
    """Rise and base of the value for which their ratio is largest, of a cell with spare rows; see `coefficients`."""
    best, base, letter = 0, 1, 0
    ends = rows[cell], rows[cell + 1], spare.rows[cell], spare.rows[cell + 1]
    for j, four in enumerate(zip(*ends, strict=True)):
        for low, slope in coefficients(*four, spare.shares[cell]):
            rise = abs(slope)
            if low == 0 < rise:
                return 1, 0, j
            if rise * base > best * low:
                best, base, letter = rise, low, j
    return best, base, letter


def coefficients(a: int, b: int, v: int, w: int, share: int) -> tuple[tuple[int, int], ...]:
    """The Bernstein coefficients of K and of K' on a cell, both as cubics in t, times 3·2^44.

    K = λ₀·a + λ₁·b + D₀·v + D₁·w has (a, (2A + B)/3, (A + 2B)/3, b) with A = (1 − q)·a + q·v and B = (1 − q)·b + q·w,
    and its derivative (2A + B − 3a, B − a, b − A, 3b − A − 2B). A cubic is a mean of its coefficients, so |K'| ≤ x·K on
    the whole cell where it is so of each pair of them.

    Args:
        a: the weight at the cell's lower end.
        b: at its upper end.
        v: in the spare row of the lower end.
        w: in that of the upper end.
        share: q, out of 2^44.
    """
    rest = SHARES - share
    first, second = rest * a + share * v, rest * b + share * w
    left, right = SHARES * a, SHARES * b
    return (
        (3 * left, 3 * (2 * first + second - 3 * left)),
        (2 * first + second, 3 * (second - left)),
        (first + 2 * second, 3 * (right - first)),
        (3 * right, 3 * (3 * right - first - 2 * second)),
    )


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
