"""The float filter of shared reports: which letter of which table, from float coordinates and their errors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geopriv.noise.filters import CERTAIN, MORE, UNKNOWN, Status, Words
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.compiled import compiled

Codes = npt.NDArray[np.uint16]
Numbers = npt.NDArray[np.int64]
# lattices one after the other and where each begins; rows of μ·(running sums) likewise; letters of each; ε
Lookup = tuple[FloatArray, Numbers, FloatArray, Numbers, Numbers, float]

_REL = 2.0**-46  # of a sum: weights, shares and their products are right to a few times 2^-53
_ABS = 2.0**-50  # of U


@compiled
def _cell(lattice: FloatArray, start: int, end: int, s: float) -> tuple[int, float]:
    """The cell of a coordinate, as the number of its first point, and how far along it is; the nearest end outside."""
    low, high = start, end - 1
    while high - low > 1:
        middle = (low + high) // 2
        if lattice[middle] <= s:
            low = middle
        else:
            high = middle
    a, b = lattice[low], lattice[low + 1]
    if b - a == np.inf:  # halves: the width of the cell is beyond all floats
        s, a, b = s / 2, a / 2, b / 2
    return low, min(max((s - a) / (b - a), 0.0), 1.0)


@compiled
def codes(words: Words, s: FloatArray, off: FloatArray, table: Lookup, code: Codes, status: Status) -> None:
    """The report of each person in floats, and whether it is certain.

    Guarantee: a report is certain only if every coordinate within `off` and every U with these 64 bits have it. The
    chance of some letters of a table changes by a factor of at most e^(ε·off) (theory T5, verified of each table), so
    a running sum T, of what tables before say and of letters of this one, is off by less than Σ P·2·ε·off where
    ε·off ≤ 1/4, and by its roundings. U must be clear of the sums on both sides; what is not a number is clear of none.
    """
    lattice, starts, sums, rows, letters, rate = table
    for i in range(s.shape[0]):
        u = (float(words[i, 0]) + 0.5) * 2.0**-64
        before, wrong, found, clear = 0.0, 0.0, -1, True
        first = 1
        for j in range(letters.size):
            cell, share = _cell(lattice, starts[j], starts[j + 1], s[i, j])
            here = rows[j] + (cell - starts[j]) * letters[j]
            there, last = here + letters[j], letters[j] - 1
            loose = 2.0 * rate * off[i, j] + _REL
            whole = (1 - share) * sums[here + last] + share * sums[there + last]
            if found < 0 and u < before + whole:
                k, part, under = 0, 0.0, 0.0
                while k <= last:
                    part = (1 - share) * sums[here + k] + share * sums[there + k]
                    if u < before + part:
                        break
                    under = part
                    k += 1
                found = first + min(k, last)
                gap = min(before + part - u, u - before - under)
                room = MORE * (wrong + part * loose + _ABS + before * _REL)
                clear = clear and rate * off[i, j] <= 0.25 and gap > room
            if found < 0:
                clear = clear and rate * off[i, j] <= 0.25
            before += whole
            wrong += whole * loose
            first += letters[j]
        if found < 0:
            found = 0
            clear = clear and u - before > MORE * (wrong + _ABS + before * _REL)
        code[i] = found
        status[i] = CERTAIN if clear else UNKNOWN
