"""Far questions in shared reports: which queries may share one, and what error that would have.

Queries are coloured so that those of one colour are far apart. People are split among the colours, and each answers all
queries of one colour in one report (theory T13). The farther apart, the less noise and the more colours: a few
distances are compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import SharedTables, Table
from geopriv.mechanisms.sendable import Sendable
from geopriv.mechanisms.shared.colours import Colours, can_share, colourings
from geopriv.mechanisms.shared.moments import shared_variance
from geopriv.mechanisms.shared.share import reached
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.surveys.planning.options import Option
from geopriv.surveys.planning.workload import Workload

NAME = "SharedTables"
_BOUND = 1.02  # by which 1/μ is above what is reached
MOST = 64  # queries


def shared_option(work: Workload, best: float, floors: Callable[[], FloatArray]) -> Option:
    """Predicted for the best colouring; only a floor where that is above what is reached without.

    Args:
        work: what is asked, of whom.
        best: the least error so far, of what else devices run.
        floors: under the variance of one report for each query.

    Raises:
        InvalidParameter: where queries are too many, or cannot share a report.
    """
    _require(work)
    if work.size == 1 and best < math.inf:
        raise invalid("plan", "queries", "two or more for shared reports", work.size)
    least = Option(NAME, "shared report", floors() / work.people, np.zeros(work.size), bound_only=True)
    return least if least.error >= best else _best(work)[0]


def shared_tables(work: Workload) -> tuple[Sendable, ...]:
    """The mechanisms of the best colouring, of which each person answers one."""
    return _best(work)[1]


@lru_cache(maxsize=4)
def _best(work: Workload) -> tuple[Option, tuple[Sendable, ...]]:
    """The best colouring whose reports devices can verify, as it is predicted, and its mechanisms.

    Raises:
        InvalidParameter: where there is none.
    """
    tables = [Table.calibrate(query, work.rate, straight=True) for query in work.queries]
    about = {
        colours: predicted(work, colours, tables, [about_heard([tables[k] for k in members]) for members in colours])
        for colours in colourings(work.queries, work.rate)
    }
    for colours in sorted(about, key=lambda colours: about[colours].error):
        if (made := verified(colours, tables)) is not None:
            return predicted(work, colours, tables, list(map(heard, made))), made
    raise invalid("plan", "queries", "far enough apart for devices to verify shared reports", work.size)


def about_heard(tables: Sequence[AnyTable], times: float = 1.0, borders: Sequence[float] = ()) -> float:
    """About how often tables are heard in one report; `times` and `borders` as in `share.reached`."""
    return 1 / (_BOUND * max(reached(tables, times, borders), 1.0)) if len(tables) > 1 else 1.0


def verified(colours: Colours, tables: Sequence[AnyTable]) -> tuple[Sendable, ...] | None:
    """A mechanism for each colour, verified as devices do; None where one cannot be."""
    try:
        return tuple(_mechanism([tables[k] for k in members]) for members in colours)
    except InvalidParameter:
        return None


def heard(mechanism: Sendable) -> float:
    """How often the tables of a shared report are heard: μ; 1 of a table by itself."""
    return float(getattr(mechanism, "share", 1))


def _mechanism(tables: Sequence[AnyTable]) -> Sendable:
    return SharedTables.of(tables) if len(tables) > 1 else tables[0]


def _require(work: Workload) -> None:
    if work.size > MOST or len(set(work.queries)) < work.size:
        raise invalid("plan", "queries", f"at most {MOST} different ones for shared reports", work.size)
    if not can_share(work.queries):  # nor with a map, which takes one report
        raise invalid("plan", "queries", "discs, ranges or polygons on a line or in a plane to share reports", "others")


def predicted(work: Workload, colours: Colours, tables: Sequence[AnyTable], shares: Sequence[float]) -> Option:
    """Noise of each colour's own people, and the chance of who they are."""
    parts, alone = len(colours), np.empty(work.size)
    for members, share in zip(colours, shares, strict=True):
        for k in members:
            points, weights = work.crowd(k)
            s = np.asarray(work.queries[k].geometry(points)).reshape(-1)
            alone[k] = weights @ shared_variance(tables[k], s, share)
    variances = (parts * alone + (parts - 1) * work.answers[1]) / work.people
    return Option(NAME, "shared report" if parts == 1 else "shared reports", variances, np.zeros(work.size))
