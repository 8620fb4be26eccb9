"""How many people, or how much ε, a wanted error takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import optimize

from geopriv.errors import InvalidParameter
from geopriv.queries import Query, common_space
from geopriv.spaces.checks import invalid, positive
from geopriv.surveys.planning.choice import MECHANISMS, Plan, plan_queries

_FARTHEST = 9.0  # e-folds of ε on both sides of what suits the queries
_REFUSED = 5.0  # stands for the logarithm of an error that is far too large


def people_needed(found: Plan, error: float) -> int:
    """How many people give every query an error of at most `error` under the plan's best option.

    Raises:
        InvalidParameter: when the option's own bias, which people do not reduce, is as large.

    >>> from geopriv import Threshold, plan
    >>> people_needed(plan(Threshold(at=0.0, width=2.0), epsilon=1.0, people=1000), error=0.01)
    2114
    """
    wanted = positive("people_needed", "error", error)
    best = found.best
    room = wanted**2 - best.biases**2
    if not (room > 0).all():
        rule = f"above the bias of {best.mechanism}, {float(np.abs(best.biases).max()):.3g}"
        raise invalid("people_needed", "error", rule, error)
    return max(1, math.ceil(found.people * float((best.variances / room).max()) * (1 - 1e-12)))


def epsilon_needed(
    queries: Sequence[Query] | Query,
    people: int,
    error: float,
    prior: Any = None,
    mechanisms: Sequence[str] = MECHANISMS,
) -> float:
    """An ε, at most one per cent above the least, for an error of at most `error` in every query.

    It is that of the mechanism which is best for it: found for one mechanism, then for the one that is best there.
    Where that is a table, one is compiled for every ε that is tried.

    Args:
        queries: one or more, on one space.
        people: how many will report.
        error: wanted for the worst query.
        prior: as in `plan`.
        mechanisms: names of those to consider.

    Raises:
        InvalidParameter: when no ε within a factor of some 8,000 of what suits the first query does it.
    """
    wanted = positive("epsilon_needed", "error", error)
    asked, _ = common_space("epsilon_needed", [queries] if isinstance(queries, Query) else queries)
    rate, tried = 1 / asked[0].detail, dict[str, float]()
    while (best := plan_queries(asked, rate, people, prior, mechanisms).best.mechanism) not in tried:
        rate = tried[best] = _least_rate(
            partial(plan_queries, asked, people=people, prior=prior, mechanisms=[best]), wanted, rate
        )
    return min(tried.values())


def _least_rate(planned: Callable[[float], Plan], wanted: float, start: float) -> float:
    """The rate at which the error falls to what is wanted, and half a per cent more."""

    @cache
    def excess(log_rate: float) -> float:
        try:
            return math.log(max(planned(math.exp(log_rate)).best.worst_error, 1e-300) / wanted)
        except InvalidParameter:  # some mechanisms refuse an ε that is far too small for the query
            return _REFUSED

    middle = far = math.log(start)
    step = 1.0 if excess(middle) > 0 else -1.0
    while excess(far) * step > 0:
        far += step
        if abs(far - middle) > _FARTHEST:
            raise invalid("epsilon_needed", "error", "within reach of so many people", wanted)
    low, high = sorted((far, far - step)) if far != middle else (far, far)
    return math.exp(float(optimize.brentq(excess, low, high, xtol=0.004)) + 0.005)
