"""Answers from the reports so far, made anew when somebody asks and they have grown old."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from geopriv.answers.answers import Answers
from geopriv.answers.estimate import estimate
from geopriv.collector.store import Store
from geopriv.reports.files import COLUMNS, GROUPED
from geopriv.reports.tallies import Tally
from geopriv.reports.verbs import tally
from geopriv.surveys.design import Design

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
        """All reports so far, and what was rejected."""
        total = Tally(self.design)
        for rows in self.store.reports():
            total += tally(self.design, table_of(self.design, rows))
        total.rejected = Counter(self.store.rejected())
        return total

    def answers(self) -> Answers | None:
        """The answers so far; None where there are too few reports for any."""
        with self._lock:
            then, found = self._made
            if time.monotonic() - then > self.age:
                counted = self.counted()
                found = estimate(self.design, counted) if counted.n >= _FEWEST else None
                self._made = time.monotonic(), found
            return found


def table_of(design: Design, rows: Sequence[Any]) -> pa.Table:
    """Rows of the store as a table of reports."""
    import json

    columns = list(zip(*rows, strict=True)) or [()] * 4
    ids, mechanisms, groups, reports = columns
    made = [
        pa.repeat(pa.scalar(design.hash), len(ids)),
        *([] if design.groups is None else [pa.array(groups, pa.int32())]),
        pa.array([bytes(one).hex() for one in ids], pa.string()),
        pa.array(mechanisms, pa.int32()),
        pa.array([json.loads(report) for report in reports], pa.list_(pa.int64())),
    ]
    return pa.Table.from_arrays(made, schema=COLUMNS if design.groups is None else GROUPED)
