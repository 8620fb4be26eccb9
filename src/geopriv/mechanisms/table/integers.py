"""A solved program as integers, and the exact check of what they promise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from geopriv.device import tables
from geopriv.mechanisms.table.program import Program
from geopriv.mechanisms.table.spare import Integers, SpareRows
from geopriv.spaces.checks import FloatArray

TOTAL = tables.TOTAL  # the sum of every row of integer weights

LESS = 2e-5  # the part of ε kept for rounding
_FLOOR = 2.0**-38  # the least probability of a value that is used at all: rounding it to 2^-60 costs a part in 10^6


def worst_step(
    lattice: FloatArray, weights: Integers, rate: Fraction, spare: SpareRows | None = None
) -> tuple[Fraction, int, int]:
    """`geopriv.device.tables.worst_step`, the check that devices make, on arrays."""
    further = None if spare is None else tables.SpareRows(spare.rows.tolist(), spare.shares.tolist())
    return tables.worst_step(lattice.tolist(), weights.tolist(), rate, further)


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
    return _rounded(columns, used)


def spare_integers(lattice: FloatArray, chances: FloatArray, shares: Integers) -> Integers:
    """Integer weights of rows and spare rows, shape (2, points, values), that keep what their program keeps.

    Unused values are dropped, and a small floor is added to each other column: a constant has a slope of 0, so that is
    a part of its height of slack in every cell, more than the solver's errors and what rounding takes; a larger floor
    where it is not. What normalising the rows and the largest entry of a row take up are relative errors, which a part
    of ε was kept for.

    Args:
        lattice: increasing coordinates in units of 1/ε.
        chances: probabilities, of the same shape.
        shares: of the cells.
    """
    used = chances.max(axis=(0, 1)) > 1e-7
    columns = chances[..., used].reshape(-1, int(used.sum()))
    for floor in _FLOOR * 16.0 ** np.arange(4):
        weights = _rounded(columns + floor, used).reshape(chances.shape)
        if worst_step(lattice, weights[0], Fraction(1), SpareRows(weights[1], shares))[0] <= 1 - Fraction(LESS) / 2:
            break
    return weights


def _rounded(columns: FloatArray, used: npt.NDArray[np.bool_]) -> Integers:
    """Rows of sum 2^60; the largest entry of each takes up what rounding leaves."""
    columns = columns / columns.sum(axis=1, keepdims=True)
    weights = np.zeros((len(columns), used.size), dtype=np.int64)
    weights[:, used] = np.rint(columns * TOTAL).astype(np.int64)
    rows = np.arange(len(weights))
    weights[rows, weights.argmax(axis=1)] += TOTAL - weights.sum(axis=1)
    return weights
