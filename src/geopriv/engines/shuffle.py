"""Rows of whole numbers in the order of their keys, at constant memory.

The first two numbers of a row are its key. Rows come back sorted by key, the first of those with one key only. So where
keys are independent of the order in which rows came, the order in which they leave is too: it is a function of the set
of keys and of nothing else. (Among rows of one key, which are one person's, the first to come stays.)

Up to RUN rows stay in memory. Beyond, runs of RUN rows go to one file, each sorted by the first byte of the key, so
that the rows of any range of first bytes can be fetched, sorted and given back while the others stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.uint64]

RUN = 1 << 20  # rows in memory before they go to the file
GROUP = 1 << 18  # rows that leave at once, at least; a 256th of all rows more at most
_BUCKETS = 256
_SHIFT = np.uint64(56)


class Shuffle:
    """Takes rows in any order, and gives them back in the order of their keys.

    Args:
        path: of the file, if one is needed.
        width: numbers in a row.
        run: rows that stay in memory.
    """

    def __init__(self, path: Path, width: int, run: int = RUN) -> None:
        self._path, self._width, self._run = path, width, run
        self._waiting: list[Rows] = []
        self._starts: list[npt.NDArray[np.int64]] = []  # of each run: where in the file each bucket begins, and the end
        self.rows = 0
        self.repeated = 0

    def add(self, rows: Rows) -> None:
        """Take rows of shape (n, width)."""
        self._waiting.append(rows)
        self.rows += len(rows)
        if sum(map(len, self._waiting)) >= self._run:
            self._spill()

    def sorted(self) -> Iterator[Rows]:
        """All rows by key, each key once, in groups; how many others there were is counted in `repeated`."""
        if not self._starts:
            yield self._in_order(self._waiting)
            return
        if self._waiting:
            self._spill()
        starts = np.array(self._starts)
        sizes = np.diff(starts, axis=1).sum(axis=0)
        with self._path.open("rb") as file:
            first = 0
            for bucket in range(_BUCKETS):
                if sizes[first : bucket + 1].sum() >= GROUP or bucket == _BUCKETS - 1:
                    ends = zip(starts[:, first].tolist(), starts[:, bucket + 1].tolist(), strict=True)
                    yield self._in_order([self._fetch(file, *end) for end in ends])
                    first = bucket + 1

    def _spill(self) -> None:
        rows = np.concatenate(self._waiting)
        buckets = (rows[:, 0] >> _SHIFT).astype(np.uint8)
        done = int(self._starts[-1][-1]) if self._starts else 0
        counts = np.bincount(buckets, minlength=_BUCKETS)
        self._starts.append(done + np.concatenate([[0], np.cumsum(counts)]))
        with self._path.open("ab") as file:
            file.write(rows.take(np.argsort(buckets, kind="stable"), axis=0).data)
        self._waiting = []

    def _fetch(self, file: BufferedReader, start: int, end: int) -> Rows:
        rows = np.empty((end - start, self._width), dtype=np.uint64)
        file.seek(start * 8 * self._width)
        if file.readinto(rows.data) != rows.nbytes:
            raise OSError("A temporary file of reports was cut off.")
        return rows

    def _in_order(self, parts: list[Rows]) -> Rows:
        rows = np.concatenate(parts) if parts else np.empty((0, self._width), dtype=np.uint64)
        # sorting is stable, and parts are in the order in which they came: the first row of a key stays the first
        rows = rows.take(np.lexsort((rows[:, 1], rows[:, 0])), axis=0)
        fresh = np.ones(len(rows), dtype=np.bool_)
        fresh[1:] = (rows[1:, :2] != rows[:-1, :2]).any(axis=1)
        self.repeated += len(rows) - int(fresh.sum())
        return rows if fresh.all() else rows[fresh]
