"""What Spark's workers do with a batch of rows: small objects that are sent to them, and verify the design once.

A key is part of the object, which Spark sends as opaque bytes: it is no column, no setting and no part of a plan, and
these objects do not show it.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from geopriv.mechanisms.sendable import Integers
from geopriv.noise.keyed import Keyed
from geopriv.queries.source import Source as Columns
from geopriv.reports.drawing import columns_of, draw_reports, wanted
from geopriv.reports.engines.people import People, Read
from geopriv.reports.engines.shuffle import Rows
from geopriv.reports.engines.spark.blocks import (
    from_blocks,
    hashed,
    in_blocks,
    note,
    ordered,
    shuffling,
    signed,
)
from geopriv.reports.engines.suspicions import Suspicions
from geopriv.reports.files import GROUPED, records
from geopriv.reports.ids import Sketch
from geopriv.reports.reader import Judged, ReportReader
from geopriv.reports.report_files import parse_line, well_formed
from geopriv.reports.tallies import MARK, Tally, tally_of
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

if TYPE_CHECKING:
    from pyspark import Broadcast

Batches = Iterator[pa.RecordBatch]
REPORT = "id string, mechanism int, report array<bigint>"
SENT = "design string, group int, id string, mechanism int, report array<bigint>"
PACKED = "packed binary"
COUNTED = "rows bigint, unread string, odd string"
_TOLD = np.uint64(10)  # bits of a group, of which there are at most 1,000
_BATCH = 1 << 15  # reports that are given to Spark at once


def pack(design: Design) -> bytes:
    """What is sent of a design: its file, compressed."""
    return zlib.compress(design.to_bytes())


@lru_cache(maxsize=4)
def ready(packed: bytes) -> Design:
    """The design, verified when this process first sees it."""
    return Design.parse(zlib.decompress(packed))


def report_of(design: Design) -> str:
    """The columns of reports beside the design's hash, which is the same in all rows."""
    return REPORT if design.groups is None else f"group int, {REPORT}"


def read_people(
    batch: pa.RecordBatch, people: People, design: Design, columns: Columns, suspicions: Suspicions | None = None
) -> Read:
    """What can be read of a batch under the names its columns have in the frame: a dot is a path to Spark."""
    named = batch.rename_columns(list(wanted(design, columns)))
    return people.read(named, columns, design.space, design.groups, suspicions)


@dataclass(frozen=True)
class Work:
    """Something to do with the rows of a partition.

    Args:
        packed: the design, as `pack` gives it.
    """

    packed: Broadcast[bytes]

    @property
    def design(self) -> Design:
        """The design."""
        return ready(self.packed.value)


@dataclass(frozen=True)
class Drawing(Work):
    """A report of every row, drawn with bits of the person's own, under the person's id and packed by bucket.

    So what leaves a worker is reports, never values. A person's rows have the same bits, and one of the reports is to
    stay. Which one is decided by a number beside it: the hash of the value, xor a word of the person's bits that is
    used for nothing else. Of a person with one row it is a uniform number, whatever the value.

    Args:
        person: the column that names people.
        naming: the key of ids.
        secret: the key of bits.
        buckets: bits of a bucket.
    """

    person: str
    naming: bytes = field(repr=False)
    secret: bytes = field(repr=False)
    buckets: int

    def __call__(self, batches: Batches) -> Batches:
        return in_blocks(self._rows(batches), self.buckets)

    def _rows(self, batches: Batches) -> Iterator[Rows]:
        people, columns = People(self.person, secret=self.naming), columns_of(self.design, self.person)
        for batch in batches:
            values, names, _, groups = read_people(batch, people, self.design, columns)
            if n := len(values):
                keys = people.keys(names, n)
                ids = _bytes(keys).tobytes()
                bits = Keyed([ids[at : at + 16] for at in range(0, len(ids), 16)], self.secret)
                choice = _choice(values, groups) ^ bits.words(n, 1)
                drawn = draw_reports(self.design, values, bits, groups).view(np.uint64)
                yield np.concatenate([keys, choice, drawn], axis=1)


@dataclass(frozen=True)
class Choosing(Work):
    """One report of each id, in the order of ids."""

    def __call__(self, batches: Batches) -> Batches:
        width = 4 + max(mechanism.limits[0] for mechanism in self.design.mechanisms)
        with shuffling(width) as shuffle:
            for batch in batches:
                shuffle.add(from_blocks(batch, width)[0])
            for group in shuffle.sorted():
                for start in range(0, len(group), _BATCH):
                    rows = group[start : start + _BATCH]
                    yield _records(self.design, rows[:, 3:].view(np.int64), rows[:, :2])


@dataclass(frozen=True)
class DrawingAnew(Work):
    """Reports of rows without names, from the worker's own entropy: another run gives other reports."""

    def __call__(self, batches: Batches) -> Batches:
        people, columns = People(""), columns_of(self.design, "")
        for batch in batches:
            values, _, _, groups = read_people(batch, people, self.design, columns)
            drawn = draw_reports(self.design, values, groups=groups)
            yield _records(self.design, drawn, people.keys(None, len(values)))


