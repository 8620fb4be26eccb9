"""One table for each of a few plain questions, of which each person answers one.

A table sees only how far somebody is from one border, and is compiled for the bracket of that one question. So its
brackets are shorter than those of one report that answers everything: on a line by up to a third, around an area by a
factor of three for the same people. Each table has only a part of them, so this holds for a few questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning.around import Crowd
from geopriv.surveys.planning.brackets import half_width, is_plain
from geopriv.surveys.planning.options import Option
from geopriv.surveys.planning.workload import Workload

MOST = 8  # tables among which people are split
_ON_LINES = 2  # likewise: there one report has brackets nearly as short
GAIN = 0.9  # of a grid's half-widths, above which one report that answers everything is better: its soft answers are
_FEWER, _MORE = 2, 4  # powers of four of people, fewer and more than expected, for which tables are looked at


@dataclass(frozen=True, eq=False)
class PlainTables:
    """Tables for plain questions, and what is predicted of them.

    Args:
        tables: one for each question.
        half_widths: half of the 95 % interval of each plain answer, by the question's name.
        option: the soft answers of these tables, beside those of other mechanisms.
    """

    tables: tuple[BracketTable, ...]
    half_widths: dict[str, float]
    option: Option

    @property
    def cost(self) -> float:
        """By which it is compared with a grid."""
        return float(np.sum(np.square(list(self.half_widths.values()))))


def plain_tables(questions: Sequence[Question], work: Workload) -> PlainTables | None:
    """Tables for questions that are all plain and few; None where there are others, or a question has no such table."""
    if not tables_of(questions):
        return None
    queries = [question.queries[0] for question in questions]
    each = max(work.people // len(queries), 1)
    try:
        tables = tuple(BracketTable.for_plain(query, work.rate, each, work.prior) for query in queries)
    except InvalidParameter:
        return None
    halves, alone = {}, np.empty(len(queries))
    for k, (question, table) in enumerate(zip(questions, tables, strict=True)):
        points, weights = work.crowd(k)
        s = _along(queries[k], points)
        halves[question.name] = half_width(table.bracket_moments(s), weights, each)
        alone[k] = weights @ table.variance_at(s)
    return PlainTables(tables, halves, _option(work, alone))


def tables_of(questions: Sequence[Question]) -> int:
    """How many tables are compiled to see whether they are better: none for others than a few single plain shares."""
    if any(len(question.queries) != 1 for question in questions):
        return 0
    asked = {question.queries[0] for question in questions}
    most = MOST if questions[0].space.dimension > 1 else _ON_LINES
    single = len(asked) == len(questions) <= most  # none is asked twice
    return len(asked) if single and all(map(is_plain, questions)) else 0


@dataclass(frozen=True, eq=False)
class Tabled:
    """Half of the 95 % interval of a plain answer from a table of its own, by the number of people in all.

    A table is compiled for the nearest of a few numbers of people. At another ε it is the same table in units of 1/ε,
    its soft edge too.

    Args:
        query: what is asked.
        rate: ε of the survey.
        there: ε that is looked at.
        people: of the survey.
        parts: among which people are split.
        crowd: points and weights of those whom the query concerns.
        prior: of the survey.
    """

    query: Query
    rate: float
    there: float
    people: int
    parts: int
    crowd: Crowd
    prior: Any

    def __call__(self, people: int) -> float:
        points, weights = self.crowd
        expected, each = max(self.people // self.parts, 1), max(people // self.parts, 1)
        powers = np.clip(np.rint(np.log(each / expected) / np.log(4.0)), -_FEWER, _MORE)
        table = BracketTable.for_plain(self.query, self.rate, max(round(expected * 4.0**powers), 1), self.prior)
        s = _along(self.query, points) * (self.there / self.rate)
        return half_width(table.bracket_moments(s), weights, each)


def _along(query: Query, points: FloatArray) -> FloatArray:
    return np.asarray(query.geometry(points)).reshape(-1)


def _option(work: Workload, alone: FloatArray) -> Option:
    """The noise of each table's own people, and the chance of who they are."""
    parts = work.size
    variances = (parts * alone + (parts - 1) * work.answers[1]) / work.people
    return Option("BracketTable", "people split" if parts > 1 else "one report", variances, np.zeros(parts))
