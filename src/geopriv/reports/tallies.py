"""Reports counted: all that estimates need of them, in integers that can be added in any order."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from scipy.special import gammaln, xlogy

from geopriv.device.files import replacing
from geopriv.errors import InvalidParameter
from geopriv.mechanisms.counts import Counts, merged
from geopriv.mechanisms.sendable import Integers
from geopriv.reports.files import (
    COLUMNS,
    GROUPED,
    ID,
    ReportBatch,
    require_from,
    rows_in_range,
)
from geopriv.reports.ids import Sketch, Words, packed, words
from geopriv.reports.parquet_pages import opened, require_bounded
from geopriv.reports.reader import REASONS
from geopriv.reports.report_files import BATCH, BROKEN, column_names
from geopriv.reports.strata import groups_of
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design

_COLUMNS = pa.schema([("mechanism", pa.int32()), ("report", pa.list_(pa.int64())), ("times", pa.int64())])
_GROUPED = _COLUMNS.insert(0, pa.field("group", pa.int32()))  # where reports carry a group
MARK = b"geopriv tally"  # the key of the file's own metadata
_VERSION = 1
_CHANCE = 1e-9  # of two tallies that are alike in all numbers, and not of the same reports
_WAITING = 1 << 20  # rows that are gathered before they are counted
_MOST = 1 << 40  # reports in a file: more than there are people, and sums of thousands of files still fit


@dataclass(eq=False)
class Tally:
    """Reports to a design, counted. Memory grows with the distinct reports, not with the people.

    Tallies of the same design add up: A + B is what one tally of all their reports would be, exactly. Of ids the 4,096
    least are kept, by which two that count some of the same reports are known and not added (`Sketch`). Single reports
    that are in two tallies count twice; only reading the files of reports in one go (`tally`) finds those.

    Args:
        design: that the reports belong to.
        rejected: how many rows were no reports to it, by reason.

    >>> import numpy as np
    >>> from geopriv import Lattice, Line
    >>> from geopriv.reports import ReportBatch
    >>> counted = Tally(Design("demo", (Lattice.calibrate(Line(), 1.0),)))
    >>> counted.add(ReportBatch(0, np.array([[3], [-1], [3]])))
    >>> counted.n, counted.counts(0).rows.tolist(), counted.counts(0).times.tolist()
    (3, [[-1], [3]], [1, 2])
    """

    design: Design
    rejected: Counter[str] = field(default_factory=Counter)
    _parts: list[list[Counts]] = field(init=False, repr=False)
    _sketch: Sketch = field(default_factory=Sketch, init=False, repr=False)

    def __post_init__(self) -> None:
        axes = [mechanism.limits[0] for mechanism in self.design.mechanisms]
        nothing = np.zeros(0, dtype=np.int64)
        # of each mechanism what is merged, then what waits; a row is a group and a report
        self._parts = [[Counts(nothing.reshape(0, 1 + d), nothing)] for d in axes]
        self._together: dict[int, Counts] = {}  # of groups, as it was last asked for

    def add(self, batch: ReportBatch) -> None:
        """Count a batch.

        Raises:
            ReportRejected: for reports that cannot have come from the design; then none of the batch is counted.
        """
        require_from(self.design, batch)
        groups = np.zeros(len(batch), dtype=np.int64) if batch.groups is None else batch.groups
        self._count(batch.mechanism, groups, batch.rows)
        if all(map(ID.fullmatch, batch.ids)):
            self._sketch = self._sketch.and_of(words(packed("".join(batch.ids).encode())))

    def count(self, strata: Integers, rows: Integers, ids: Words) -> None:
        """Count reports that are known to come from the design, each once.

        Args:
            strata: the mechanism and the group of each, shape (n,).
            rows: the reports, shape (n, axes); what stands behind a shorter one is left out.
            ids: the first half of each id as a number, shape (n,).
        """
        self._sketch = self._sketch.and_of(ids)
        which, groups = np.divmod(strata, groups_of(self.design))
        for index in np.unique(which).tolist():
            mine, axes = which == index, self.design.mechanisms[index].limits[0]
            self._count(index, groups[mine], rows[mine, :axes])

    def _count(self, mechanism: int, groups: Integers, rows: Integers) -> None:
        told = np.concatenate([groups[:, None], rows], axis=1)
        self._add(mechanism, Counts(told, np.ones(len(rows), dtype=np.int64)))

    def counts(self, mechanism: int, group: int | None = None) -> Counts:
        """The distinct reports to a mechanism, in lexicographic order.

        Args:
            mechanism: its index in the design.
            group: the index of a group of the design; None for all together.
        """
        whole = self._told(mechanism)
        if group is None and self.design.groups is not None:
            if mechanism not in self._together:
                self._together[mechanism] = merged([Counts(whole.rows[:, 1:], whole.times)])
            return self._together[mechanism]
        mine = slice(*np.searchsorted(whole.rows[:, 0], [group or 0, (group or 0) + 1]).tolist())
        return Counts(whole.rows[mine, 1:], whole.times[mine])

    def of_group(self, group: int) -> Tally:
        """The reports of one group of the design, as a tally of its own; nothing is rejected in it."""
        only = Tally(self.design)
        for mechanism in range(len(self._parts)):
            whole = self._told(mechanism)
            mine = whole.rows[:, 0] == group
            only._add(mechanism, Counts(whole.rows[mine], whole.times[mine]))
        return only

    def of_round(self, number: int) -> Tally:
        """The reports of one round of a walk; those of others are rejected: anybody can send them.

        Args:
            number: of the round, from 1 on.

        Raises:
            InvalidParameter: for a design whose reports have no rounds, and for a round that it does not have.
        """
        if not self.design.walks:
            raise invalid("Tally.of_round", "number", "given with a design whose noise walks", number)
        last = self.design.mechanisms[0].ends[0][1] - 1
        if not 1 <= number <= last:
            raise invalid("Tally.of_round", "number", f"between 1 and {last}", number)
        only, whole = Tally(self.design, self.rejected.copy()), self._told(0)
        mine = whole.rows[:, 1] == number
        only._add(0, Counts(whole.rows[mine], whole.times[mine]))
        only.rejected += Counter({"another round": int(whole.times[~mine].sum())})
        return only

    def _told(self, mechanism: int) -> Counts:
        """The distinct reports to a mechanism, each behind its group."""
        parts = self._parts[mechanism]
        whole = list(parts)  # one state of it: questions are answered side by side, and each may be the first to ask
        if len(whole) > 1:
            parts[:] = whole = [merged(whole)]
        return whole[0]

    @property
    def n(self) -> int:
        """Reports that were counted."""
        return sum(part.n for parts in self._parts for part in parts)

    @property
    def unknown(self) -> int:
        """Reports of whose ids nothing is known: of tallies by an earlier geopriv, of one group or of one round."""
        return self.n - self._sketch.of

    def __add__(self, other: Tally) -> Tally:
        """Both together.

        Raises:
            InvalidParameter: for tallies of different designs, and for two that count some of the same reports.
        """
        if other.design.hash != self.design.hash:
            raise invalid("Tally", "other", f"of the design {self.design.hash[:12]}…", f"{other.design.hash[:12]}…")
        if self.shares(other):
            raise InvalidParameter(
                "Two tallies count some of the same reports: added, those would count twice. Count the files of "
                "reports in one go, which finds each that comes again."
            )
        total = Tally(self.design, self.rejected + other.rejected)
        total._sketch = self._sketch + other._sketch
        for mechanism in range(len(self._parts)):
            for tally in (self, other):
                total._add(mechanism, tally._told(mechanism))
        return total

    def repeats(self, other: Tally) -> bool:
        """Whether both count the same reports: alike, where others would hardly ever come in the same numbers."""
        told = [(self._told(k), other._told(k)) for k in range(len(self._parts))]
        alike = all(np.array_equal(a.rows, b.rows) and np.array_equal(a.times, b.times) for a, b in told)
        return alike and chance_of(np.concatenate([a.times for a, _ in told])) < _CHANCE

    def shares(self, other: Tally) -> bool:
        """Whether both are known to count some of the same reports, by the ids that each keeps (`Sketch`)."""
        return self._sketch.shares(other._sketch)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        pairs = [(self._told(k), other._told(k)) for k in range(len(self._parts)) if self.design == other.design]
        same = [np.array_equal(a.rows, b.rows) and np.array_equal(a.times, b.times) for a, b in pairs]
        return self.design == other.design and +self.rejected == +other.rejected and all(same)

    __hash__ = None  # type: ignore[assignment] # it can change

    def to_table(self) -> pa.Table:
        """The counts as a table, with the hash of the design and what was rejected in its metadata."""
        note = {"version": _VERSION, "design": self.design.hash, "rejected": dict(sorted((+self.rejected).items()))}
        note["ids"] = self._sketch.to_note()
        schema, parts = _columns(self.design).with_metadata({MARK: json.dumps(note).encode()}), []
        for mechanism in range(len(self._parts)):
            counted = self._told(mechanism)
            groups, rows = counted.rows[:, 0].astype(np.int32), counted.rows[:, 1:]
            m, axes = rows.shape
            lists = pa.ListArray.from_arrays(np.arange(m + 1, dtype=np.int32) * axes, rows.ravel())
            which = pa.repeat(pa.scalar(mechanism, pa.int32()), m)
            told = [] if self.design.groups is None else [pa.array(groups)]
            parts.append(pa.Table.from_arrays([*told, which, lists, pa.array(counted.times)], schema=schema))
        return pa.concat_tables(parts)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the counts as Parquet; the file is there whole or not at all."""
        with replacing(path) as fresh:
            pq.write_table(self.to_table(), fresh, compression="zstd", write_page_checksum=True)

    @classmethod
    def read(cls, path: str | os.PathLike[str], design: Design) -> Tally:
        """The tally of a file.

        Raises:
            InvalidParameter: for a file that is no tally, is damaged, or is of another design.
        """
        note = _note(path)
        if column_names(Path(path)) in (COLUMNS.names, GROUPED.names):
            raise InvalidParameter(
                f"The file {path} holds reports, and is no tally that Tally.write made: name it among the reports, "
                "without --add-tally (tallies=)."
            )
        if note is None:
            raise invalid("Tally.read", "path", "a file that Tally.write made", str(path))
        if note.get("version") != _VERSION:
            raise invalid("Tally.read", "path", f"of version {_VERSION}", note.get("version"))
        if note.get("design") != design.hash:
            found = str(note.get("design"))[:12]
            raise invalid("Tally.read", "path", f"a tally of the design {design.hash[:12]}…", f"{path}, of {found}…")
        try:
            total = _loaded(Path(path), design, _rejected(note["rejected"]))
            total._sketch = Sketch.of_note(note.get("ids"), total.n)
            return total
        except (*BROKEN, TypeError, KeyError, AttributeError):
            raise invalid("Tally.read", "path", "a whole file of counts that the design can have", str(path)) from None

    def _add(self, mechanism: int, counted: Counts) -> None:
        parts = self._parts[mechanism]
        parts.append(counted)
        self._together.pop(mechanism, None)
        # a merge when what waits has outgrown what was merged: every row is then sorted a few times, not once a batch
        if sum(len(part.times) for part in parts[1:]) > max(_WAITING, len(parts[0].times)):
            parts[:] = [merged(parts)]


