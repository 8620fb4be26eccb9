"""Rows of whole numbers in the order of their keys, at constant memory.

The first two numbers of a row are its key. Rows come back sorted by key, the first of those with one key only. So where
keys are independent of the order in which rows came, the order in which they leave is too: it is a function of the set
of keys and of nothing else. (Among rows of one key, which are one person's, the first to come stays, or else one that
does not depend on which came first.)

Up to RUN rows stay in memory. Beyond, runs of RUN rows go to one file, each sorted by the first byte of the key, so
that the rows of any range of first bytes can be fetched, sorted and given back while the others stay where they are.
Where keys repeat, a run keeps the first row of each, so that no range is long because of one person with many rows.

Rows leave in groups of one length: were groups cut where ranges end, a short one would say that its last range held
many rows of somebody, and hence about where that person's report is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.uint64]

RUN = 1 << 19  # rows in memory before they go to the file
GROUP = 1 << 18  # rows that leave at once, but for the last
_BUCKETS = 256
_SHIFT = np.uint64(56)


class Shuffle:
    """Takes rows in any order, and gives them back in the order of their keys.

    Args:
        path: of the file, if one is needed.
        width: numbers in a row.
        repeats: which row of a key stays: the "first" to come, or the "least" by the numbers behind the key, which does
            not depend on the order of coming. "none" where no key comes twice, which saves a sorting.
    """

    def __init__(self, path: Path, width: int, repeats: Literal["first", "least", "none"] = "first") -> None:
        self._path, self._repeats = path, repeats
        self._held, self._count = np.empty((RUN, width), dtype=np.uint64), 0
        self._starts: list[npt.NDArray[np.int64]] = []  # of each run: where in the file each bucket begins, and the end
        self.rows = 0
        self.repeated = 0

    def add(self, rows: Rows) -> None:
        """Take rows of shape (n, width)."""
        self.rows += len(rows)
        while len(rows):
            if self._count == len(self._held):
                self._spill()
            piece = rows[: len(self._held) - self._count]
            self._held[self._count : self._count + len(piece)] = piece
            self._count += len(piece)
            rows = rows[len(piece) :]

    def sorted(self) -> Iterator[Rows]:
        """All rows by key, each key once, in groups; how many others there were is counted in `repeated`."""
        return _even(self._ranges())

    def _ranges(self) -> Iterator[Rows]:
        if not self._starts:
            yield self._in_order(self._held[: self._count])
            return
        self._spill()
        starts = np.array(self._starts)
        sizes = np.diff(starts, axis=1).sum(axis=0)
        with self._path.open("rb") as file:
            first = 0
            for bucket in range(_BUCKETS):
                if sizes[first : bucket + 1].sum() >= GROUP or bucket == _BUCKETS - 1:
                    yield self._in_order(self._fetch(file, starts[:, first], starts[:, bucket + 1]))
                    first = bucket + 1

    def _spill(self) -> None:
        rows = self._held[: self._count]
        if self._repeats != "none":
            rows = self._in_order(rows)
        buckets = (rows[:, 0] >> _SHIFT).astype(np.uint8)
        done = int(self._starts[-1][-1]) if self._starts else 0
        counts = np.bincount(buckets, minlength=_BUCKETS)
        self._starts.append(done + np.concatenate([[0], np.cumsum(counts)]))
        with self._path.open("ab") as file:
            file.write(rows.take(np.argsort(buckets, kind="stable"), axis=0).data)
        self._count = 0

    def _fetch(self, file: BufferedReader, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Rows:
        """Rows from so many places in the file, one after the other: in the order in which they came."""
        width, done = self._held.shape[1], 0
        rows = np.empty((int((ends - starts).sum()), width), dtype=np.uint64)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            part = rows[done : done + end - start]
            file.seek(start * 8 * width)
            if file.readinto(part.data) != part.nbytes:
                raise OSError("A temporary file of reports was cut off.")
            done += len(part)
        return rows

    def _in_order(self, rows: Rows) -> Rows:
        # sorting is stable, so of one key the row that came first stays the first
        rows = rows.take(_order(rows, self._repeats == "least"), axis=0)
        fresh = np.ones(len(rows), dtype=np.bool_)
        fresh[1:] = (rows[1:, 0] != rows[:-1, 0]) | (rows[1:, 1] != rows[:-1, 1])
        self.repeated += len(rows) - int(fresh.sum())
        return rows if fresh.all() else rows[fresh]


def _even(pieces: Iterable[Rows]) -> Iterator[Rows]:
    """The same rows in groups whose lengths tell how many rows there are in all, and nothing else."""
    left: Rows | None = None
    for piece in pieces:
        rows = piece if left is None else np.concatenate([left, piece])
        whole = len(rows) // GROUP * GROUP
        yield from (rows[start : start + GROUP] for start in range(0, whole, GROUP))
        left = rows[whole:]
    if left is not None and len(left):
        yield left


def _order(rows: Rows, least: bool) -> npt.NDArray[np.intp]:
    """How to sort keys by both halves; the second almost never counts, and sorting by both takes twice as long."""
    order = np.argsort(rows[:, 0], kind="stable")
    high, low = rows[order, 0], rows[order, 1]
    same = high[1:] == high[:-1]
    if least and same.any():
        return np.lexsort((*rows.T[:1:-1], rows[:, 1], rows[:, 0]))
    if (same & (low[1:] != low[:-1])).any():
        return np.lexsort((rows[:, 1], rows[:, 0]))
    return order
