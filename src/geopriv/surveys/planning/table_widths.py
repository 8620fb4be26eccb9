"""How long plain answers of tables are at another ε, and for other numbers of people.

At another ε the tables are the same in units of 1/ε, and soft edges too. How near questions are in units of 1/ε
changes: which of them share reports, and how often they are heard there, is predicted anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from geopriv.mechanisms.shared.colours import colourings
from geopriv.mechanisms.shared.moments import shared_brackets
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.mechanisms.table.brackets import border_of
from geopriv.queries import Query
from geopriv.queries.priors import Prior
from geopriv.surveys.planning.around import Crowd
from geopriv.surveys.planning.brackets import half_width
from geopriv.surveys.planning.plain_tables import along
from geopriv.surveys.planning.shared import about_heard
from geopriv.surveys.planning.workload import Workload

_FEWER, _MORE = 2, 4  # powers of four of people, fewer and more than expected, for which tables are looked at


@dataclass(frozen=True)
class Seat:
    """Among how many classes people are split, and how often a question's table is heard by its own."""

    parts: int
    share: float


@dataclass(frozen=True, eq=False)
class Tabled:
    """Half of the 95 % interval of a plain answer from a table, by the number of people in all.

    A table is compiled for the nearest of a few numbers of people. At another ε it is the same table in units of 1/ε,
    its soft edge too.

    Args:
        table: for the people who are expected, at the survey's ε.
        times: as large an ε as the survey's is looked at.
        expected: people for whom the table was made.
        seat: in a report.
        crowd: points and weights of those whom the query concerns.
        prior: of the survey.
    """

    table: BracketTable
    times: float
    expected: int
    seat: Seat
    crowd: Crowd
    prior: Prior | None

    def __call__(self, people: int) -> float:
        points, weights = self.crowd
        each, query = max(people // self.seat.parts, 1), self.table.query
        powers = np.clip(np.rint(np.log(each / self.expected) / np.log(4.0)), -_FEWER, _MORE)
        fit = max(round(self.expected * 4.0**powers), 1)
        table = _table(query, self.table.guarantee.epsilon, fit, self.prior)
        border, _ = border_of(query)
        s = border + (along(query, points) - border) * self.times
        return half_width(shared_brackets(table, s, self.seat.share), weights, each)


@lru_cache(maxsize=256)
def _table(query: Query, rate: float, people: int, prior: Prior | None) -> BracketTable:
    """The table for so many people, made once: a search for ε looks at it many times."""
    return BracketTable.for_plain(query, rate, people, prior)


def tabled(work: Workload, rate: float, sharing: bool) -> list[Tabled]:
    """Of every query of a survey's work, at another ε.

    Args:
        work: the survey's, at its own ε.
        rate: ε that is looked at.
        sharing: whether far questions may share reports; otherwise people are split among all.
    """
    parts = 1 if sharing else work.size
    expected = max(work.people // parts, 1)
    tables = [_table(query, work.rate, expected, work.prior) for query in work.queries]
    seats = [Seat(work.size, 1.0)] * work.size
    if sharing and work.size > 1:
        seats = _seats(tables, rate / work.rate)
    return [
        Tabled(table, rate / work.rate, expected, seat, work.crowd(k), work.prior)
        for k, (table, seat) in enumerate(zip(tables, seats, strict=True))
    ]


def _seats(tables: Sequence[BracketTable], times: float) -> list[Seat]:
    """Those that leave the worst question the most people who are heard; people are split where none can share."""
    queries, rate = [table.query for table in tables], tables[0].guarantee.epsilon
    borders = [border_of(query)[0] for query in queries]
    ends = np.array([b + (max(q.profile.landmarks) - b) / times for q, b in zip(queries, borders, strict=True)])
    best = [Seat(len(tables), 1.0)] * len(tables)
    for colours in colourings(queries, rate * times, ends):
        seats = dict[int, Seat]()
        for members in colours:
            share = about_heard([tables[k] for k in members], times, [borders[k] for k in members])
            seats |= dict.fromkeys(members, Seat(len(colours), share))
        if _least(seats.values()) > _least(best):
            best = [seats[k] for k in range(len(tables))]
    return best


def _least(seats: Iterable[Seat]) -> float:
    return min(seat.share / seat.parts for seat in seats)
