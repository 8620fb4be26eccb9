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
import numpy.typing as npt

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import SharedTables, Table
from geopriv.mechanisms.sendable import Sendable
from geopriv.mechanisms.shared.share import reached
from geopriv.mechanisms.shared.shared_tables import shared_variance
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.surveys.planning.options import Option
from geopriv.surveys.planning.workload import Workload

NAME = "SharedTables"
_GAPS = (0.0, 2.0, 4.0, 6.0)  # in 1/ε, between where two queries level off
_BOUND = 1.02  # by which 1/μ is above what is reached
_MOST = 64  # queries

Colours = tuple[tuple[int, ...], ...]


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
        colours: _predicted(work, colours, tables, [_about([tables[k] for k in members]) for members in colours])
        for colours in colourings(work)
    }
    for colours in sorted(about, key=lambda colours: about[colours].error):
        try:
            made = [_mechanism([tables[k] for k in members]) for members in colours]
        except InvalidParameter:
            continue
        shares = [float(getattr(mechanism, "share", 1)) for mechanism in made]
        return _predicted(work, colours, tables, shares), tuple(made)
    raise invalid("plan", "queries", "far enough apart for devices to verify shared reports", work.size)


def _about(tables: Sequence[AnyTable]) -> float:
    """About how often tables are heard in one report."""
    return 1 / (_BOUND * max(reached(tables), 1.0)) if len(tables) > 1 else 1.0


def _mechanism(tables: Sequence[AnyTable]) -> Sendable:
    return SharedTables.of(tables) if len(tables) > 1 else tables[0]


def _require(work: Workload) -> None:
    if work.size > _MOST or len(set(work.queries)) < work.size:
        raise invalid("plan", "queries", f"at most {_MOST} different ones for shared reports", work.size)
    sets = all(query.bell is None and query.geometry.compact for query in work.queries)  # a map takes one report
    if not work.space.flat or work.space.dimension > 2 or not sets:
        raise invalid("plan", "queries", "discs, ranges or polygons on a line or in a plane to share reports", "others")


def colourings(work: Workload) -> list[Colours]:
    """Ways to colour the queries, by how far apart those of one colour are at least; each once, if any share one."""
    apart = gaps(work.queries) * work.rate
    found = dict.fromkeys(coloured(apart >= gap) for gap in _GAPS)
    return [colours for colours in found if work.size == 1 or len(colours) < work.size]


def gaps(queries: Sequence[Query]) -> FloatArray:
    """About how far apart the places are beyond which two queries are level, shape (K, K); exactly, of discs."""
    anchors = np.stack([np.atleast_1d(query.geometry.anchor) for query in queries])
    shape = queries[0].space.point_shape
    s = np.stack([np.asarray(query.geometry(anchors.reshape(-1, *shape))).reshape(-1) for query in queries])
    ends = np.array([max(query.profile.landmarks) for query in queries])
    far = np.linalg.norm(anchors[:, None] - anchors, axis=-1)
    return np.asarray(s + s.T - far - ends[:, None] - ends)


def coloured(far: npt.NDArray[np.bool_]) -> Colours:
    """Greedily, those with the most others near them first: each has the first colour of which all are far from it.

    >>> coloured(np.array([[True, False, True], [False, True, True], [True, True, True]]))
    ((0, 2), (1,))
    """
    classes: list[list[int]] = []
    for k in np.argsort(np.asarray(far).sum(axis=1), kind="stable").tolist():
        free = next((members for members in classes if all(far[k][j] for j in members)), None)
        if free is None:
            classes.append([k])
        else:
            free.append(k)
    return tuple(sorted(tuple(sorted(members)) for members in classes))


def _predicted(work: Workload, colours: Colours, tables: Sequence[AnyTable], shares: Sequence[float]) -> Option:
    """Noise of each colour's own people, and the chance of who they are."""
    parts, alone = len(colours), np.empty(work.size)
    for members, share in zip(colours, shares, strict=True):
        for k in members:
            points, weights = work.crowd(k)
            s = np.asarray(work.queries[k].geometry(points)).reshape(-1)
            alone[k] = weights @ shared_variance(tables[k], s, share)
    variances = (parts * alone + (parts - 1) * work.answers[1]) / work.people
    return Option(NAME, "shared report" if parts == 1 else "shared reports", variances, np.zeros(work.size))