def _loaded(path: Path, design: Design, rejected: Counter[str]) -> Tally:
    """What is in a file of counts, read in batches: of equal rows, of which there may be very many, one is kept."""
    columns = _columns(design)
    numbers = tuple(name for name in columns.names if name != "report")
    spans = require_bounded(path, (), numbers, ("report",)).spans
    total = Tally(design, rejected)
    with opened(path) as file:
        if not file.schema_arrow.equals(columns) or len(file.schema_arrow) != len(columns):
            raise ValueError
        for batch in (batch for groups in spans for batch in file.iter_batches(BATCH, row_groups=groups)):
            part = tally_of(pa.Table.from_batches([batch]), design, Counter())
            for mechanism in range(len(design.mechanisms)):
                total._add(mechanism, part._told(mechanism))
            if total.n > _MOST:
                raise ValueError
    return total


def tally_of(table: pa.Table, design: Design, rejected: Counter[str], sketch: Sketch | None = None) -> Tally:
    """The tally of a table with columns "mechanism", "report", "times", which may name a report several times.

    Where the design has groups, there is a column "group" too. The sketch is of the ids, where they are known.

    Raises:
        ValueError: for counts that no tally of the design holds.
    """
    names = ("mechanism", "times", "report", "group" if design.groups is not None else "mechanism")
    which, times, lists, groups = (table[name].combine_chunks() for name in names)
    if any(column.null_count for column in (which, times, lists, lists.values, groups)):
        raise ValueError
    which, times = which.to_numpy(), times.to_numpy()
    groups = groups.to_numpy() if design.groups is not None else np.zeros(len(which), dtype=np.int64)
    sizes, numbers = pc.list_value_length(lists).to_numpy(), lists.flatten().to_numpy()
    # as floats, since a sum of whole numbers can wrap around
    if (times < 1).any() or times.sum(dtype=np.float64) > _MOST:
        raise ValueError
    if ((which < 0) | (which >= len(design.mechanisms)) | (groups < 0) | (groups >= groups_of(design))).any():
        raise ValueError
    total = Tally(design, rejected)
    total._sketch = sketch or Sketch()
    for index, mechanism in enumerate(design.mechanisms):
        mine, axes = which == index, mechanism.limits[0]
        rows = numbers[np.repeat(mine, sizes)].reshape(-1, axes)
        if not rows_in_range(mechanism, rows).all() or (sizes[mine] != axes).any():
            raise ValueError
        told = np.concatenate([groups[mine, None], rows], axis=1).astype(np.int64)
        total._add(index, merged([Counts(told, times[mine].astype(np.int64))]))
    return total


