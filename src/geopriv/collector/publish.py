"""Publishing: batches are closed, and their reports written as a file, in the order of their random ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.collector.batches import Batch
from geopriv.collector.live import foreign, numbers_of
from geopriv.collector.store import Store
from geopriv.errors import InvalidParameter, Unavailable
from geopriv.reports.files import ReportBatch, write_manifest, write_reports
from geopriv.surveys.design import Design

Tell = Callable[[int, int], None]  # how many reports are written, of how many


@dataclass(frozen=True)
class Published:
    """What was published.

    Args:
        output: the file of reports.
        batches: that are in it, all closed.
        rewritten: whether a database of SQLite's no longer tells in which order their reports came.
    """

    output: Path
    batches: tuple[Batch, ...]
    rewritten: bool = True

    @property
    def reports(self) -> int:
        """How many there are in the file."""
        return sum(batch.reports for batch in self.batches)

    def to_document(self) -> dict[str, Any]:
        """The same as plain JSON."""
        batches = [{"number": one.number, "day": str(one.day), "reports": one.reports} for one in self.batches]
        written = {"output": str(self.output), "reports": self.reports, "batches": batches}
        return written | {"rewritten": self.rewritten}


def publish(
    design: Design, store: Store, output: Path, numbers: Sequence[int] = (), tell: Tell = lambda done, of: None
) -> Published:
    """Close batches, and write their reports as a file that `tally` and `estimate` take.

    A batch that is closed takes no report any more, so the same batches are the same reports whenever they are
    published. Memory does not grow with the reports, and the file is there whole or not at all; batches are closed
    even where it cannot be written. Reports stand in the order of their random ids, which says nothing of who came
    when; and a database of SQLite's is written anew, so that it does not say it either.

    Args:
        design: that the reports belong to.
        store: of the reports.
        output: a file of ".parquet", or ".ndjson" or ".jsonl" for lines of JSON.
        numbers: of the batches that are wanted; all that there are by default.
        tell: is told how far it has come.

    Raises:
        InvalidParameter: for a database of another design, for a batch that is not there, and where there is no report.
        InvalidParameter, ReportRejected: for a database into which somebody else wrote what is no report.
        OSError: where the output cannot be written. Nothing is left of it.
    """
    store.require(design.hash)
    wanted = _chosen(store.batches(), numbers)
    store.close_batches(wanted)
    batches = tuple(one for one in store.batches() if one.number in wanted)
    done = Published(output, batches)

    def parts() -> Iterator[ReportBatch]:
        written = 0
        for rows in store.reports(wanted):
            yield from _parts(design, rows)
            written += len(rows)
            tell(written, done.reports)

    write_manifest(output, design, write_reports(output, design, parts()))
    try:
        store.rewrite()
    except Unavailable:
        return replace(done, rewritten=False)
    return done


def _chosen(batches: Sequence[Batch], numbers: Sequence[int]) -> list[int]:
    """The numbers of the batches that are meant."""
    known = [one.number for one in batches]
    if not known:
        raise InvalidParameter("There is no report to publish.")
    for number in numbers:
        if number not in known:
            raise InvalidParameter(f"The 'batch' must be one that has reports, {_listed(known)}. Got {number} instead.")
    return sorted(set(numbers)) or known


def _listed(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _parts(design: Design, rows: Sequence[Any]) -> Iterator[ReportBatch]:
    """Rows of the store by the mechanism that they answer."""
    ids, mechanisms, groups, texts = zip(*rows, strict=True)
    reports, which = numbers_of(texts), np.array(mechanisms)
    names = np.array([bytes(one).hex() for one in ids])
    starts, numbers = reports.offsets.to_numpy(), reports.values.to_numpy()
    for index in np.unique(which).tolist():
        mine = np.flatnonzero(which == index)
        sizes = starts[mine + 1] - starts[mine]
        if (sizes != sizes[0]).any():
            raise foreign()
        told = None if design.groups is None else np.array(groups, dtype=np.int64)[mine]
        rows_of = numbers[starts[mine][:, None] + np.arange(sizes[0])]
        yield ReportBatch(index, rows_of, tuple(names[mine].tolist()), told)
