"""Are raw reports alike on all days? Where not, the people changed or reports are made up: nobody can tell which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc

from geopriv.answers.estimate import estimate
from geopriv.answers.rows import PLACES
from geopriv.errors import ReportRejected
from geopriv.mechanisms.sendable import Integers
from geopriv.reports.strata import groups_of
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import FloatArray, fraction, invalid

LEVEL = 1e-3  # somebody looks every day, for weeks
FEWEST = 200  # reports of a day; days with fewer are joined with the next
_EXPECTED = 20  # reports in each cell of a day, so that tails of the chi-square law hold far out
_CELLS = 64  # of a test


@dataclass(frozen=True)
class Day:
    """A day, or some with few reports that are taken together.

    Args:
        name: of the day, or of the first and the last.
        reports: how many there are.
        p_value: how likely one of the days would differ from all others as much as this one, if all were alike.
    """

    name: str
    reports: int
    p_value: float


@dataclass(frozen=True)
class Moved:
    """The answer that differs most between one day and all others, in standard errors.

    Args:
        question: its name.
        place: which of its values, in words; empty where it has one.
        there: the value on that day.
        elsewhere: the value on all others.
        error: the standard error of the difference.
        unit: of all three.
    """

    question: str
    place: str
    there: float
    elsewhere: float
    error: float
    unit: str

    def __str__(self) -> str:
        of, unit = (f" at {self.place}" if self.place else ""), (f" {self.unit}" if self.unit else "")
        return (
            f"{self.question!r}{of} is {self.there:.3g}{unit} on that day and {self.elsewhere:.3g}{unit} on the others "
            f"(standard error of the difference {self.error:.2g}{unit})"
        )


@dataclass(frozen=True)
class Shifts:
    """Whether raw reports are alike on all days.

    Args:
        days: that were compared, in their order; fewer than two where there are too few reports.
        p_value: how likely some day would differ from the others as much as the oddest one, if all were alike; None
            where nothing could be compared.
        level: below which days are said to differ.
        moved: the answer that moved most on the oddest day; None where days do not differ, or nothing can be said.
    """

    days: tuple[Day, ...]
    p_value: float | None
    level: float
    moved: Moved | None = None

    @property
    def differ(self) -> bool:
        """Whether days differ more than chance explains."""
        return self.p_value is not None and self.p_value < self.level

    @property
    def oddest(self) -> Day | None:
        """The day that differs most from the others."""
        return min(self.days, key=lambda day: day.p_value) if self.p_value is not None else None

    @property
    def words(self) -> str:
        """The same in sentences."""
        odd = self.oddest
        if odd is None or self.p_value is None:
            return f"Days cannot be compared yet: that takes {FEWEST} reports on each of two days."
        chance = f"if all days were alike, some day would differ this much with a chance of {_chance(self.p_value)}"
        if not self.differ:
            return f"No shift between days is seen in the raw reports. The oddest is {odd.name}; {chance}."
        moved = f" Moved most: {self.moved}." if self.moved else ""
        return (
            f"Raw reports of {odd.name} differ from those of the other days: {chance}.{moved} This may be a true "
            "change (other people came, or their values changed) or made-up reports: reports cannot tell which."
        )

    def to_document(self) -> dict[str, Any]:
        """The same as plain JSON, with the words."""
        odd = self.oddest
        return {
            "words": self.words,
            "differ": self.differ,
            "p_value": self.p_value,
            "level": self.level,
            "oddest": None if odd is None else odd.name,
            "moved": None if self.moved is None else {**vars(self.moved), "words": str(self.moved)},
            "days": [vars(day) for day in self.days],
        }


def shifts(days: Mapping[Any, Tally], level: float = LEVEL) -> Shifts:
    """Compare the raw reports of days, each with all others together.

    Of each number of a report, beside the mechanism and the group, the distribution on a day and on all others are
    compared by a chi-square test of homogeneity. Neighbouring reports are put into cells by all days together, so that
    in each at least 20 reports are expected of each day; so cells depend on the sums alone, and the test is one given
    these. The least p-value is multiplied by the number of tests (Bonferroni). If reports of all days are independent
    and of one law, days are said to differ with a chance of at most `level`, up to the error of the chi-square law
    (tests/answers/test_shifts.py measures it). It is the chance of one look: whoever looks each day has more.

    No test can tell liars from a change of the population. Liars who are equally many every day, or whose reports are
    spread as all others are, are not seen.

    Args:
        days: the tally of each day, in their order, by its name. Days with few reports are joined with the next.
        level: below which p-value days are said to differ.

    Raises:
        InvalidParameter: for tallies of different designs, for a design whose noise walks (each round of it has other
            reports), and for a level that is not between 0 and 1.
    """
    fraction("shifts", "level", level)
    joined = _joined(days)
    if len(joined) < 2:
        return Shifts(tuple(Day(name, part.n, 1.0) for name, part in joined), None, level)
    sizes = np.array([part.n for _, part in joined])
    tests = [_merged(table, sizes) for table in _tables([part for _, part in joined])]
    found = np.array([homogeneity(table) for table in tests if table.shape[1] > 1])
    if not len(found):  # all reports say the same
        found = np.ones((1, len(joined)))
    looks = len(found) * (1 if len(joined) == 2 else len(joined))  # of two days each is the others of the other
    least = np.minimum(1.0, looks * found.min(axis=0))
    told = tuple(Day(name, part.n, float(p)) for (name, part), p in zip(joined, least, strict=True))
    made = Shifts(told, float(least.min()), level)
    odd = int(np.argmin(least))
    return Shifts(told, made.p_value, level, _moved([part for _, part in joined], odd)) if made.differ else made


def homogeneity(table: Integers) -> FloatArray:
    """The p-value of each row of counts against all others together, by the chi-square law.

    With O counts of a row, E = row sum · column sum / n expected ones, and n_r the row sum, Σ (O − E)²/E · n/(n − n_r)
    is Pearson's statistic of the row and the sum of the others; it has one degree of freedom less than columns.

    Args:
        table: counts of shape (rows, columns); no column is empty.

    >>> homogeneity(np.array([[50, 50], [50, 50], [80, 20]])).round(5).tolist()
    [0.01242, 0.01242, 0.0]
    """
    n, rows = table.sum(), table.sum(axis=1, keepdims=True)
    expected = rows * (table.sum(axis=0) / n)
    statistic = ((table - expected) ** 2 / expected).sum(axis=1) * (n / (n - rows[:, 0]))
    return np.asarray(chdtrc(table.shape[1] - 1, statistic), dtype=np.float64)


def _joined(days: Mapping[Any, Tally]) -> list[tuple[str, Tally]]:
    """Days with enough reports; those with few are joined with the next, and the last with the one before."""
    parts: list[tuple[list[str], Tally]] = []
    for name, tally in days.items():
        if tally.design.walks:
            raise invalid("shifts", "days", "of a design whose noise does not walk", tally.design.survey)
        if not tally.n:
            continue
        if parts and parts[-1][1].n < FEWEST:
            parts[-1] = [*parts[-1][0], str(name)], parts[-1][1] + tally
        else:
            parts.append(([str(name)], tally))
    if len(parts) > 1 and parts[-1][1].n < FEWEST:
        (names, tally), last = parts[-2], parts.pop()
        parts[-1] = names + last[0], tally + last[1]
    return [(names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", tally) for names, tally in parts]


def _tables(tallies: Sequence[Tally]) -> Iterator[Integers]:
    """Of each number of a report: how often each of its values came in each stratum on each day, in their order."""
    design = tallies[0].design
    if any(tally.design.hash != design.hash for tally in tallies):
        raise invalid("shifts", "days", "of one design", "several")
    for axis in range(max(mechanism.limits[0] for mechanism in design.mechanisms)):
        parts = [_values(tally, axis) for tally in tallies]
        values, where = np.unique(np.concatenate([part[:, :2] for part in parts]), axis=0, return_inverse=True)
        table = np.zeros((len(tallies), len(values)), dtype=np.int64)
        day = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        np.add.at(table, (day, where.ravel()), np.concatenate([part[:, 2] for part in parts]))
        yield table


def _values(tally: Tally, axis: int) -> Integers:
    """Rows of a stratum, a value and how often it came; a report without that number has 0 there."""
    design, rows = tally.design, [np.zeros((0, 3), dtype=np.int64)]
    groups = groups_of(design)
    for stratum in range(len(design.mechanisms) * groups):
        mechanism, group = divmod(stratum, groups)
        counts = tally.counts(mechanism, None if design.groups is None else group)
        value = counts.rows[:, axis] if axis < counts.rows.shape[1] else np.zeros_like(counts.times)
        rows.append(np.stack([np.full_like(counts.times, stratum), value, counts.times], axis=1))
    return np.concatenate(rows)


def _merged(table: Integers, sizes: npt.NDArray[np.int64]) -> Integers:
    """Neighbouring columns put together, so that each has enough of every row, and there are not too many."""
    total, n = table.sum(axis=0), int(sizes.sum())
    need = max(_EXPECTED * n / min(sizes.min(), n - sizes.max()), n / _CELLS)
    sums, starts = np.cumsum(total), [0]
    while (before := sums[starts[-1] - 1] if starts[-1] else 0) + 2 * need <= n:
        start = int(np.searchsorted(sums, before + need)) + 1
        if n - sums[start - 1] < need:
            break
        starts.append(start)
    return np.asarray(np.add.reduceat(table, starts, axis=1))


def _moved(tallies: Sequence[Tally], odd: int) -> Moved | None:
    """The value of all answers that differs most between a day and all others, in standard errors."""
    design = tallies[odd].design
    if not design.questions:
        return None
    rest = Tally(design)
    for k, tally in enumerate(tallies):
        rest = rest if k == odd else rest + tally
    try:
        there, elsewhere = (estimate(design, part).to_arrow() for part in (tallies[odd], rest))
    except ReportRejected:  # a group that nobody was of on that day
        return None
    columns = ("value", "standard_error")
    (a, e), (b, f) = ([part[name].to_numpy() for name in columns] for part in (there, elsewhere))
    error = np.hypot(e, f)
    known = np.isfinite(error) & (error > 0) & np.array([group is None for group in there["group"].to_pylist()])
    if not known.any():
        return None
    most = int(np.argmax(np.where(known, np.abs(a - b) / np.where(known, error, 1.0), -1.0)))
    row = there.slice(most, 1).to_pylist()[0]
    place = ", ".join(f"{name} {row[name]:g}" for name in PLACES if row.get(name) is not None)
    return Moved(row["question"], place, float(a[most]), float(b[most]), float(error[most]), row["unit"] or "")


def _chance(p_value: float) -> str:
    return f"{p_value:.2g}" if p_value >= 1e-6 else "less than one in a million"
