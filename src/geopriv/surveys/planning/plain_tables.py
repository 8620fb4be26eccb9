"""Tables for plain questions: one for each, of which each person answers one, or which far ones share.

A table sees only how far somebody is from one border, and is compiled for the bracket of that one question. So its
brackets are shorter than those of one report that answers everything: on a line by up to a third, around an area by a
factor of three for the same people. Where people are split each table has only a part of them, so this holds for a few
questions. Questions that are far apart share reports (theory T13): then all people answer all of one class of far ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.sendable import Sendable
from geopriv.mechanisms.shared.colours import Colours, can_share, colourings
from geopriv.mechanisms.shared.moments import shared_brackets
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning.brackets import half_width, is_plain
from geopriv.surveys.planning.options import Arrangement, Option
from geopriv.surveys.planning.shared import MOST as MOST_SHARED
from geopriv.surveys.planning.shared import NAME, about_heard, heard, predicted, verified
from geopriv.surveys.planning.workload import Workload

MOST = 8  # tables, or classes of them, among which people are split
_ON_LINES = 2  # likewise: there one report has brackets nearly as short
TABLES = ("BracketTable", NAME)  # that answer plain questions
GAIN = 0.9  # of a grid's half-widths, above which one report that answers everything is better: its soft answers are


@dataclass(frozen=True, eq=False)
class PlainTables:
    """Tables for plain questions, and what is predicted of them.

    Args:
        mechanisms: a table for each question, or for each class of far ones what its tables share.
        half_widths: half of the 95 % interval of each plain answer, by the question's name.
        option: the soft answers of these tables, beside those of other mechanisms.
    """

    mechanisms: tuple[Sendable, ...]
    half_widths: dict[str, float]
    option: Option

    @property
    def cost(self) -> float:
        """By which it is compared with a grid."""
        return float(np.sum(np.square(list(self.half_widths.values()))))


def plain_tables(questions: Sequence[Question], work: Workload) -> tuple[PlainTables, ...]:
    """Tables for questions that are all plain, people being split among a few of them, and shared by far ones.

    None where there are other questions, or a question has no such table.
    """
    if not tables_of(questions, work.rate):
        return ()
    try:
        split, shared = _split(questions, work), _shared(questions, work)
    except InvalidParameter:  # of a query that no table follows
        return ()
    return tuple(made for made in (split, shared) if made is not None)


def tables_of(questions: Sequence[Question], rate: float) -> int:
    """How many tables are compiled to see whether they are better: none for others than a few single plain shares.

    A few are at most eight, on a line two, or as many classes of far ones.
    """
    if any(len(question.queries) != 1 for question in questions) or not all(map(is_plain, questions)):
        return 0
    asked = tuple(dict.fromkeys(question.queries[0] for question in questions))
    if not 0 < len(asked) == len(questions):  # none is asked twice
        return 0
    few = len(asked) <= _most(asked)
    return len(asked) if few or _classes(asked, rate) else 0


def _most(queries: Sequence[Query]) -> int:
    return MOST if queries[0].space.dimension > 1 else _ON_LINES


def _classes(queries: Sequence[Query], rate: float) -> list[Colours]:
    """Ways to put queries into a few classes of far ones; none where they share nothing."""
    if not 1 < len(queries) <= MOST_SHARED or not can_share(queries):
        return []
    return [colours for colours in colourings(queries, rate) if len(colours) <= _most(queries)]


def _compiled(queries: Sequence[Query], work: Workload, people: int) -> tuple[BracketTable, ...]:
    return tuple(BracketTable.for_plain(query, work.rate, max(people, 1), work.prior) for query in queries)


def _split(questions: Sequence[Question], work: Workload) -> PlainTables | None:
    """Each person answers one question; None for more of them than people are split among."""
    queries = [question.queries[0] for question in questions]
    if len(queries) > _most(queries):
        return None
    alone: Colours = tuple((k,) for k in range(len(queries)))
    tables = _compiled(queries, work, work.people // len(queries))
    ones = [1.0] * len(queries)
    option = predicted(work, alone, tables, ones)
    arrangement: Arrangement = "people split" if len(queries) > 1 else "one report"
    named = Option("BracketTable", arrangement, option.variances, option.biases)
    return PlainTables(tables, _half_widths(questions, work, alone, tables, ones), named)


def _shared(questions: Sequence[Question], work: Workload) -> PlainTables | None:
    """Each person answers one class of far questions; None where no device could verify such reports.

    Classes are compared with tables that are compiled for the fewest classes, and the best ones that devices can verify
    are taken, with tables of their own.
    """
    queries = [question.queries[0] for question in questions]
    ways = _classes(queries, work.rate)
    if not ways:
        return None
    first = _compiled(queries, work, work.people // min(map(len, ways)))

    def cost(colours: Colours) -> float:
        shares = [about_heard([first[k] for k in members]) for members in colours]
        return float(np.sum(np.square(list(_half_widths(questions, work, colours, first, shares).values()))))

    for colours in sorted(ways, key=cost):
        tables = _compiled(queries, work, work.people // len(colours))
        if (made := verified(colours, tables)) is not None:
            shares = list(map(heard, made))
            halves = _half_widths(questions, work, colours, tables, shares)
            return PlainTables(made, halves, predicted(work, colours, tables, shares))
    return None


def _half_widths(
    questions: Sequence[Question],
    work: Workload,
    colours: Colours,
    tables: Sequence[BracketTable],
    shares: Sequence[float],
) -> dict[str, float]:
    """Of every plain answer, by the question's name, where people are split among classes."""
    each, found = max(work.people // len(colours), 1), dict[str, float]()
    for members, share in zip(colours, shares, strict=True):
        for k in members:
            points, weights = work.crowd(k)
            s = along(questions[k].queries[0], points)
            found[questions[k].name] = half_width(shared_brackets(tables[k], s, share), weights, each)
    return {question.name: found[question.name] for question in questions}


def along(query: Query, points: FloatArray) -> FloatArray:
    """Coordinates of points."""
    return np.asarray(query.geometry(points)).reshape(-1)
