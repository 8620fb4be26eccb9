"""What Spark's workers do with a batch of rows: small objects that are sent to them, and verify the design once.

A key is part of the object, which Spark sends as opaque bytes: it is no column, no setting and no part of a plan, and
these objects do not show it.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from geopriv.design import Design, parse_design
from geopriv.engines.people import People
from geopriv.privatization import columns_of, draw_reports
from geopriv.received import ReportReader
from geopriv.reports import Integers, records
from geopriv.sampling.entropy import ENTROPY, Source
from geopriv.sampling.keyed import Keyed
from geopriv.tallies import Tally, tally_of

if TYPE_CHECKING:
    from pyspark import Broadcast

    from geopriv.checks import FloatArray

Batches = Iterator[pa.RecordBatch]
REPORT = "id string, mechanism int, report array<bigint>"
KEYS = ("key0", "key1")  # an id on its way: two numbers are quicker to sort than sixteen bytes
PACKED = "packed binary"
COUNTED = "rows bigint, unread string"


def pack(design: Design) -> bytes:
    """What is sent of a design: its file, compressed."""
    return zlib.compress(design.to_bytes())


@lru_cache(maxsize=4)
def ready(packed: bytes) -> Design:
    """The design, verified when this process first sees it."""
    return parse_design(zlib.decompress(packed))


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
class Naming(Work):
    """People's rows under ids: the keyed hash of a person's name, and the clamped values.

    Args:
        person: the column that names people.
        secret: the key of ids.
    """

    person: str
    secret: bytes = field(repr=False)

    def __call__(self, batches: Batches) -> Batches:
        people, columns = People(self.person, secret=self.secret), columns_of(self.design, self.person)
        for batch in batches:
            values, names, _ = people.read(batch, columns, self.design.space)
            keys, flat = people.keys(names, len(values)).view(np.int64), values.reshape(len(values), -1)
            arrays = [pa.array(column) for column in (*keys.T, *flat.T)]
            yield pa.RecordBatch.from_arrays(arrays, [*KEYS, *value_names(self.design)])


@dataclass(frozen=True)
class Drawing(Work):
    """Reports of rows that are sorted by id: the first row of each, drawn with bits of the person's own.

    Args:
        secret: the key of bits.
    """

    secret: bytes = field(repr=False)

    def __call__(self, batches: Batches) -> Batches:
        design, last = self.design, np.zeros((0, 2), dtype=np.int64)
        for batch in batches:
            keys, flat = _columns(batch, KEYS), _columns(batch, value_names(design))
            before = np.concatenate([last, keys])
            fresh = np.ones(len(keys), dtype=np.bool_)
            fresh[1 - len(last) :] = (before[1:] != before[:-1]).any(axis=1)
            keys, flat, last = keys[fresh], flat[fresh], before[-1:]
            ids = _bytes(keys).tobytes()
            source = Keyed([ids[at : at + 16] for at in range(0, len(ids), 16)], self.secret)
            yield _records(design, flat.reshape(-1, *design.space.point_shape), keys, source)


@dataclass(frozen=True)
class DrawingAnew(Work):
    """Reports of rows without names, from the worker's own entropy: another run gives other reports."""

    def __call__(self, batches: Batches) -> Batches:
        people, columns = People(""), columns_of(self.design, "")
        for batch in batches:
            values, _, _ = people.read(batch, columns, self.design.space)
            yield _records(self.design, values, people.keys(None, len(values)).view(np.int64), ENTROPY)


@dataclass(frozen=True)
class Reading(Work):
    """How many rows a partition has, and how many of them cannot be read, by reason.

    Args:
        person: the column that names people.
    """

    person: str

    def __call__(self, batches: Batches) -> Batches:
        people, columns = People(self.person), columns_of(self.design, self.person)
        rows, unread = 0, Counter[str]()
        for batch in batches:
            rows += batch.num_rows
            unread += people.read(batch, columns, self.design.space).unread
        yield pa.RecordBatch.from_pydict({"rows": [rows], "unread": [json.dumps(unread)]})


@dataclass(frozen=True)
class Counting(Work):
    """The tally of a partition's reports, as one row."""

    def __call__(self, batches: Batches) -> Batches:
        reader, total = ReportReader(self.design), Tally(self.design)
        for batch in reader.read_batches(batches):
            total.add(batch)
        total.rejected += reader.rejected
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


def value_names(design: Design) -> list[str]:
    """Names of columns for the values of a person."""
    return [f"x{axis}" for axis in range(design.space.dimension)]


def unpacked(packed: bytes, design: Design) -> Tally:
    """The tally of a row."""
    table = pa.ipc.open_stream(packed).read_all()
    return tally_of(table, design, Counter(json.loads(table.schema.metadata[b"rejected"])))


def _packed(total: Tally) -> pa.RecordBatch:
    table = total.to_table().replace_schema_metadata({"rejected": json.dumps(+total.rejected)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return pa.RecordBatch.from_pydict({"packed": [sink.getvalue().to_pybytes()]})


def _records(design: Design, values: FloatArray, keys: Integers, source: Source) -> pa.RecordBatch:
    drawn = draw_reports(design, values, source)
    made = records(design, drawn[:, 0].astype(np.int32), drawn[:, 1:], _bytes(keys))
    return made.select(["id", "mechanism", "report"])  # the design's hash is the same in all rows: Spark adds it


def _columns(batch: pa.RecordBatch, names: Sequence[str]) -> npt.NDArray[Any]:
    return np.stack([batch.column(name).to_numpy() for name in names], axis=1)


def _bytes(keys: Integers) -> npt.NDArray[np.uint8]:
    """Ids as bytes, shape (n, 16)."""
    return np.ascontiguousarray(keys, dtype="<i8").view(np.uint8).reshape(-1, 16)
