"""The same design on Spark: people's rows become reports, and reports become counts, where they lie.

A task that fails is run again, and every action on a frame runs its tasks again. So what is drawn must not depend on
how often: a second report of the same person could be averaged with the first. Bits are therefore a keyed function of
the person and the design (`Keyed`), or else reports are drawn once and kept (a checkpoint).
"""

from __future__ import annotations

import json
import logging
import math
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from geopriv.errors import InvalidParameter
from geopriv.noise.entropy import ENTROPY
from geopriv.reports.drawing import columns_of
from geopriv.reports.drawing import wanted as needed
from geopriv.reports.engines.people import People
from geopriv.reports.engines.reading import Reading
from geopriv.reports.engines.spark import work
from geopriv.reports.engines.spark.blocks import BLOCK
from geopriv.reports.engines.suspicions import Suspicions
from geopriv.reports.files import COLUMNS, GROUPED
from geopriv.reports.register import Register
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import Column, DataFrame

_BUCKETS = 64  # a partition, on average
_MANY = 256  # tallies that the driver adds up itself; beyond, workers add some up before


def privatize(
    df: DataFrame,
    design: Design,
    key: bytes | None = None,
    *,
    person: str | None = None,
    again: bool = False,
    register: str | os.PathLike[str] | None = None,
) -> DataFrame:
    """One exact report for each person of a frame, in an order that tells nothing of the frame's.

    With a column that names people: ids and bits are keyed functions of the name and of the design's hash, never of the
    value, so every attempt at a task, and every action on the frame, gives the same reports. Of several readable rows
    of a person the one counts whose clamped value has the least keyed hash, since a frame has no first row. Reports are
    drawn where the rows are read, so no value is sent from one machine to another. Without such a column each row is a
    person, bits are the workers' own entropy, and reports are drawn at once and kept in Spark's checkpoint folder.

    Guarantee: each report has the law of its mechanism at the clamped value (theory T5, T8), and clamping is
    1-Lipschitz, so a person has the design's promise towards whoever sees the reports, of one run, without the key
    (with names: if keyed BLAKE2b cannot be told from a random function). The same key, design and person with another
    value gives a report from the same bits: the two together are not covered.

    For a person with several rows the promise is weaker, since it depends on the values which of them counts. With rows
    A or with rows B the report looks alike up to a factor exp(ε·d), where d is the largest distance from a row of A to
    one of B. So a small change of one row can change which counts, and is then hidden only as well as the distance
    between the person's rows. Who leaves one row a person, chosen by something that is not private, has the design's
    promise for all.

    Args:
        df: people's rows; the design's source says which columns hold the values.
        design: what is promised.
        key: 32 or more secret bytes, for people with names; by default new ones, known to this frame only.
        person: the column that names people; by default the source's. "" for a person a row.
        again: whether another run of a survey that the register knows is meant. It gives second reports; only with the
            same key and the same rows they are the same ones.
        register: the driver's file that tells what was privatised before; by default the operator's own
            (`Register.of`). A frame is in it from now on, whether or not its reports are ever asked for.

    Raises:
        InvalidParameter: for columns that are not there or hold something else, for a frame that is not the same at
            every attempt, for a short key, for a person a row without a checkpoint folder, and for a second run.
    """
    known = Register.of(register)
    known.require_new(design, again)
    reports = prepared(df, design, key, person=person)()
    known.complete(known.begin(design, again))
    return reports


def prepared(
    df: DataFrame, design: Design, key: bytes | None = None, *, person: str | None = None
) -> Callable[[], DataFrame]:
    """A frame that can be privatized, as what draws its reports, for who looks after the register.

    Until it is called nothing is drawn: without names reports are drawn at once, and kept.
    """
    from pyspark.sql import functions

    rows, person = _rows(df, design, person)
    packed = _sent(df, design)
    if person:
        _require_fixed(rows)
        ids, bits = _secrets(design, key)
    else:
        _require_checkpoint(df, key)

    def draw() -> DataFrame:
        if person:
            blocks = mapped(rows, work.Drawing(packed, person, ids, bits, _bits(df)), BLOCK)
            reports = mapped(blocks.repartition("bucket"), work.Choosing(packed), work.report_of(design))
        else:
            kept = mapped(rows, work.DrawingAnew(packed), work.report_of(design)).checkpoint()
            reports = kept.repartition("id").sortWithinPartitions("id")
        return reports.select(functions.lit(design.hash).alias("design"), "*")

    return draw


