"""Reports that are made in this process, of rows that an engine reads, and one file of them.

Who runs this holds the raw values, so it protects people from those who get the reports, not from the operator. What
it counts (rows, unreadable ones, repeats) is about the file that the operator already holds, and is told to nobody
else. How many values were clamped is a statistic of values: it decides whether a run stops (`stops`), is thrown away,
and is in nothing that is written.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from geopriv.errors import InvalidParameter
from geopriv.noise.entropy import ENTROPY
from geopriv.queries.source import Source
from geopriv.reports.drawing import Order, Privatized, Progress, columns_of, draw_reports, wanted
from geopriv.reports.engines.ahead import ahead
from geopriv.reports.engines.parts import parts, publish
from geopriv.reports.engines.people import People, Read
from geopriv.reports.engines.reading import Reading
from geopriv.reports.engines.shuffle import Shuffle
from geopriv.reports.engines.stops import require_plausible
from geopriv.reports.engines.suspicions import Suspicions
from geopriv.reports.files import MANIFEST, columns_in, records, write_manifest, write_records
from geopriv.reports.register import spent
from geopriv.reports.report_files import holds_reports
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design

Rows = Callable[[Reading], Iterator[pa.RecordBatch]]  # batches of the columns that are wanted

_KINDS = {".parquet": True, ".ndjson": False, ".jsonl": False}


def privatize_rows(rows: Rows, order: Order) -> Privatized:
    """What `privatize` does, with rows that come to this process in batches."""
    design, target, register = order.design, Path(order.output), order.register
    source = columns_of(design, order.person)
    if target.suffix not in _KINDS:
        raise invalid("privatize", "output", f"a file of {', '.join(_KINDS)}", target.name)
    if target.exists() and not order.overwrite:
        raise _exists(target)
    if target.is_file() and not holds_reports(target):
        rule = "a file of reports, if it is to be replaced: this one may be the people's own"
        raise invalid("privatize", "output", rule, order.output)
    earlier = register.require_new(design, order.again)
    with _writing(target), parts(target) as folder:
        width = 3 + max(m.limits[0] for m in design.mechanisms)
        run = _Run(design, source, Shuffle(folder / "rows", width, repeats="first" if source.person else "none"))
        run.read(rows, order)
        fresh = folder / "reports"
        written = write_records(fresh, run.told(order.progress), columns_in(design), _KINDS[target.suffix])
        _publish(fresh, order, register.begin(design, order.again, written), written)
    spend = spent(earlier, design)
    return Privatized(target, run.rows, written, run.shuffle.repeated, dict(run.unread), len(earlier), spend)


def _publish(fresh: Path, order: Order, number: int, reports: int) -> None:
    """Give the reports their name, from which moment on somebody may see them, and say so in the register."""
    output, register = Path(order.output), order.register
    try:
        if order.overwrite:
            Path(f"{output}{MANIFEST}").unlink(missing_ok=True)  # of the file that is replaced
        publish(fresh, output, order.overwrite)
    except BaseException as error:
        if fresh.exists() and not (output.exists() and output.samefile(fresh)):
            register.withdraw(number)
        elif isinstance(error, OSError):
            raise _Published(error.errno, error.strerror) from None
        raise
    register.complete(number)
    try:
        write_manifest(output, order.design, reports)
    except OSError as error:
        raise _Published(error.errno, error.strerror) from None


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

    def read(self, rows: Rows, order: Order) -> None:
        """Every readable row drawn, and waiting under its key; a table that looks wrong as a whole is refused."""
        people, suspicions = People(self.source.person), Suspicions(self.source, self.design.space)
        reading = Reading(wanted(self.design, self.source))
        for read in ahead(self._people(rows, reading, people, suspicions)):
            keys = people.keys(read.names, len(read.values))
            drawn = draw_reports(self.design, read.values, groups=read.groups)
            self.shuffle.add(np.concatenate([keys, drawn.view(np.uint64)], axis=1))
            order.progress("reading", self.rows, reading.share)
        self.unread += reading.left_out
        self.rows += reading.left_out.total()
        require_plausible(self.rows, self.unread, suspicions, order)

    def _people(
        self, rows: Rows, reading: Reading, people: People, suspicions: Suspicions
    ) -> Generator[Read, None, None]:
        """Clamped values of the rows that can be read, and the names and groups that belong to them."""
        for batch in rows(reading):
            read = people.read(batch, self.source, self.design.space, self.design.groups, suspicions)
            self.rows += batch.num_rows
            self.unread += read.unread
            yield read

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
            yield records(self.design, rows[:, 2].astype(np.int64), rows[:, 3:].view(np.int64), ids)


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
