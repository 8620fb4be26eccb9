"""How many people, or how much ε, a wanted error takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from geopriv.checks import invalid, positive
from geopriv.errors import InvalidParameter
from geopriv.planning.choice import Plan, plan
from geopriv.queries import Blurred, Query, common_space

_FARTHEST = 9.0  # e-folds of ε on both sides of what suits the queries
_PRECISION = 0.01


def people_needed(found: Plan, error: float) -> int:
    """How many people give every query an error of at most `error` under the plan's best option.

    Raises:
        InvalidParameter: when the option's own bias, which people do not reduce, is as large.

    >>> from geopriv import Threshold, plan
    >>> people_needed(plan(Threshold(at=0.0, width=2.0), epsilon=1.0, people=1000), error=0.01)
    1779
    """
    wanted = positive("people_needed", "error", error)
    best = found.best
    room = wanted**2 - best.biases**2
    if not (room > 0).all():
        rule = f"above the bias of {best.mechanism}, {float(np.abs(best.biases).max()):.3g}"
        raise invalid("people_needed", "error", rule, error)
    return max(1, math.ceil(found.people * float((best.variances / room).max()) * (1 - 1e-12)))


def epsilon_needed(queries: Sequence[Query] | Query, people: int, error: float, prior: Any = None) -> float:
    """An ε, at most one per cent above the least, for an error of at most `error` in every query.

    It is that of the mechanism which is best for it: found for one mechanism, then for the one that is best there.

    Args:
        queries: one or more, on one space.
        people: how many will report.
        error: wanted for the worst query.
        prior: as in `plan`.

    Raises:
        InvalidParameter: when no ε within a factor of some 8,000 of what suits the first query does it.
    """
    wanted = positive("epsilon_needed", "error", error)
    asked, _ = common_space("epsilon_needed", [queries] if isinstance(queries, Query) else queries)
    rate, tried = _usual_rate(asked[0]), dict[str, float]()
    while (mechanism := plan(asked, rate, people, prior).best.mechanism) not in tried:
        rate = tried[mechanism] = _least_rate(asked, people, wanted, prior, mechanism, rate)
    return min(tried.values())


def _usual_rate(query: Query) -> float:
    """A rate at which the noise is about as wide as what the query tells apart."""
    if isinstance(query, Blurred):
        return 1 / query.bandwidth
    low, high = query.profile.bounds
    return query.profile.lipschitz / (high - low) if math.isfinite(high - low) else 1.0


def _least_rate(
    asked: tuple[Query, ...], people: int, wanted: float, prior: Any, mechanism: str, start: float
) -> float:
    """By bisection, from the side that does it."""

    def enough(log_rate: float) -> bool:
        try:
            return plan(asked, math.exp(log_rate), people, prior, [mechanism]).best.worst_error <= wanted
        except InvalidParameter:  # some mechanisms refuse an ε that is far too small for the query
            return False

    middle = math.log(start)
    step = -1.0 if enough(middle) else 1.0
    far = middle + step
    while enough(far) == (step < 0):
        far += step
        if abs(far - middle) > _FARTHEST:
            raise invalid("epsilon_needed", "error", f"within reach of {people:,} people", wanted)
    low, high = sorted((far, far - step))
    while high - low > _PRECISION:
        half = (low + high) / 2
        low, high = (low, half) if enough(half) else (half, high)
    return math.exp(high)
