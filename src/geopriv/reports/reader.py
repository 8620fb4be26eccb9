"""Files of reports as they come in: read in batches, and what is no report rejected and counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from geopriv.mechanisms.sendable import Integers
from geopriv.reports.files import (
    GROUPED,
    ID,
    ReportBatch,
    rows_in_range,
)
from geopriv.reports.ids import Packed, SeenIds, packed
from geopriv.reports.report_files import (
    BROKEN,
    line_batches,
    parquet_batches,
    well_formed,
)
from geopriv.reports.strata import groups_of, strata_of, told_group
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

REASONS = (
    "malformed",
    "truncated",
    "too large",
    "wrong design",
    "wrong group",
    "out of range",
    "repeated id",
    "another round",
)
# a collector also says why it did not take a report
EVERY_REASON = (*REASONS, "no token", "unknown token", "spent token", "other site", "too fast", "too slow")

Batch: TypeAlias = pa.RecordBatch | list[dict[str, Any] | str] | str  # rows; or the reason why there are none


class Judged(NamedTuple):
    """Reports that could have come from a design.

    Args:
        ids: of the reports.
        strata: the mechanism and the group of each.
        rows: their numbers, shape (n, axes); a shorter report is filled up with zeros.
    """

    ids: Packed
    strata: Integers
    rows: Integers


@dataclass(eq=False)
class ReportReader:
    """Reads files of reports to a design; ids are remembered, so that one report in two files counts once.

    Memory grows by 16 to 18 bytes a report for the ids, and not by the files otherwise, whatever they say of
    themselves: one that would take much is rejected as "too large" before it is decoded.

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
    _seen: SeenIds = field(default_factory=SeenIds, repr=False)

    def read(self, path: str | os.PathLike[str]) -> Iterator[ReportBatch]:
        """Batches of the reports of a file (".parquet", else NDJSON) that could have come from the design.

        What is rejected is counted in `rejected`, by reason, and never stops the reading.
        """
        yield from self.accepted_of(batches_of(path))

    def accepted_of(self, batches: Iterable[Batch]) -> Iterator[ReportBatch]:
        """The reports among rows that could have come from the design, and whose ids did not come before."""
        for judged in self.fresh(batches):
            which, groups = np.divmod(judged.strata, groups_of(self.design))
            for index in np.unique(which).tolist():
                mine = which == index
                digits = judged.ids[mine].tobytes().hex()
                ids = tuple(digits[at : at + 32] for at in range(0, len(digits), 32))
                rows, told = judged.rows[mine, : self.design.mechanisms[index].limits[0]], groups[mine]
                yield ReportBatch(index, rows, ids, None if self.design.groups is None else told)

    def fresh(self, batches: Iterable[Batch]) -> Iterator[Judged]:
        """What could have come from the design, and whose ids did not come before: all that counting needs."""
        for judged in self.judged(batches):
            new = self._are_new(judged.ids)
            yield judged if new.all() else Judged(judged.ids[new], judged.strata[new], judged.rows[new])

    def judged(self, batches: Iterable[Batch]) -> Iterator[Judged]:
        """What could have come from the design, whether or not its ids came before.

        Args:
            batches: with the columns of a file of reports, or rows of it. A text is the reason why there is none.
        """
        for batch in batches:
            if isinstance(batch, str):
                self.rejected[batch] += 1
            elif isinstance(batch, list):
                yield self._rows(batch)
            elif _plain(found := _told(batch)):
                yield self._columns(found)
            else:
                yield self._rows(map(_without_gap, _listed(found)))

    def _rows(self, rows: Iterable[dict[str, Any] | str]) -> Judged:
        """The rows that are reports; a text is the reason why there is no row."""
        kept: list[dict[str, Any]] = []
        for row in rows:
            reason = row if isinstance(row, str) else why_rejected(self.design, row)
            if reason is not None:
                self.rejected[reason] += 1
            elif isinstance(row, dict):
                kept.append(row)
        reports = np.zeros((len(kept), self._axes), dtype=np.int64)
        for i, row in enumerate(kept):
            reports[i, : len(row["report"])] = row["report"]
        ids = packed("".join(row["id"] for row in kept).encode())
        which, groups = (np.array([row.get(name, 0) for row in kept], np.int64) for name in ("mechanism", "group"))
        return Judged(ids, strata_of(self.design, which, groups), reports)

    def _columns(self, batch: pa.RecordBatch) -> Judged:
        """The same for many rows at once, whose columns have the right types and no gaps."""
        names = batch.column("id")
        well = pc.match_substring_regex(names, f"^{ID.pattern}$").to_numpy(zero_copy_only=False)
        right = well & pc.equal(batch.column("design"), self.design.hash).to_numpy(zero_copy_only=False)
        which, lists = batch.column("mechanism").to_numpy(), batch.column("report")
        groups, told = self._groups(batch)
        sizes, numbers = pc.list_value_length(lists).to_numpy(), lists.flatten().to_numpy()
        starts, fits = np.cumsum(sizes) - sizes, np.zeros(len(batch), dtype=np.bool_)
        reports = np.zeros((len(batch), self._axes), dtype=np.int64)
        for index, mechanism in enumerate(self.design.mechanisms):
            axes = mechanism.limits[0]
            mine = np.flatnonzero(right & told & (which == index) & (sizes == axes))
            found = numbers[starts[mine][:, None] + np.arange(axes)]
            reports[mine, :axes] = found
            fits[mine] = rows_in_range(mechanism, found)
        self.rejected["malformed"] += int((~well).sum())
        self.rejected["wrong design"] += int((well & ~right).sum())
        self.rejected["wrong group"] += int((right & ~told).sum())
        self.rejected["out of range"] += int((right & told & ~fits).sum())
        self.rejected = +self.rejected  # without zeros
        # ids have 32 characters of one byte each, so the bytes that Arrow keeps are a table of them
        kept = names.filter(pa.array(fits))
        ids = packed(np.frombuffer(kept.buffers()[2], "S32", len(kept)).tobytes() if len(kept) else b"")
        return Judged(ids, strata_of(self.design, which[fits], groups[fits]), reports[fits])

    def _groups(self, batch: pa.RecordBatch) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """The group of each row, and whether it is one to the design."""
        groups = np.zeros(len(batch), dtype=np.int64)
        if "group" not in batch.schema.names:
            return groups, np.full(len(batch), self.design.groups is None)
        groups += batch.column("group").to_numpy()
        return groups, (groups >= 0) & (groups < groups_of(self.design)) & (self.design.groups is not None)

    @property
    def _axes(self) -> int:
        return max(mechanism.limits[0] for mechanism in self.design.mechanisms)

    def _are_new(self, ids: Packed) -> npt.NDArray[np.bool_]:
        """Which ids were not seen before; they are now."""
        fresh = self._seen.add(ids)
        self.accepted += int(fresh.sum())
        if not fresh.all():
            self.rejected["repeated id"] += int((~fresh).sum())
        return fresh