def inspected(df: DataFrame, design: Design, person: str | None) -> tuple[int, Counter[str], Suspicions]:
    """How many rows a frame has, how many of them cannot be read, by reason, and what makes the frame look wrong.

    One small row a partition comes to the driver, with counts and no value. Suspicions are about values: they decide
    whether a run stops, and are thrown away.
    """
    columns, secret = columns_of(design, person), ENTROPY.bytes(32)
    rows, person = _rows(df, design, person)
    found = mapped(rows, work.Inspecting(_sent(df, design), person, secret), work.COUNTED).collect()
    unread, odd = (sum((Counter(json.loads(row[name])) for row in found), Counter()) for name in ("unread", "odd"))
    return sum(row["rows"] for row in found), unread, Suspicions(columns, design.space, secret, odd)


def count_rows(df: DataFrame, design: Design, *, person: str | None = None) -> tuple[int, Counter[str]]:
    """How many rows a frame has, and how many of them cannot be read, by reason: for the operator's eyes.

    Raises:
        InvalidParameter: for columns that are not there or hold something else.
    """
    return inspected(df, design, person)[:2]


def tally(df: DataFrame, design: Design) -> Tally:
    """All reports of a frame, counted: one small row a partition comes to the driver.

    Ids are checked across the whole frame. Of several rows with one id the least counts (by mechanism, then report),
    since a frame has no first one; the others are rejected as a "repeated id".

    Args:
        df: with the columns of a file of reports: design, id, mechanism, report.
        design: that the reports belong to.

    Raises:
        InvalidParameter: for columns that are not there or hold something else.
    """
    _require(df, "The frame of reports", tuple(COLUMNS.names))
    packed = _sent(df, design)
    blocks = mapped(_typed(df), work.Judging(packed, _bits(df)), BLOCK)
    partial = mapped(blocks.repartition("bucket"), work.Counting(packed), work.PACKED)
    if (partitions := _partitions(df)) > _MANY:
        partial = mapped(partial.repartition(math.isqrt(partitions)), work.Merging(packed), work.PACKED)
    return sum((work.unpacked(row["packed"], design) for row in partial.collect()), Tally(design))


def _rows(df: DataFrame, design: Design, person: str | None) -> tuple[DataFrame, str]:
    """The columns that are needed, of types that can be read, and the name of the one that names people."""
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.pandas.types import to_arrow_schema

    columns = columns_of(design, person)
    wanted = needed(design, columns)
    _require(df, "The frame", wanted)
    rows = df.select(*(_named(column).alias(f"c{k}") for k, column in enumerate(wanted)))
    try:
        schema = to_arrow_schema(rows.schema, timezone="UTC")
    except PySparkTypeError:
        raise InvalidParameter(f"The columns {', '.join(map(repr, wanted))} must hold numbers and texts.") from None
    work.read_people(pa.RecordBatch.from_pylist([], schema), People(columns.person), design, columns)
    return rows, columns.person


def _require(df: DataFrame, what: str, columns: tuple[str, ...]) -> None:
    """Refuse a frame without the columns, or with one of them twice in Spark's eyes, and frames of Spark Connect."""
    if getattr(df, "_jdf", None) is None:
        raise InvalidParameter("The frame must not be one of Spark Connect, over which nothing can be broadcast.")
    Reading(columns).require(what, df.columns)
    if str(df.sparkSession.conf.get("spark.sql.caseSensitive")).lower() == "true":
        return
    names = Counter(name.lower() for name in df.columns)
    for column in columns:
        if names[column.lower()] > 1:
            alike = "upper and lower case are the same to Spark"
            raise InvalidParameter(f"{what} has {names[column.lower()]} columns of the name {column!r}: {alike}.")


