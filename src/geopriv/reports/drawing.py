"""What every engine does with people's values: find their columns, draw a report of each, and say what was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.sendable import Integers, draw_shares
from geopriv.noise.entropy import ENTROPY
from geopriv.noise.entropy import Source as Entropy
from geopriv.queries.source import Source
from geopriv.reports.register import Register
from geopriv.reports.strata import strata_of
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

Progress = Callable[[str, int, float | None], None]
"""Told the stage ("reading", "writing"), rows done so far, and the share of the stage that is done, if known."""


@dataclass(frozen=True)
class Privatized:
    """What a run did, for the operator's eyes.

    Args:
        output: the file of reports; on Spark the folder, as it was named.
        rows: that were read.
        reports: that were written.
        repeated: rows of people who had reported before in the same run.
        unread: rows without a report because their values could not be read, by reason.
        earlier: runs of the same survey that the register knew.
        spent: in words, what reports of all of them and of this one cost together; "" where it is the first.
    """

    output: Path | str
    rows: int
    reports: int
    repeated: int = 0
    unread: dict[str, int] = field(default_factory=dict)
    earlier: int = 0
    spent: str = ""

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return {**vars(self), "output": str(self.output)}


@dataclass(frozen=True)
class Order:
    """One run of `privatize`, as it was asked for.

    Args:
        design: what is promised.
        output: where the reports go.
        person: the column that names people; None for the source's.
        progress: is told how far the run has come.
        overwrite: whether an output of reports may be replaced.
        again: whether a second run of the survey is meant.
        register: that tells what was privatised before.
        allow_unreadable: the share of rows that may be left out because they cannot be read.
        allow_odd: whether values that look wrong as a whole are meant as they are.
    """

    design: Design
    output: str
    person: str | None
    progress: Progress
    overwrite: bool
    again: bool
    register: Register
    allow_unreadable: float = 0.01
    allow_odd: bool = False


def draw_reports(
    design: Design, values: FloatArray, source: Entropy = ENTROPY, groups: Integers | None = None
) -> Integers:
    """The stratum and the report of each person, shape (n, 1 + axes); a shorter report is filled up with zeros.

    Guarantee: the design's, for every float value (theory T5, T8): which mechanism a person answers does not depend on
    the value. A group is told as it is, and changes nothing of what is drawn.

    Args:
        design: what is promised.
        values: clamped, of shape (n,) on a line and (n, d) elsewhere.
        source: of random bits.
        groups: of the people, where the design has groups.
    """
    which = draw_shares(design.shares, len(values), source)
    drawn = np.zeros((len(values), 1 + max(m.limits[0] for m in design.mechanisms)), dtype=np.int64)
    drawn[:, 0] = strata_of(design, which, groups)
    for index, mechanism in enumerate(design.mechanisms):
        mine = np.flatnonzero(which == index) if len(design.mechanisms) > 1 else np.arange(len(values))
        report = mechanism.draw(mechanism.space.read_rows(values[mine])[0], source.among(mine))
        drawn[mine, 1 : 1 + report.shape[1]] = report
    return drawn


def columns_of(design: Design, person: str | None) -> Source:
    """Where a design's values are found in a table, and the column that names people, if another one is given."""
    if design.source is None or not design.source.columns:
        raise InvalidParameter(
            f"The design of {design.survey!r} does not say in which columns the values are: name them in the survey "
            "(columns = [\u2026] under [space]) and plan again, or let devices report (python -m geopriv.client)."
        )
    if design.groups is not None and not design.groups.column:
        raise InvalidParameter(
            f"The design of {design.survey!r} does not say in which column the groups are: name it in the survey "
            "(column = \u2026 under [groups]) and plan again, or let devices report (python -m geopriv.client)."
        )
    source = design.source if person is None else replace(design.source, person=person)
    if design.groups is not None:
        design.groups.require_apart(source)
    return source


def wanted(design: Design, columns: Source) -> tuple[str, ...]:
    """The columns that are read of people's rows: of values, of names, and of groups, where there are some."""
    openly = [design.groups.column] if design.groups is not None else []
    return (*columns.columns, *([columns.person] if columns.person else []), *openly)
