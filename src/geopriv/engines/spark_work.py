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
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from geopriv.design import Design, parse_design
from geopriv.engines.people import Keys, People
from geopriv.privatization import columns_of, draw_reports
from geopriv.received import ReportReader
from geopriv.reports import records
from geopriv.sampling.entropy import ENTROPY, Source
from geopriv.sampling.keyed import Keyed
from geopriv.tallies import Tally, tally_of

if TYPE_CHECKING:
    from pyspark import Broadcast

    from geopriv.checks import FloatArray

Batches = Iterator[pa.RecordBatch]
REPORT = "id string, mechanism int, report array<bigint>"
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
            keys, flat = people.keys(names, len(values)), values.reshape(len(values), -1)
            arrays = [_binary(keys), *(pa.array(flat[:, axis]) for axis in range(flat.shape[1]))]
            yield pa.RecordBatch.from_arrays(arrays, ["id", *value_names(self.design)])


@dataclass(frozen=True)
class Drawing(Work):
    """Reports of rows that are sorted by id: the first row of each, drawn with bits of the person's own.

    Args:
        secret: the key of bits.
    """

    secret: bytes = field(repr=False)

    def __call__(self, batches: Batches) -> Batches:
        design, last = self.design, b""
        for batch in batches:
            ids = batch.column("id").to_pylist()
            fresh = np.array([name != before for name, before in zip(ids, [last, *ids], strict=False)], dtype=np.bool_)
            last = ids[-1] if ids else last
            flat = np.stack([batch.column(name).to_numpy() for name in value_names(design)], axis=1)[fresh]
            names = [name for name, new in zip(ids, fresh.tolist(), strict=True) if new]
            keys = np.frombuffer(b"".join(names), dtype="<u8").reshape(-1, 2)
            yield _records(design, flat.reshape(-1, *design.space.point_shape), keys, Keyed(names, self.secret))


@dataclass(frozen=True)
class DrawingAnew(Work):
    """Reports of rows without names, from the worker's own entropy: another run gives other reports."""

    def __call__(self, batches: Batches) -> Batches:
        people, columns = People(""), columns_of(self.design, "")
        for batch in batches:
            values, _, _ = people.read(batch, columns, self.design.space)
            yield _records(self.design, values, people.keys(None, len(values)), ENTROPY)


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


def _records(design: Design, values: FloatArray, keys: Keys, source: Source) -> pa.RecordBatch:
    drawn = draw_reports(design, values, source)
    ids = np.ascontiguousarray(keys, dtype="<u8").view(np.uint8).reshape(-1, 16)
    # the design's hash is the same in all rows: Spark adds it
    return records(design, drawn[:, 0].astype(np.int32), drawn[:, 1:], ids).select(["id", "mechanism", "report"])


def _binary(keys: npt.NDArray[np.uint64]) -> pa.Array:
    """Ids of 16 bytes each."""
    ends = np.arange(len(keys) + 1, dtype=np.int32) * 16
    data = np.ascontiguousarray(keys, dtype="<u8")
    return pa.Array.from_buffers(pa.binary(), len(keys), [None, pa.py_buffer(ends), pa.py_buffer(data)])
