"""How many people, or how much ε, a wanted error takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scipy import optimize

from geopriv.checks import invalid, positive
from geopriv.planning.choice import Plan, plan
from geopriv.queries import Query


def people_needed(found: Plan, error: float) -> int:
    """How many people give every query a standard error of at most `error` under the plan's best option.

    >>> from geopriv import Threshold, plan
    >>> people_needed(plan(Threshold(at=0.0, width=2.0), epsilon=1.0, people=1000), error=0.01)
    1779
    """
    wanted = positive("people_needed", "error", error)
    return max(1, math.ceil(found.people * float(found.best.variances.max()) / wanted**2 * (1 - 1e-12)))


def epsilon_needed(queries: Sequence[Query] | Query, people: int, error: float, prior: Any = None) -> float:
    """The least ε, to one per cent, for an error of at most `error` in every query, with the design that is best.

    Args:
        queries: one or more, on one space.
        people: how many will report.
        error: wanted for the worst query.
        prior: as in `plan`.

    Raises:
        InvalidParameter: when no ε between 1e-4 and 1e4 over the queries' width does it.
    """
    wanted = positive("epsilon_needed", "error", error)
    first = queries if isinstance(queries, Query) else queries[0]
    low, high = first.profile.bounds
    unit = first.profile.lipschitz / (high - low) if math.isfinite(high - low) else 1.0

    start = math.log(unit)
    mechanism = plan(queries, unit, people, prior).best.mechanism

    def excess(log_rate: float) -> float:
        found = plan(queries, math.exp(log_rate), people, prior, [mechanism])
        return math.log(found.best.worst_error / wanted)

    step = 1.0 if excess(start) > 0 else -1.0
    far = start
    while excess(far) * step > 0:
        far += step
        if abs(far - start) > 9:
            raise invalid("epsilon_needed", "error", "within reach of these people", error)
    ends = sorted((far, far - step))
    rate = optimize.brentq(excess, *ends, xtol=0.005)
    return math.exp(float(rate) + 0.005)
