"""Tables that answer soft questions: one for each query, or one for all on a line that have narrow edges.

One report of a grid has a variance that grows with the cube of how steep an edge is; letters of a table grow with its
square, and a VectorTable's report counts for every query.
"""

from __future__ import annotations

import math

import numpy as np

from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.sendable import Sendable
from geopriv.mechanisms.table.table import Table
from geopriv.mechanisms.table.vector_table import VectorTable
from geopriv.spaces.checks import invalid
from geopriv.surveys.planning.options import Option
from geopriv.surveys.planning.shared import NAME, shared_tables
from geopriv.surveys.planning.workload import Workload

_KINKS = 12  # of all queries together, beyond which a program takes minutes
_NARROW = 4.0  # in 1/ε, over which the steepest query rises, above which one grid report is as good


def vector_option(work: Workload, grid: Lattice | None = None) -> Option:
    """One VectorTable for all queries; none where a grid is given, since something else is to be answered from it.

    Raises:
        InvalidParameter: where there is none, or edges are so wide that it is not worth compiling.
    """
    if grid is not None or any(query.knots is None for query in work.queries):
        rule = "soft, and made of straight pieces on a line"
        raise invalid("VectorTable", "queries", rule, [type(query).__name__ for query in work.queries[:3]])
    kinks = len(np.unique(np.concatenate([query.knots for query in work.queries if query.knots is not None])))
    if kinks > _KINKS:
        raise invalid("VectorTable", "queries", f"of at most {_KINKS} kinks in all, or it takes long to compile", kinks)
    width = min(1 / query.profile.lipschitz if query.profile.lipschitz else math.inf for query in work.queries)
    if width * work.rate > _NARROW:
        rule = f"of edges narrower than {_NARROW:g}/ε, for a table of all to be better than a grid"
        raise invalid("VectorTable", "queries", rule, f"{width * work.rate:.4g}/ε")
    table = VectorTable.calibrate(work.queries, work.rate)
    variances = np.empty(work.size)
    for k, query in enumerate(work.queries):
        points, weights = work.crowd(k)
        s = np.asarray(table.query.geometry(points)).reshape(-1)
        variances[k] = weights @ table.part(query).variance_at(s)
    return Option("VectorTable", "one report", variances / work.people, np.zeros(work.size))


def tables_for(mechanism: str, work: Workload) -> tuple[Sendable, ...]:
    """The tables of an option's mechanism, of which each person answers one; none for another mechanism."""
    asked = tuple(dict.fromkeys(work.queries))
    if mechanism == "VectorTable":
        return (VectorTable.calibrate(asked, work.rate),)
    if mechanism == NAME:
        return shared_tables(work)
    return tuple(Table.calibrate(query, work.rate) for query in asked) if mechanism == "Table" else ()
