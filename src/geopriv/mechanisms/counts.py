"""How often each report came."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

_MOST = 1 << 63  # different numbers that 64 bits hold, from 0 on


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each report came, of those to one mechanism.

    Args:
        rows: distinct reports in lexicographic order, shape (m, axes): symbols of a Table, cells of a Lattice.
        times: how often each came, shape (m,).
    """

    rows: Integers
    times: Integers

    @property
    def n(self) -> int:
        """Reports in all."""
        return int(self.times.sum())


def merged(parts: list[Counts]) -> Counts:
    """Every report once, in lexicographic order."""
    rows, times = np.concatenate([part.rows for part in parts]), np.concatenate([part.times for part in parts])
    keys = _keys(rows)
    order = np.lexsort(rows.T[::-1]) if keys is None else np.argsort(keys)
    rows, times = rows[order], times[order]
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1) if keys is None else np.diff(keys[order]) > 0
    starts = np.flatnonzero(fresh)
    return Counts(rows[starts], np.add.reduceat(times, starts) if starts.size else times)


def _keys(rows: Integers) -> Integers | None:
    """One number a row in the order of the rows, which sorts several times faster; None where 64 bits do not hold it.

    >>> _keys(np.array([[-2, 5], [1, 4], [-2, 4]])).tolist()
    [1, 6, 0]
    """
    if not rows.size:
        return None
    low, high = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
    sizes = [last - first + 1 for first, last in zip(low, high, strict=True)]  # as Python's, which do not wrap around
    if math.prod(sizes) > _MOST:
        return None
    keys = np.zeros(len(rows), dtype=np.int64)
    for k, (first, size) in enumerate(zip(low, sizes, strict=True)):
        keys *= size
        keys += rows[:, k] - first
    return keys
