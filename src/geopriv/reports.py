"""Files of reports: what is in them, and how they are written, as NDJSON and Parquet."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from geopriv.checks import count, invalid
from geopriv.design import Design
from geopriv.device.files import canonical, replacing
from geopriv.errors import ReportRejected
from geopriv.mechanisms import Lattice, Table

Integers = npt.NDArray[np.int64]

COLUMNS = pa.schema(
    [("design", pa.string()), ("id", pa.string()), ("mechanism", pa.int32()), ("report", pa.list_(pa.int64()))]
)
ID = re.compile(r"[0-9a-f]{32}")
_FARTHEST = 1 << 53  # cells of a lattice that floats tell apart


@dataclass(frozen=True, eq=False)
class ReportBatch:
    """Reports to one mechanism of a design.

    Args:
        mechanism: its index in the design.
        rows: whole numbers of shape (n, 1) for a Table (indices of values) or (n, d) for a Lattice (cells).
        ids: of the reports, 32 hexadecimal digits each; by default random.
    """

    mechanism: int
    rows: Integers
    ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count("ReportBatch", "mechanism", self.mechanism, least=0)
        if self.rows.ndim != 2 or self.rows.dtype != np.int64:
            raise invalid("ReportBatch", "rows", "64-bit integers of shape (n, axes)", self.rows.shape)
        if not self.ids:
            drawn = os.urandom(16 * len(self.rows)).hex()
            object.__setattr__(self, "ids", tuple(drawn[i : i + 32] for i in range(0, len(drawn), 32)))
        if len(self.ids) != len(self.rows):
            raise invalid("ReportBatch", "ids", f"one for each of {len(self.rows)} reports", len(self.ids))

    def __len__(self) -> int:
        return len(self.rows)


def write_reports(path: str | os.PathLike[str], design: Design, batches: Iterable[ReportBatch]) -> int:
    """Write reports as Parquet (".parquet") or NDJSON, batch by batch; how many. The file is there whole or not at all.

    Raises:
        ReportRejected: for a report that cannot have come from the design.
    """
    write = _write_parquet if Path(path).suffix == ".parquet" else _write_ndjson
    with replacing(path) as fresh:
        return write(fresh, design, (_checked(design, batch) for batch in batches))


def _write_ndjson(path: Path, design: Design, batches: Iterator[ReportBatch]) -> int:
    written = 0
    with path.open("wb") as file:
        for batch in batches:
            for name, row in zip(batch.ids, batch.rows.tolist(), strict=True):
                line = {"design": design.hash, "id": name, "mechanism": batch.mechanism, "report": row}
                file.write(canonical(line) + b"\n")
            written += len(batch)
    return written


def _write_parquet(path: Path, design: Design, batches: Iterator[ReportBatch]) -> int:
    written = 0
    with pq.ParquetWriter(path, COLUMNS, compression="zstd") as writer:
        for batch in batches:
            n, axes = batch.rows.shape
            lists = pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * axes, batch.rows.ravel())
            columns = [pa.repeat(design.hash, n), pa.array(batch.ids, pa.string())]
            columns += [pa.repeat(pa.scalar(batch.mechanism, pa.int32()), n), lists]
            writer.write_table(pa.Table.from_arrays(columns, schema=COLUMNS))
            written += n
    return written


def _checked(design: Design, batch: ReportBatch) -> ReportBatch:
    if not all(ID.fullmatch(name) for name in batch.ids):
        raise ReportRejected("Ids of reports must be 32 hexadecimal digits.")
    known = batch.mechanism < len(design.mechanisms)
    if not (known and rows_in_range(design.mechanisms[batch.mechanism], batch.rows).all()):
        raise ReportRejected("Reports must be among those that the mechanism of the design can make.")
    return batch


def rows_in_range(mechanism: Table | Lattice, rows: Integers) -> npt.NDArray[np.bool_]:
    """The same for rows of one length."""
    axes, low, high = limits(mechanism)
    return np.asarray(((rows >= low) & (rows < high)).all(axis=1) & (rows.shape[1] == axes))


def limits(mechanism: Table | Lattice) -> tuple[int, int, int]:
    """How many numbers a report has, the least that each can be, and the first that is too large."""
    if isinstance(mechanism, Table):
        return 1, 0, mechanism.values.size
    return mechanism.space.dimension, 1 - _FARTHEST, _FARTHEST
