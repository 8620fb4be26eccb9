"""Files of reports: what is in them, and how they are written, as NDJSON and Parquet."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Annotated, Self, TypedDict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from geopriv.device.files import canonical, replacing
from geopriv.errors import InvalidParameter, ReportRejected
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.reports.strata import groups_of, strata_of, told_group
from geopriv.spaces.checks import count, invalid
from geopriv.spaces.notes import Note, Spare
from geopriv.surveys.design import Design

Bytes = npt.NDArray[np.uint8]

COLUMNS = pa.schema(
    [("design", pa.string()), ("id", pa.string()), ("mechanism", pa.int32()), ("report", pa.list_(pa.int64()))]
)
GROUPED = COLUMNS.insert(1, pa.field("group", pa.int32()))  # where reports carry a group
ID = re.compile(r"[0-9a-f]{32}")
MANIFEST = ".manifest"  # behind the name of a file of reports: what it holds, as it was when it was whole
_NOTE = 1 << 10  # bytes of a manifest, at most
_HEXADECIMAL = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), dtype=np.uint16)
_FARTHEST = 1 << 53  # up to which floats tell whole numbers apart
_REPORT = Note(minItems=1, description="Of a Table the index of the value, of a Lattice one cell for each axis.")

_GROUP = Spare(minimum=0, description="Which of the design's groups, told openly; left out where it has none.")


class ReportDocument(TypedDict):
    """One line of an NDJSON file, or one row of a Parquet file with these columns."""

    design: Annotated[str, Note(pattern="^[0-9a-f]{64}$", description="The hash of the design.")]
    group: Annotated[int, _GROUP]
    id: Annotated[str, Note(pattern="^[0-9a-f]{32}$", description="128 random bits; a report counts once.")]
    mechanism: Annotated[int, Note(minimum=0, description="Which of the design's mechanisms was answered.")]
    report: Annotated[list[Annotated[int, Note(minimum=1 - _FARTHEST, maximum=_FARTHEST - 1)]], _REPORT]


@dataclass(frozen=True, eq=False)
class ReportBatch:
    """Reports to one mechanism of a design.

    Args:
        mechanism: its index in the design.
        rows: whole numbers of shape (n, 1) for a Table (indices of values) or (n, d) for a Lattice (cells).
        ids: of the reports, 32 hexadecimal digits each; by default random.
        groups: that the reports tell openly, shape (n,); None where the design has none.
    """

    mechanism: int
    rows: Integers
    ids: tuple[str, ...] = ()
    groups: Integers | None = None

    def __post_init__(self) -> None:
        count("ReportBatch", "mechanism", self.mechanism, least=0)
        if self.rows.ndim != 2 or self.rows.dtype != np.int64:
            raise invalid("ReportBatch", "rows", "64-bit integers of shape (n, axes)", self.rows.shape)
        if not self.ids:
            drawn = os.urandom(16 * len(self.rows)).hex()
            object.__setattr__(self, "ids", tuple(drawn[i : i + 32] for i in range(0, len(drawn), 32)))
        if len(self.ids) != len(self.rows):
            raise invalid("ReportBatch", "ids", f"one for each of {len(self.rows)} reports", len(self.ids))
        if self.groups is not None and (self.groups.shape != (len(self.rows),) or self.groups.dtype != np.int64):
            raise invalid("ReportBatch", "groups", "64-bit integers, one for each report", self.groups.shape)

    def __len__(self) -> int:
        return len(self.rows)


def write_reports(path: str | os.PathLike[str], design: Design, batches: Iterable[ReportBatch]) -> int:
    """Write reports as Parquet (".parquet") or NDJSON, batch by batch; how many. The file is there whole or not at all.

    Raises:
        ReportRejected: for a report that cannot have come from the design.
    """
    made = (_records(design, batch) for batch in batches)
    with replacing(path) as fresh:
        Path(f"{path}{MANIFEST}").unlink(missing_ok=True)  # of the file that is replaced
        return write_records(fresh, made, columns_in(design), Path(path).suffix == ".parquet")


def write_manifest(path: str | os.PathLike[str], design: Design, reports: int) -> None:
    """Say beside a finished file of reports what it holds, so that `tally` knows it from one that was cut or changed.

    Lines of JSON that end after some line are a whole file of fewer reports: nothing in them tells.
    """
    note = {"design": design.hash, "reports": reports, "sha256": _sha256(Path(path))}
    with replacing(f"{path}{MANIFEST}") as fresh:
        fresh.write_bytes(canonical(note) + b"\n")


def require_as_written(path: Path) -> None:
    """Refuse a file of reports that is not what its manifest says; one without a manifest is taken as it is.

    Args:
        path: of a file, or of a folder of them.

    Raises:
        InvalidParameter: naming the file.
    """
    for manifest in sorted(path.glob(f"*{MANIFEST}")) if path.is_dir() else [Path(f"{path}{MANIFEST}")]:
        if not manifest.is_file():
            continue
        reports = manifest.with_suffix("")
        with manifest.open("rb") as file:
            data = file.read(_NOTE)
        try:
            note = json.loads(data)
            many, wanted = int(note["reports"]), str(note["sha256"])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            raise InvalidParameter(f"The manifest {manifest} is damaged. Fetch it again, with {reports}.") from None
        if not reports.is_file() or _sha256(reports) != wanted:
            what = "is not as it was written" if reports.is_file() else "is not there"
            raise InvalidParameter(
                f"The file {reports} {what}: {manifest.name} tells of {many:,} report{'' if many == 1 else 's'} and of "
                "another SHA-256. Fetch it again; remove the manifest if the file is meant as it is."
            )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def columns_in(design: Design) -> pa.Schema:
    """The columns of a file of reports to a design."""
    return COLUMNS if design.groups is None else GROUPED


def write_records(path: Path, batches: Iterable[pa.RecordBatch], columns: pa.Schema, as_parquet: bool) -> int:
    """Write what `records` made, a row group or some lines a batch; how many rows."""
    written = 0
    with _ParquetFile(path, columns) if as_parquet else _LineFile(path) as file:
        for batch in batches:
            file.write(batch)
            written += batch.num_rows
    return written


def records(design: Design, strata: Integers, rows: Integers, ids: Bytes) -> pa.RecordBatch:
    """Columns of a file of reports, for any number of people at once.

    Args:
        design: that the reports answer.
        strata: the mechanism and the group of each person, shape (n,).
        rows: the reports, shape (n, axes); a Table's has one number, and what stands behind it is left out.
        ids: of the reports, as bytes, shape (n, 16).
    """
    mechanisms, groups = (part.astype(np.int32) for part in np.divmod(strata, groups_of(design)))
    axes = np.array([mechanism.limits[0] for mechanism in design.mechanisms], dtype=np.int32)[mechanisms]
    ends = np.concatenate([[0], np.cumsum(axes)]).astype(np.int32)
    kept = rows.ravel() if (axes == rows.shape[1]).all() else rows[np.arange(rows.shape[1]) < axes[:, None]]
    told = [] if design.groups is None else [pa.array(groups)]
    columns = [_constant(design.hash, len(rows)), *told, _hexadecimal(ids), pa.array(mechanisms)]
    return pa.RecordBatch.from_arrays([*columns, pa.ListArray.from_arrays(ends, kept)], columns_in(design).names)


def _records(design: Design, batch: ReportBatch) -> pa.RecordBatch:
    if not all(ID.fullmatch(name) for name in batch.ids):
        raise ReportRejected("Ids of reports must be 32 hexadecimal digits.")
    require_from(design, batch)
    ids = np.frombuffer(bytes.fromhex("".join(batch.ids)), dtype=np.uint8).reshape(-1, 16)
    strata = strata_of(design, np.full(len(batch), batch.mechanism), batch.groups)
    return records(design, strata, batch.rows, ids)


def require_from(design: Design, batch: ReportBatch) -> None:
    """Refuse a batch of which a report cannot have come from the design.

    Raises:
        ReportRejected: saying what reports must be.
    """
    known = batch.mechanism < len(design.mechanisms)
    if not (known and rows_in_range(design.mechanisms[batch.mechanism], batch.rows).all()):
        raise ReportRejected("Reports must be among those that the mechanism of the design can make.")
    groups = [None] if batch.groups is None else np.unique(batch.groups).tolist()
    if len(batch) and not all(told_group(design, group) for group in groups):
        raise ReportRejected("Reports must carry a group of the design's, or none where it has none.")


def _constant(text: str, n: int) -> pa.Array:
    """One text n times, as indices into a dictionary of one: the file holds it once a row group."""
    return pa.DictionaryArray.from_arrays(np.zeros(n, dtype=np.int32), pa.array([text]))


def _hexadecimal(ids: Bytes) -> pa.Array:
    text, ends = _HEXADECIMAL[ids], np.arange(len(ids) + 1, dtype=np.int32) * 32
    return pa.Array.from_buffers(pa.string(), len(ids), [None, pa.py_buffer(ends), pa.py_buffer(text)])


class _ParquetFile:
    """Row groups; ids are random, so a dictionary of them and their extremes would only take room."""

    def __init__(self, path: Path, columns: pa.Schema) -> None:
        few = [*columns.names, "report.list.element"]
        few = [name for name in few if name not in ("id", "report")]
        # the design's dictionary is ours alone: without the stored schema readers see a column of texts
        schema = columns.set(0, columns.field(0).with_type(pa.dictionary(pa.int32(), pa.string())))
        options = {"use_dictionary": few, "write_statistics": few, "store_schema": False, "write_page_checksum": True}
        self._writer = pq.ParquetWriter(path, schema, compression="zstd", **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)


class _LineFile:
    """Lines of canonical JSON, put together from columns."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, batch: pa.RecordBatch) -> None:
        design, *groups, ids, mechanisms, reports = batch.columns
        rows = pa.ListArray.from_arrays(reports.offsets, pc.cast(reports.values, pa.string()))
        parts = ['{"design":"', design.dictionary_decode(), '","id":"', ids, '","mechanism":']
        if groups:
            parts[2:3] = ['","group":', pc.cast(groups[0], pa.string()), ',"id":"']
        parts += [pc.cast(mechanisms, pa.string()), ',"report":[', pc.binary_join(rows, ","), "]}\n"]
        self._file.write("".join(pc.binary_join_element_wise(*parts, "").to_pylist()).encode())


def rows_in_range(mechanism: Sendable, rows: Integers) -> npt.NDArray[np.bool_]:
    """Whether each row could be a report of a mechanism."""
    if rows.shape[1] != len(mechanism.ends):
        return np.zeros(len(rows), dtype=np.bool_)
    low, high = np.array(mechanism.ends).T
    fits = ((rows >= low) & (rows < high)).all(axis=1)
    for less, more in mechanism.ordered:
        fits &= rows[:, less] <= rows[:, more]
    return np.asarray(fits)
