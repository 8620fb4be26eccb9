"""Files of reports as they come in: read in batches, and what is no report rejected and counted."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from geopriv.checks import FloatArray
from geopriv.design import Design
from geopriv.mechanisms import Table
from geopriv.reports import COLUMNS, ID, ReportBatch, limits, rows_in_range

BATCH = 1 << 16
REASONS = ("malformed", "truncated", "wrong design", "out of range", "repeated id")
_KEYS = frozenset(COLUMNS.names)
_LONGEST = 1 << 12  # bytes of a line: a report has some 150


@dataclass(eq=False)
class ReportReader:
    """Reads files of reports to a design; ids are remembered, so that one report in two files counts once.

    Memory grows by about 100 bytes a report for the ids, and not by the files otherwise.

    Args:
        design: that the reports must belong to.

    >>> from geopriv import Lattice, Line
    >>> reader = ReportReader(Design("demo", (Lattice.calibrate(Line(), 1.0),)))
    >>> reader.accepted, dict(reader.rejected)
    (0, {})
    """

    design: Design
    accepted: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    _seen: set[bytes] = field(default_factory=set, repr=False)

    def read(self, path: str | os.PathLike[str]) -> Iterator[ReportBatch]:
        """Batches of the reports of a file (".parquet", else NDJSON) that could have come from the design.

        What is rejected is counted in `rejected`, by reason, and never stops the reading.
        """
        if Path(path).suffix == ".parquet":
            for batch in _parquet_batches(Path(path)):
                if isinstance(batch, str):
                    self.rejected[batch] += 1
                elif _plain(batch):
                    yield from self._columns(batch)
                else:
                    yield from self._rows(batch.to_pylist())
        else:
            yield from self._rows(_ndjson_rows(Path(path)))

    def _rows(self, rows: Iterable[dict[str, Any] | str]) -> Iterator[ReportBatch]:
        """Batches of the rows that are reports, one by one; a text is the reason why there is no row."""
        waiting: dict[int, list[tuple[str, list[int]]]] = {}
        for row in rows:
            reason = row if isinstance(row, str) else self._reject(row)
            if reason is not None:
                self.rejected[reason] += 1
                continue
            self.accepted += 1
            assert isinstance(row, dict)  # what has no reason is a row
            batch = waiting.setdefault(row["mechanism"], [])
            batch.append((row["id"], row["report"]))
            if len(batch) == BATCH:
                yield _batch(row["mechanism"], waiting.pop(row["mechanism"]))
        for mechanism in sorted(waiting):
            yield _batch(mechanism, waiting[mechanism])

    def _columns(self, batch: pa.RecordBatch) -> Iterator[ReportBatch]:
        """The same for many rows at once, whose columns have the right types and no gaps."""
        names = batch.column("id")
        well = pc.match_substring_regex(names, f"^{ID.pattern}$").to_numpy(zero_copy_only=False)
        right = well & pc.equal(batch.column("design"), self.design.hash).to_numpy(zero_copy_only=False)
        which, lists = batch.column("mechanism").to_numpy(), batch.column("report")
        sizes, numbers = pc.list_value_length(lists).to_numpy(), lists.flatten().to_numpy()
        starts, fitting = np.cumsum(sizes) - sizes, 0
        for index, mechanism in enumerate(self.design.mechanisms):
            axes = 1 if isinstance(mechanism, Table) else mechanism.space.dimension
            mine = np.flatnonzero(right & (which == index) & (sizes == axes))
            rows = numbers[starts[mine][:, None] + np.arange(axes)]
            kept = rows_in_range(mechanism, rows)
            fitting += int(kept.sum())
            mine, rows = mine[kept], rows[kept]
            ids = names.take(pa.array(mine)).to_pylist()
            fresh = [i for i, name in enumerate(ids) if self._is_new(name)]
            self.rejected["repeated id"] += len(ids) - len(fresh)
            self.accepted += len(fresh)
            if fresh:
                yield ReportBatch(index, rows[fresh].astype(np.int64), tuple(ids[i] for i in fresh))
        self.rejected["malformed"] += int((~well).sum())
        self.rejected["wrong design"] += int((well & ~right).sum())
        self.rejected["out of range"] += int(right.sum()) - fitting
        self.rejected = +self.rejected  # without zeros

    def _is_new(self, name: str) -> bool:
        """Whether an id was not seen before; it is now."""
        before = len(self._seen)
        self._seen.add(bytes.fromhex(name))
        return len(self._seen) > before

    def _reject(self, row: dict[str, Any]) -> str | None:
        """Why the row is no report of the design; None if it is one."""
        if not _well_formed(row):
            return "malformed"
        if row["design"] != self.design.hash:
            return "wrong design"
        if not _in_range(self.design, row["mechanism"], row["report"]):
            return "out of range"
        return None if self._is_new(row["id"]) else "repeated id"


def read_reports(path: str | os.PathLike[str], design: Design) -> tuple[dict[int, FloatArray], Counter[str]]:
    """The reports of a file by mechanism, as `estimate` takes them, and how many were rejected, by reason.

    A Table's reports are its values, shape (n,); a Lattice's are cells, shape (n,) on a line and (n, d) elsewhere.
    """
    reader = ReportReader(design)
    parts: dict[int, list[FloatArray]] = {}
    for batch in reader.read(path):
        parts.setdefault(batch.mechanism, []).append(released(design, batch))
    return {mechanism: np.concatenate(parts[mechanism]) for mechanism in sorted(parts)}, reader.rejected


def released(design: Design, batch: ReportBatch) -> FloatArray:
    """The values or cells that a batch stands for, as `estimate` takes them."""
    mechanism = design.mechanisms[batch.mechanism]
    if isinstance(mechanism, Table):
        return np.asarray(mechanism.values[batch.rows[:, 0]])
    return batch.rows.astype(np.float64).reshape(-1, *mechanism.space.point_shape)


def _well_formed(row: dict[str, Any]) -> bool:
    return (
        row.keys() == _KEYS
        and isinstance(row["design"], str)
        and isinstance(row["id"], str)
        and ID.fullmatch(row["id"]) is not None
        and type(row["mechanism"]) is int
        and isinstance(row["report"], list)
        and all(type(part) is int for part in row["report"])
    )


def _in_range(design: Design, index: int, report: list[int]) -> bool:
    if not 0 <= index < len(design.mechanisms):
        return False
    axes, low, high = limits(design.mechanisms[index])
    return len(report) == axes and all(low <= part < high for part in report)


def _batch(mechanism: int, rows: list[tuple[str, list[int]]]) -> ReportBatch:
    names, reports = zip(*rows, strict=True)
    return ReportBatch(mechanism, np.array(reports, dtype=np.int64), names)


def _ndjson_rows(path: Path) -> Iterator[dict[str, Any] | str]:
    """Rows, or the reason why a line is none. A last line without its end was cut off, whatever it says."""
    with path.open("rb") as file:
        while line := file.readline(_LONGEST):
            if not line.endswith(b"\n"):
                if len(line) == _LONGEST:
                    _skip_line(file.readline)
                    yield "malformed"
                else:
                    yield "truncated"
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            yield row if isinstance(row, dict) else "malformed"


def _skip_line(readline: Callable[[int], bytes]) -> None:
    while (rest := readline(_LONGEST)) and not rest.endswith(b"\n"):
        pass


def _parquet_batches(path: Path) -> Iterator[pa.RecordBatch | str]:
    """Batches, or the reason why they cannot be read: a file without its end, or without the columns."""
    try:
        with pq.ParquetFile(path) as file:
            if not set(file.schema_arrow.names) >= _KEYS:
                yield "malformed"
                return
            yield from file.iter_batches(BATCH, columns=COLUMNS.names)
    except FileNotFoundError:
        raise
    except (pa.ArrowInvalid, OSError):
        yield "truncated"


def _plain(batch: pa.RecordBatch) -> bool:
    """Whether the columns have the published types and no gaps."""
    typed = all(batch.schema.field(name).type.equals(COLUMNS.field(name).type) for name in COLUMNS.names)
    return typed and not any(column.null_count for column in (*batch.columns, batch.column("report").flatten()))
