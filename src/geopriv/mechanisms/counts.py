"""How often each report came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


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
    order = np.lexsort(rows.T[::-1])
    rows, times = rows[order], times[order]
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    return Counts(rows[starts], np.add.reduceat(times, starts) if starts.size else times)