@dataclass(frozen=True)
class Inspecting(Work):
    """How many rows a partition has, how many of them cannot be read, by reason, and what makes them look wrong.

    Args:
        person: the column that names people.
        secret: of the hash by which partitions that hold one value are compared.
    """

    person: str
    secret: bytes = field(repr=False)

    def __call__(self, batches: Batches) -> Batches:
        people, columns = People(self.person), columns_of(self.design, self.person)
        rows, unread = 0, Counter[str]()
        suspicions = Suspicions(columns, self.design.space, self.secret)
        for batch in batches:
            rows += batch.num_rows
            unread += read_people(batch, people, self.design, columns, suspicions).unread
        told = {"unread": [json.dumps(unread)], "odd": [json.dumps(suspicions.counts)]}
        yield pa.RecordBatch.from_pydict({"rows": [rows], **told})


def read_lines(batches: Batches) -> Batches:
    """Rows of lines of JSON, read as from a file; of one that is no report nothing is there.

    Whole numbers that are too large for Spark become some that no design has.
    """
    for batch in batches:
        found = [parse_line(line + b"\n") for line in batch.column("value").to_pylist()]
        yield pa.RecordBatch.from_pylist([_sendable(row) for row in found], GROUPED)


def _sendable(row: dict[str, Any] | str) -> dict[str, Any]:
    if isinstance(row, str) or not well_formed(row):
        return {}
    indices = {name: row[name] if 0 <= row[name] < 1 << 31 else -1 for name in ("group", "mechanism") if name in row}
    report = row["report"]
    return row | indices | {"report": report if all(abs(part) < 1 << 63 for part in report) else []}


@dataclass(frozen=True)
class Judging(Work):
    """Reports under their ids, packed by bucket, and what is none, counted.

    Args:
        bits: of a bucket.
    """

    bits: int

    def __call__(self, batches: Batches) -> Batches:
        reader = ReportReader(self.design)
        yield from in_blocks(map(self._rows, reader.judged(batches)), self.bits)
        yield note(json.dumps(reader.rejected).encode())

    def _rows(self, judged: Judged) -> Rows:
        ids = np.frombuffer(judged.ids.tobytes(), ">u8").reshape(-1, 2)
        numbers = np.concatenate([judged.strata[:, None], judged.rows], axis=1)
        return np.concatenate([ids.astype(np.uint64), ordered(numbers)], axis=1)


@dataclass(frozen=True)
class Counting(Work):
    """The tally of a partition's buckets, as one row: of each id the least report, by stratum and numbers."""

    def __call__(self, batches: Batches) -> Batches:
        total, width = Tally(self.design), 3 + max(mechanism.limits[0] for mechanism in self.design.mechanisms)
        with shuffling(width) as shuffle:
            for batch in batches:
                rows, notes = from_blocks(batch, width)
                shuffle.add(rows)
                total.rejected += sum((Counter(json.loads(text)) for text in notes), Counter())
            for group in shuffle.sorted():
                numbers = signed(group[:, 2:])
                total.count(numbers[:, 0], numbers[:, 1:], group[:, 0])
            total.rejected["repeated id"] += shuffle.repeated
        yield _packed(total)


@dataclass(frozen=True)
class Merging(Work):
    """The tally of a partition's tallies, as one row."""

    def __call__(self, batches: Batches) -> Batches:
        total = Tally(self.design)
        for batch in batches:
            for packed in batch.column("packed").to_pylist():
                total = total + unpacked(packed, self.design)
        yield _packed(total)


def unpacked(packed: bytes, design: Design) -> Tally:
    """The tally of a row."""
    table = pa.ipc.open_stream(packed).read_all()
    rejected, ids = (json.loads(table.schema.metadata[key]) for key in (b"rejected", b"ids"))
    return tally_of(table, design, Counter(rejected), Sketch.of_note(ids, ids["of"]))


def _packed(total: Tally) -> pa.RecordBatch:
    table = total.to_table()
    note = json.loads(table.schema.metadata[MARK])
    table = table.replace_schema_metadata({key: json.dumps(note[key]) for key in ("rejected", "ids")})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return pa.RecordBatch.from_pydict({"packed": [sink.getvalue().to_pybytes()]})


def _records(design: Design, drawn: Integers, keys: Rows) -> pa.RecordBatch:
    """Columns of reports from what `draw_reports` gives."""
    made = records(design, drawn[:, 0], drawn[:, 1:], _bytes(keys))
    return made.drop_columns("design")  # the design's hash is the same in all rows: Spark adds it


def _choice(values: FloatArray, groups: Integers | None) -> Rows:
    """The number by which one of a person's rows stays, before it is mixed with the person's bits, shape (n, 1).

    A group is told, so which of a person's groups stays must not depend on the values: it comes first, and values only
    choose among the rows of one group.
    """
    chosen = hashed(np.ascontiguousarray(values.reshape(len(values), -1)).view(np.uint64))
    if groups is None:
        return chosen
    return (chosen >> _TOLD) | (groups[:, None].astype(np.uint64) << (np.uint64(64) - _TOLD))


def _bytes(keys: Rows) -> npt.NDArray[np.uint8]:
    """Ids as bytes, shape (n, 16)."""
    return np.ascontiguousarray(keys, dtype="<u8").view(np.uint8).reshape(-1, 16)
