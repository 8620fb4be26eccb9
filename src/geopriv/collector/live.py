"""Answers from the reports so far, made anew when somebody asks and they have grown old."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from geopriv.answers.answers import Answers
from geopriv.answers.estimate import estimate
from geopriv.collector.store import Store
from geopriv.errors import InvalidParameter
from geopriv.reports.tallies import Tally, tally_of
from geopriv.surveys.design import Design

_COUNTS = pa.schema(
    [
        ("batch", pa.int32()),
        ("mechanism", pa.int32()),
        ("group", pa.int32()),
        ("report", pa.list_(pa.int64())),
        ("times", pa.int64()),
    ]
)
_FEWEST = 2  # reports for which anything can be said


@dataclass
class Live:
    """The answers of a survey that is still going on.

    Args:
        design: of the survey.
        store: of its reports.
        age: seconds after which answers are made anew.
    """

    design: Design
    store: Store
    age: float = 10.0
    _made: tuple[float, Answers | None] = (-float("inf"), None)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def counted(self) -> Tally:
        """All reports so far, counted by the database, and what was rejected.

        Raises:
            InvalidParameter: for a database into which somebody else wrote what is no report to the design.
        """
        parts = [_counts(rows) for rows in self.store.counts()]
        table = pa.concat_tables([_COUNTS.empty_table(), *parts])
        try:
            return tally_of(table, self.design, Counter(self.store.rejected()))
        except ValueError:
            raise foreign() from None

    def answers(self) -> Answers | None:
        """The answers so far; None where there are too few reports for any."""
        with self._lock:
            then, found = self._made
            if time.monotonic() - then > self.age:
                counted = self.counted()
                found = estimate(self.design, counted) if counted.n >= _FEWEST else None
                self._made = time.monotonic(), found
            return found


def _counts(rows: Sequence[Any]) -> pa.Table:
    """Rows of the store as a table of counts."""
    batches, mechanisms, groups, texts, times = zip(*rows, strict=True)
    return pa.Table.from_arrays([batches, mechanisms, groups, numbers_of(texts), times], schema=_COUNTS)


def numbers_of(texts: Sequence[str]) -> pa.ListArray:
    """Reports as the store has them, "[3, -1]", as lists of numbers.

    >>> numbers_of(["[3, -1]", "[2]"]).to_pylist()
    [[3, -1], [2]]

    Raises:
        InvalidParameter: for what is no report.
    """
    parts = pc.split_pattern(pc.utf8_trim(pa.array(texts, pa.string()), "[]"), ", ")
    try:
        return pa.ListArray.from_arrays(parts.offsets, pc.cast(parts.values, pa.int64()))
    except pa.ArrowInvalid:
        raise foreign() from None


def foreign() -> InvalidParameter:
    """Of a database into which somebody else wrote."""
    return InvalidParameter("The database must hold reports that the design can have, and no others.")
