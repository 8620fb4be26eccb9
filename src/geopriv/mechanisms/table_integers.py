"""A solved program as integers, and the exact check of what they promise."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from geopriv.checks import FloatArray
from geopriv.mechanisms.table_program import Program

Integers = npt.NDArray[np.int64]

TOTAL = 1 << 60  # the sum of every row of integer weights
LESS = 2e-5  # the part of ε kept for rounding
_FLOOR = 2.0**-38  # the least probability of a value that is used at all: rounding it to 2^-60 costs a part in 10^6


def worst_step(lattice: FloatArray, weights: Integers, rate: Fraction) -> tuple[Fraction, int, int]:
    """The largest |w_{i+1} − w_i|/(ε·δ_i·min(w_i, w_{i+1})), exactly, and the cell and value where it is.

    Linear interpolation has the slope (w_{i+1} − w_i)/δ_i on a cell and is at least the smaller end, so this is the
    largest |∂ ln K/∂s| over ε (theory T5): the promise holds if it is at most 1. Rows that do not sum to 2^60, and a
    value that is possible on one side of a cell only, count as an infinite loss.

    Args:
        lattice: increasing coordinates.
        weights: integers of shape (points, values).
        rate: ε.
    """
    broken = Fraction(10**9)
    places, rows = [Fraction(s) for s in lattice.tolist()], weights.tolist()
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


def _steepest(here: list[int], there: list[int]) -> tuple[int, int, int]:
    """|a − b| and min(a, b) of the value for which their ratio is largest, and that value; min 0 if it is infinite."""
    best, base, letter = 0, 1, 0
    for j, (a, b) in enumerate(zip(here, there, strict=True)):
        rise, low = abs(a - b), min(a, b)
        if low == 0 < rise:
            return 1, 0, j
        if rise * base > best * low:  # the fractions compared without dividing
            best, base, letter = rise, low, j
    return best, base, letter


def integers(program: Program) -> Integers:
    """Integer weights in which neighbouring rows keep the ratios that the program allows.

    The solver's violations are tiny but absolute, hence large beside tiny probabilities. So unused values are dropped,
    and each other column is replaced by its least majorant above a small floor that keeps 1 + c in every cell. (The
    larger of two columns that keep it keeps it.) Then only relative errors are left, from normalising the rows, from
    rounding, and from what the largest entry of a row takes up. They are what a part of ε was kept for.
    """
    used = program.probabilities.max(axis=0) > 1e-7
    columns = np.maximum(program.probabilities[:, used], _FLOOR)
    keep = 1 / (1 + np.diff(program.lattice) * (1 - LESS))
    for i in range(len(columns) - 1):
        columns[i + 1] = np.maximum(columns[i + 1], columns[i] * keep[i])
    for i in reversed(range(len(columns) - 1)):
        columns[i] = np.maximum(columns[i], columns[i + 1] * keep[i])
    columns /= columns.sum(axis=1, keepdims=True)
    weights = np.zeros(program.probabilities.shape, dtype=np.int64)
    weights[:, used] = np.rint(columns * TOTAL).astype(np.int64)
    rows = np.arange(len(weights))
    weights[rows, weights.argmax(axis=1)] += TOTAL - weights.sum(axis=1)
    return weights
