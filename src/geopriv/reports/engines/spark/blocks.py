"""Rows of whole numbers on their way through Spark: in blocks of bytes by the first bits of an id, not one by one.

Spark takes longer to move a row than we take to draw a report. And a block costs it no more than a row.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from geopriv.reports.engines.shuffle import Rows, Shuffle

BLOCK = "bucket int, rows binary"
_TOGETHER = 1 << 18  # rows that are put into buckets at once
_NOTE = -1  # the bucket of what is no block


def in_blocks(pieces: Iterator[Rows], bits: int) -> Iterator[pa.RecordBatch]:
    """Rows in blocks; a row's bucket is the first bits, at most 16, of its first number."""
    waiting: list[Rows] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(map(len, waiting)) >= _TOGETHER:
            yield from _blocks(np.concatenate(waiting), bits)
            waiting = []
    if waiting:
        yield from _blocks(np.concatenate(waiting), bits)


def note(text: bytes) -> pa.RecordBatch:
    """A note, which goes to one of the partitions."""
    return pa.RecordBatch.from_pydict({"bucket": pa.array([_NOTE], pa.int32()), "rows": pa.array([text], pa.binary())})


def from_blocks(batch: pa.RecordBatch, width: int) -> tuple[Rows, list[bytes]]:
    """The rows of a batch of blocks, and the notes among them."""
    buckets, data = batch.column("bucket").to_pylist(), batch.column("rows").to_pylist()
    notes = [text for bucket, text in zip(buckets, data, strict=True) if bucket == _NOTE]
    if notes:
        data = [rows for bucket, rows in zip(buckets, data, strict=True) if bucket != _NOTE]
    return np.frombuffer(b"".join(data), dtype=np.uint64).reshape(-1, width), notes


@contextmanager
def shuffling(width: int) -> Iterator[Shuffle]:
    """A place to sort a partition's rows by id, of which the least row of each stays: a frame has no first row."""
    # Spark's own folder for temporary files: on a disk that was meant for them, and removed with the executor, even
    # where this process is killed
    disks = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    with tempfile.TemporaryDirectory(dir=disks[os.getpid() % len(disks)] or None) as folder:
        yield Shuffle(Path(folder) / "rows", width, repeats="least")


def hashed(numbers: Rows) -> Rows:
    """A column of numbers in no order of size: the least of them belongs neither to the least nor the largest row."""
    mixed = np.zeros(len(numbers), dtype=np.uint64)
    for column in numbers.T:
        mixed = (mixed ^ column) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed * np.uint64(0xBF58476D1CE4E5B9))[:, None]


def ordered(numbers: npt.NDArray[np.int64]) -> Rows:
    """Numbers with a sign as some without, in the same order."""
    return np.ascontiguousarray(numbers).view(np.uint64) ^ np.uint64(1 << 63)


def signed(numbers: Rows) -> npt.NDArray[np.int64]:
    """The reverse of `ordered`."""
    return (numbers ^ np.uint64(1 << 63)).view(np.int64)


def _blocks(rows: Rows, bits: int) -> Iterator[pa.RecordBatch]:
    """So many at once that they fit in a batch, however large the ones of Spark are."""
    for start in range(0, len(rows), _TOGETHER):
        part = rows[start : start + _TOGETHER]
        buckets = (part[:, 0] >> np.uint64(64 - bits)).astype(np.uint16)
        order = np.argsort(buckets, kind="stable")
        found, starts = np.unique(buckets[order], return_index=True)
        ends = np.append(starts, len(part)) * part[0].nbytes
        data = [pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(part.take(order, axis=0))]
        blocks = pa.Array.from_buffers(pa.binary(), len(found), [None, *data])
        yield pa.RecordBatch.from_arrays([pa.array(found.astype(np.int32)), blocks], ["bucket", "rows"])
