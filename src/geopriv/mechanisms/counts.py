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
    numbering = _Numbering.of(rows)
    if numbering is None:
        order = np.lexsort(rows.T[::-1])
        rows, times = rows[order], times[order]
        starts = _starts((rows[1:] != rows[:-1]).any(axis=1), len(rows))
        return Counts(rows[starts], _summed(times, starts))
    keys = numbering.keys(rows)
    if (times == 1).all():
        keys.sort()  # several times faster than to find the order
    else:
        order = np.argsort(keys)
        keys, times = keys[order], times[order]
    starts = _starts(keys[1:] != keys[:-1], len(keys))
    return Counts(numbering.rows(keys[starts]), _summed(times, starts))


def _starts(changes: npt.NDArray[np.bool_], size: int) -> Integers:
    """Where each distinct report begins, among sorted ones."""
    return np.flatnonzero(np.concatenate([np.ones(min(size, 1), dtype=np.bool_), changes]))


def _summed(times: Integers, starts: Integers) -> Integers:
    return np.add.reduceat(times, starts) if starts.size else times


@dataclass(frozen=True)
class _Numbering:
    """One number a row, in the order of the rows.

    >>> rows = np.array([[-2, 5], [1, 4], [-2, 4]])
    >>> numbering = _Numbering.of(rows)
    >>> numbering.keys(rows).tolist(), numbering.rows(np.array([0, 1, 6])).tolist()
    ([1, 6, 0], [[-2, 4], [-2, 5], [1, 4]])
    """

    low: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, rows: Integers) -> _Numbering | None:
        """None where 64 bits do not hold it."""
        if not rows.size:
            return None
        low, high = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        sizes = tuple(last - first + 1 for first, last in zip(low, high, strict=True))  # Python's, which never wrap
        return None if math.prod(sizes) > _MOST else cls(tuple(low), sizes)

    def keys(self, rows: Integers) -> Integers:
        """The numbers of rows."""
        keys = np.zeros(len(rows), dtype=np.int64)
        for k, (first, size) in enumerate(zip(self.low, self.sizes, strict=True)):
            keys *= size
            keys += rows[:, k] - first
        return keys

    def rows(self, keys: Integers) -> Integers:
        """The rows of numbers."""
        rows, rest = np.empty((len(keys), len(self.sizes)), dtype=np.int64), keys
        for k in range(len(self.sizes) - 1, -1, -1):
            rest, rows[:, k] = np.divmod(rest, self.sizes[k])
            rows[:, k] += self.low[k]
        return rows