def _columns(design: Design) -> pa.Schema:
    """The columns of a file of counts."""
    return _COLUMNS if design.groups is None else _GROUPED


def _rejected(found: dict[str, Any]) -> Counter[str]:
    """How many rows were rejected, as the reader counts them; the reasons end up on pages."""
    if not all(reason in REASONS and type(times) is int and 0 < times <= _MOST for reason, times in found.items()):
        raise ValueError
    return Counter(found)


def require_reports(path: str | os.PathLike[str]) -> None:
    """Refuse a file with the columns of a tally where reports are read; what it says of itself is not looked at.

    Raises:
        InvalidParameter: saying how a tally is added.
    """
    if column_names(Path(path)) in (_COLUMNS.names, _GROUPED.names):
        raise InvalidParameter(
            f"The file {path} holds counts and no reports. Whose counts you trust you say by naming the file as a "
            "tally: --add-tally (tallies=)."
        )


def _note(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """What a tally's file says of itself; None for every other file."""
    try:
        with opened(Path(path)) as file:
            note = (file.schema_arrow.metadata or {}).get(MARK)
    except FileNotFoundError:
        raise
    except BROKEN:
        return None
    try:
        return None if note is None else dict(json.loads(note))
    except (ValueError, TypeError):
        return {}  # a damaged one


def chance_of(times: Integers) -> float:
    """The largest chance with which n independent reports of one law come so often each: n!/n^n · Π t^t/t!.

    >>> round(chance_of(np.array([1, 1])), 3), chance_of(np.array([5])), chance_of(np.full(10, 1_000)) < 1e-14
    (0.5, 1.0, True)
    """
    each = np.append(times[times > 0], times.sum()).astype(float)
    signs = np.append(np.ones(len(each) - 1), -1.0)
    return math.exp(min(float(signs @ (xlogy(each, each) - gammaln(each + 1))), 0.0))
