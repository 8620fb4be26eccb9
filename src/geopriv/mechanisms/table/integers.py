"""A solved program as integers, and the exact check of what they promise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from geopriv.device import tables
from geopriv.mechanisms.table.program import Program
from geopriv.spaces.checks import FloatArray

TOTAL = tables.TOTAL  # the sum of every row of integer weights

Integers = npt.NDArray[np.int64]

LESS = 2e-5  # the part of ε kept for rounding
_FLOOR = 2.0**-38  # the least probability of a value that is used at all: rounding it to 2^-60 costs a part in 10^6


def worst_step(lattice: FloatArray, weights: Integers, rate: Fraction) -> tuple[Fraction, int, int]:
    """`geopriv.device.tables.worst_step`, the check that devices make, on arrays."""
    return tables.worst_step(lattice.tolist(), weights.tolist(), rate)


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
