"""A table of people becomes a file of reports: what each person's own device would send, made in one place.

Who runs this holds the raw values, so it protects people from those who get the reports, not from the operator. What
it counts (rows, unreadable ones, repeats) is about the file that the operator already holds, and is told to nobody
else. How many values were clamped is not counted: that would be a statistic of values.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.integers import Integers, draw_shares, report_integers
from geopriv.noise.entropy import ENTROPY
from geopriv.noise.entropy import Source as Entropy
from geopriv.queries.source import Source
from geopriv.reports.engines import Data, Reading, batches
from geopriv.reports.engines.ahead import ahead
from geopriv.reports.engines.parts import parts, publish
from geopriv.reports.engines.people import People
from geopriv.reports.engines.shuffle import Shuffle
from geopriv.reports.files import limits, records, write_records
from geopriv.reports.register import Register
from geopriv.reports.report_files import holds_reports
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.surveys.design import Design

Progress = Callable[[str, int, float | None], None]
"""Told the stage ("reading", "writing"), rows done so far, and the share of the stage that is done, if known."""

_KINDS = {".parquet": True, ".ndjson": False, ".jsonl": False}


@dataclass(frozen=True)
class Privatized:
    """What a run did, for the operator's eyes.

    Args:
        output: the file of reports; on Spark the folder, as it was named.
        rows: that were read.
        reports: that were written.
        repeated: rows of people who had reported before in the same run.
        unread: rows without a report because their values could not be read, by reason.
        earlier: runs of the same survey that the register knew; who was in k of them has spent k + 1 times ε.
    """

    output: Path | str
    rows: int
    reports: int
    repeated: int = 0
    unread: dict[str, int] = field(default_factory=dict)
    earlier: int = 0

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return {**vars(self), "output": str(self.output)}


def privatize(
    design: Design,
    data: Data,
    output: str | os.PathLike[str],
    *,
    person: str | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    again: bool = False,
    register: str | os.PathLike[str] | None = None,
) -> Privatized:
    """One exact report for each person of a table, written in an order that tells nothing of the table's.

    Values are clamped to the design's public range; each person then answers one mechanism, drawn by the design's
    shares without a look at the value. Rows whose values are missing or are no finite numbers are counted and left out.
    Where a column names people, a person's first readable row counts.

    Guarantee: each report has the law of its mechanism at the clamped value (theory T5, T8), and clamping is
    1-Lipschitz, so a person has the design's promise towards whoever sees the output. Rows are sorted by keys that are
    random, or a secret random function of the person's name, and are thrown away; ids are drawn afterwards. So their
    order and their ids are independent of the order and the names in the table (with names: to anyone who cannot tell
    keyed BLAKE2b from a random function). It is about one run: who is in k runs has spent k times ε, which is why the
    register refuses a second run of a survey that nobody has said aloud.

    Memory does not grow with the table: beyond half a million rows, reports wait in a temporary folder beside the
    output, which is removed. A killed run leaves at most that folder, and the next run removes it.

    Args:
        design: what is promised; its source says which columns hold the values, and their public range.
        data: the path of a CSV, Parquet or Arrow file or of a folder of them, a query (`Sql`), or a table in memory
            that offers an Arrow stream.
        output: ".parquet", or ".ndjson" or ".jsonl" for lines of JSON.
        person: the column that names people; by default the source's. "" for a person a row.
        progress: is told how far the run has come.
        overwrite: replace an output that exists, if it is one of reports.
        again: whether another run of a survey that the register knows is meant: it gives second reports, also where
            the first file is replaced, since that may have been handed on.
        register: the file that tells what was privatised before; by default the operator's own (`Register.of`).

    Raises:
        InvalidParameter: for data that cannot be read, for an output that exists, and for a second run.
        OSError: where the output cannot be written. Nothing is left of it.
    """
    target, tell = Path(output), progress or _silent
    source = columns_of(design, person)
    if target.suffix not in _KINDS:
        raise invalid("privatize", "output", f"a file of {', '.join(_KINDS)}", target.name)
    if target.exists() and not overwrite:
        raise _exists(target)
    if target.is_file() and not holds_reports(target):
        rule = "a file of reports, if it is to be replaced: this one may be the people's own"
        raise invalid("privatize", "output", rule, str(output))
    known = Register.of(register)
    earlier = known.require_new(design, again)
    with _writing(target), parts(target) as folder:
        width = 3 + max(limits(m)[0] for m in design.mechanisms)
        run = _Run(design, source, Shuffle(folder / "rows", width, repeats="first" if source.person else "none"))
        run.read(data, tell)
        fresh = folder / "reports"
        written = write_records(fresh, run.told(tell), _KINDS[target.suffix])
        _publish(fresh, target, overwrite, known, known.begin(design, again, written))
    return Privatized(target, run.rows, written, run.shuffle.repeated, dict(run.unread), earlier)


def _publish(fresh: Path, output: Path, overwrite: bool, register: Register, number: int) -> None:
    """Give the reports their name, from which moment on somebody may see them, and say so in the register."""
    try:
        publish(fresh, output, overwrite)
    except BaseException as error:
        if fresh.exists() and not (output.exists() and output.samefile(fresh)):
            register.withdraw(number)
        elif isinstance(error, OSError):
            raise _Published(error.errno, error.strerror) from None
        raise
    register.complete(number)


class _Published(OSError):
    """The disk failed when the reports had got their name."""


@dataclass
class _Run:
    """What is known on the way from rows to reports."""

    design: Design
    source: Source
    shuffle: Shuffle
    rows: int = 0
    unread: Counter[str] = field(default_factory=Counter)

    def read(self, data: Data, tell: Progress) -> None:
        """Every readable row drawn, and waiting under its key."""
        people = People(self.source.person)
        reading = Reading(self.source.columns + ((self.source.person,) if self.source.person else ()))
        for values, names in ahead(self._people(data, reading, people)):
            keys = people.keys(names, len(values))
            self.shuffle.add(np.concatenate([keys, draw_reports(self.design, values).view(np.uint64)], axis=1))
            tell("reading", self.rows, reading.share)
        self.unread += reading.left_out
        self.rows += reading.left_out.total()
        require_readable(self.rows, self.unread)

    def _people(
        self, data: Data, reading: Reading, people: People
    ) -> Generator[tuple[FloatArray, pa.Array | None], None, None]:
        """Clamped values of the rows that can be read, and the names that belong to them."""
        for batch in batches(data, reading):
            values, names, unread = people.read(batch, self.source, self.design.space)
            self.rows += batch.num_rows
            self.unread += unread
            yield values, names

    def told(self, tell: Progress) -> Iterator[pa.RecordBatch]:
        """The reports, while it is told how many have been written."""
        done = 0
        for batch in ahead(self._records()):
            yield batch
            done += batch.num_rows
            tell("writing", done, min(done / (self.shuffle.rows - self.shuffle.repeated), 1.0))

    def _records(self) -> Generator[pa.RecordBatch, None, None]:
        """The reports in the order of their keys, under new random ids."""
        for rows in self.shuffle.sorted():
            ids = np.frombuffer(ENTROPY.bytes(16 * len(rows)), dtype=np.uint8).reshape(-1, 16)
            yield records(self.design, rows[:, 2].astype(np.int32), rows[:, 3:].view(np.int64), ids)


def draw_reports(design: Design, values: FloatArray, source: Entropy = ENTROPY) -> Integers:
    """The mechanism and the report of each person, shape (n, 1 + axes); a shorter report is filled up with zeros.

    Guarantee: the design's, for every float value (theory T5, T8): which mechanism a person answers does not depend on
    the value.
    """
    which = draw_shares(design.shares, len(values), source)
    drawn = np.zeros((len(values), 1 + max(limits(m)[0] for m in design.mechanisms)), dtype=np.int64)
    drawn[:, 0] = which
    for index, mechanism in enumerate(design.mechanisms):
        mine = np.flatnonzero(which == index) if len(design.mechanisms) > 1 else np.arange(len(values))
        report = report_integers(mechanism, values[mine], source.among(mine))
        drawn[mine, 1 : 1 + report.shape[1]] = report
    return drawn


def require_readable(rows: int, unread: Counter[str]) -> None:
    """Refuse a table without a row that can be read.

    Raises:
        InvalidParameter: saying why they cannot.
    """
    if not rows:
        raise InvalidParameter("The data has no rows.")
    if rows == unread.total():
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in unread.items())
        raise InvalidParameter(f"None of the {rows:,} rows could be read: {reasons}.")


def columns_of(design: Design, person: str | None) -> Source:
    """Where a design's values are found in a table, and the column that names people, if another one is given."""
    if design.source is None:
        raise InvalidParameter(
            f"The design of {design.survey!r} does not say in which columns the values are: name them in the survey "
            "(columns = [\u2026] under [space]) and plan again, or let devices report (python -m geopriv.client)."
        )
    return design.source if person is None else replace(design.source, person=person)


def _exists(output: Path) -> InvalidParameter:
    return InvalidParameter(
        f"There is a file {str(output)!r} already. Another run gives every person a second report, and whoever sees "
        "both learns twice as much. For other people name another file, and say --again (again=True); with --overwrite "
        "(overwrite=True) too, this one is replaced."
    )


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    """What the disk says, in one sentence."""
    try:
        yield
    except FileExistsError:
        raise _exists(output) from None
    except OSError as error:
        number = error.errno or errno.EIO
        what = "The reports may be there or not" if isinstance(error, _Published) else "Nothing was written"
        raise OSError(number, f"{what}, for the disk said: {os.strerror(number)}", str(output)) from None


def _silent(stage: str, rows: int, share: float | None) -> None:
    pass