def batches_of(path: str | os.PathLike[str]) -> Iterator[Batch]:
    """What a file holds (".parquet", else NDJSON), as a reader judges it."""
    yield from parquet_batches(Path(path)) if Path(path).suffix == ".parquet" else line_batches(Path(path))


def why_rejected(design: Design, row: dict[str, Any]) -> str | None:
    """Why a row is no report of the design, one of `REASONS`; None if it is one, perhaps repeated."""
    if not well_formed(row):
        return "malformed"
    if row["design"] != design.hash:
        return "wrong design"
    if not told_group(design, row.get("group")):
        return "wrong group"
    if not _in_range(design, row["mechanism"], row["report"]):
        return "out of range"
    return None


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
    return design.mechanisms[batch.mechanism].released(batch.rows)


def _in_range(design: Design, index: int, report: list[int]) -> bool:
    if not 0 <= index < len(design.mechanisms):
        return False
    mechanism = design.mechanisms[index]
    ends = mechanism.ends
    within = len(report) == len(ends) and all(low <= n < high for n, (low, high) in zip(report, ends, strict=True))
    return within and all(report[less] <= report[more] for less, more in mechanism.ordered)


def _told(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same without a column of groups that says nothing."""
    empty = "group" in batch.schema.names and batch.column("group").null_count == len(batch)
    return batch.drop_columns("group") if empty else batch


def _without_gap(row: dict[str, Any] | str) -> dict[str, Any] | str:
    """A row of columns, in which a group that is missing is none."""
    if isinstance(row, dict) and row.get("group", 0) is None:
        return {name: value for name, value in row.items() if name != "group"}
    return row


def _listed(batch: pa.RecordBatch) -> Iterator[dict[str, Any] | str]:
    """Rows of columns of any type; one that Python has no value for (a date in the year 10^9) is none.

    Halves are tried where the whole fails, so that one such row does not take the others with it.
    """
    try:
        rows = batch.to_pylist()
    except BROKEN:
        half = batch.num_rows // 2
        if not half:
            yield "malformed"
            return
        yield from _listed(batch.slice(0, half))
        yield from _listed(batch.slice(half))
        return
    yield from rows


def _plain(batch: pa.RecordBatch) -> bool:
    """Whether the columns have the published types and no gaps."""
    typed = all(field.type.equals(GROUPED.field(field.name).type) for field in batch.schema)
    return typed and not any(column.null_count for column in (*batch.columns, batch.column("report").flatten()))
