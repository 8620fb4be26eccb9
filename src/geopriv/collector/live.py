"""Answers from the reports so far, made anew when somebody asks, they have grown old, and something came."""

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
from geopriv.collector.moment import Moment
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


@dataclass
class Live:
    """The answers of a survey that is still going on.

    Nothing is made anew before it is `age` seconds old, or `age` times as old as it took to make where that was longer
    than a second: so a page that is looked at all day costs about a tenth of a core where `age` is ten. Nor is it where
    nothing came. While one request makes it anew, others are answered with what there was.

    Args:
        design: of the survey.
        store: of its reports.
        age: seconds after which answers are made anew.
        together: reports that must have come before they are: of so many, nobody sees which is whose.
    """

    design: Design
    store: Store
    age: float = 10.0
    together: int = 1
    _then: float = -float("inf")
    _moment: Moment | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def counted(self) -> Tally:
        """All reports so far, counted by the database, and what was rejected.

        Raises:
            InvalidParameter: for a database into which somebody else wrote what is no report to the design.
        """
        return self._tally(self._table(), Counter(self.store.rejected()))

    def now(self) -> Moment:
        """The reports as they are, or were not long ago."""
        last = self._moment
        # who finds somebody else at it waits only where there is nothing yet, or where nothing may be old
        if not self._lock.acquire(blocking=last is None or not self.age):
            assert last is not None
            return last
        try:
            if self._moment is None or time.monotonic() - self._then > self.age * max(1.0, self._moment.spent):
                self._moment = self._renewed(self._moment)
                self._then = time.monotonic()
            return self._moment
        finally:
            self._lock.release()

    def answers(self, round: int | None = None) -> Answers:
        """The answers so far, of a walk in one round.

        Raises:
            Refused: where there are too few reports, or no such round.
        """
        return self.now().answers(round)

    def _renewed(self, last: Moment | None) -> Moment:
        n, rejected, invitations = self.store.counted(), self.store.rejected(), self.store.invitations()
        if last is not None and (last.counted.n, last.counted.rejected, last.invitations) == (n, rejected, invitations):
            return last
        if self.together > 1 and abs(n - (last.counted.n if last else 0)) < self.together:
            return last or Moment(self._tally(_COUNTS.empty_table(), Counter()))
        began = time.monotonic()
        table = self._table()
        counted = self._tally(table, Counter(rejected))
        return Moment(counted, time.monotonic() - began, lambda: self._days(table), invitations)

    def _table(self) -> pa.Table:
        parts = [_counts(rows) for rows in self.store.counts()]
        return pa.concat_tables([_COUNTS.empty_table(), *parts])

    def _tally(self, table: pa.Table, rejected: Counter[str]) -> Tally:
        try:
            return tally_of(table, self.design, rejected)
        except ValueError:
            raise foreign() from None

    def _days(self, table: pa.Table) -> dict[str, Tally]:
        """The same reports by the day on which they came, in UTC."""
        days: dict[str, list[int]] = {}
        for batch in self.store.batches():
            days.setdefault(str(batch.day), []).append(batch.number)
        parts = {day: table.filter(pc.field("batch").isin(days[day])) for day in sorted(days)}
        return {day: self._tally(part, Counter()) for day, part in parts.items()}


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
