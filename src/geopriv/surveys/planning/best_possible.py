"""How near a plan is to the best possible: floors under what is asked of the people who are expected."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from geopriv.errors import InvalidParameter
from geopriv.proofs.floors import has_whole_floor, lower_bound_many, whole_share
from geopriv.proofs.floors.least import crowd_floor
from geopriv.surveys.design import Design
from geopriv.surveys.planning.workload import Workload

if TYPE_CHECKING:
    from geopriv.mechanisms import Lattice

_MANY = 10  # moves of one shape make a whole


def floor_of(work: Workload) -> float:
    """Of the mean variance over the queries: T7 for one, T10 for many of one crowd; 0 where a shape is not known."""
    total = 0.0
    for part in (work.part(together) for together in work.by_crowd(range(work.size))):
        try:
            each = lower_bound_many(part.queries, part.rate, part.space.values(part.points), part.ends)
        except InvalidParameter:
            return 0.0
        total += float(part.weights @ each)
    return total / work.size / work.people


def least_of(work: Workload, floor: float) -> float:
    """The floor, or for one query on a line the higher one over all reports (T12); 0 where no floor is known.

    It takes some seconds, and only pages and plans that are shown ask for it: what is worth compiling is decided by T7.
    """
    if work.size > 1 or floor == 0:
        return floor
    query = work.queries[0]
    return max(floor, crowd_floor(query, query, work.rate, *work.crowd(0), work.ends) / work.people)


def whole_shares(design: Design) -> dict[str, float]:
    """For each map or distribution of one shape what part of the noise of a whole one, without edges, must be (T11).

    Only where one Lattice report answers all of its queries; not where they are few or of several shapes, and not where
    no floor is known.
    """
    found = dict[str, float]()
    for question in design.questions:
        queries = question.queries
        if question.valued or len(queries) < _MANY or len({query.moved for query in question.unlike}) > 1:
            continue
        mechanism, middle = design.mechanisms[design.answering(queries[0])], queries[len(queries) // 2]
        if mechanism.answers_all and has_whole_floor(middle):
            variance_at = partial(cast("Lattice", mechanism).variance_at, query=middle)  # only a Lattice answers all
            found[question.name] = whole_share(middle, design.guarantee.epsilon, variance_at)
    return found