def _require_fixed(rows: DataFrame) -> None:
    """Refuse rows that another attempt would find changed: their reports would be drawn from the same bits."""
    if rows.isStreaming:
        raise InvalidParameter("A stream cannot be privatized: a person's rows would come one after the other.")
    plan: Any = rows._jdf.queryExecution().optimizedPlan()
    if not plan.deterministic():
        raise InvalidParameter(
            "The frame must be the same whenever Spark computes it, and something in it is random (such as rand, uuid "
            "or monotonically_increasing_id). Write it to files first, and privatize those."
        )


def _partitions(df: DataFrame) -> int:
    """How many partitions Spark makes where rows are placed by a column."""
    told = str(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return int(told) if told.isdigit() else 200  # some vendors' Spark says "auto"; 200 is what others begin with


def _bits(df: DataFrame) -> int:
    """Of a bucket: so many that partitions are even, since ids look random."""
    return min(max((_BUCKETS * _partitions(df) - 1).bit_length(), 8), 16)


def _sent(df: DataFrame, design: Design) -> Broadcast[bytes]:
    """The design on its way to the workers, apart from keys: what is sent in this way is written to temporary files."""
    return df.sparkSession.sparkContext.broadcast(work.pack(design))


def _secrets(design: Design, key: bytes | None) -> tuple[bytes, bytes]:
    """The keys of ids and of bits, which belong to this design alone."""
    whole: object = ENTROPY.bytes(32) if key is None else key  # a text would be no key, whatever its type says
    if not isinstance(whole, bytes) or not 32 <= len(whole) <= 64:
        raise InvalidParameter("The 'key' parameter of privatize must be 32 to 64 secret bytes.")
    named, purposes = design.hash.encode(), (b"geopriv ids", b"geopriv streams")
    ids, bits = (blake2b(named, key=whole, person=purpose, digest_size=32).digest() for purpose in purposes)
    return ids, bits


def _require_checkpoint(df: DataFrame, key: bytes | None) -> None:
    if key is not None:
        raise InvalidParameter("A key needs a column that names people: pass its name as 'person'.")
    if df.sparkSession.sparkContext.getCheckpointDir() is None:
        raise InvalidParameter(
            "Without a column that names people, Spark would draw other reports whenever it runs a task again. Pass "
            "'person', or call sparkContext.setCheckpointDir(...) (--checkpoint on the command line) so that reports "
            "are drawn once and kept there."
        )


def _typed(df: DataFrame) -> DataFrame:
    """The columns of reports, in the types of their files; whole numbers that are too large stay wrong."""
    from pyspark.sql import functions
    from pyspark.sql.types import ArrayType, IntegralType, StringType

    kinds = {field.name: field.dataType for field in df.schema.fields}
    reports = kinds["report"]
    whole = all(isinstance(kinds[name], IntegralType) for name in ("mechanism", "group") if name in kinds)
    texts = all(isinstance(kinds[name], StringType) for name in ("design", "id"))
    if not (texts and whole and isinstance(reports, ArrayType) and isinstance(reports.elementType, IntegralType)):
        found = {name: kinds[name].simpleString() for name in GROUPED.names if name in kinds}
        rule = "of texts (design, id) and whole numbers (mechanism, a group if there is one, and report: a list)"
        raise invalid("tally", "df", rule, found)
    told = [] if "group" not in kinds else [_index("group")]
    return df.select(
        "design", *told, "id", _index("mechanism"), functions.col("report").cast("array<bigint>").alias("report")
    )


def _index(name: str) -> Column:
    """A column of indices as whole numbers that Spark can hold; what is missing stays so."""
    from pyspark.sql import functions

    index = _named(name)
    return functions.when((index >= 0) & (index < 1 << 31), index).when(index.isNotNull(), -1).cast("int").alias(name)


def _named(column: str) -> Column:
    from pyspark.sql import functions

    return functions.col(f"`{column.replace('`', '``')}`")  # a dot in a name is part of it


def mapped(df: DataFrame, function: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> DataFrame:
    """The rows that a function makes of a frame's, batch by batch; it may hold a key."""
    for name in ("py4j.clientserver", "py4j.java_gateway"):
        logging.getLogger(name).addFilter(_holds_no_function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about pandas, which is not used here
        return df.mapInArrow(function, schema)


def _holds_no_function(record: logging.LogRecord) -> bool:
    """At the level DEBUG what is sent to Java is logged: functions with the keys in them are not to be."""
    return "PythonFunction" not in record.getMessage()
