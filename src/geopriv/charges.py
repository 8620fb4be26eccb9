"""What floating point costs, charged to ε (theory T9)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from geopriv.checks import invalid
from geopriv.queries import Query

_MOST = Fraction(11, 10)


@dataclass(frozen=True)
class Charge:
    """Computed coordinates move at most `factor` times as far as the recorded points: 1 + 2e/q.

    Guarantee: for distinct recorded points dist(x, x') ≥ q, so
    |s̃ − s̃'| ≤ |s − s'| + 2e ≤ (1 + 2e/q)·dist(x, x'); a report that is ε/(1 + 2e/q)-GP in s̃ is ε-GP in x (theory T9).

    Args:
        error: e, by how much a computed coordinate may be off, in the unit of distance.
        closest: q, the least distance between distinct recorded points.
    """

    error: float
    closest: float

    @property
    def factor(self) -> Fraction:
        """1 + 2e/q, exactly."""
        return 1 + 2 * Fraction(self.error) / Fraction(self.closest)


def charge(owner: str, query: Query, reach: float, extra: float = 0.0) -> Charge | None:
    """What a query's coordinate costs on a space with a resolution; None on real numbers.

    Args:
        owner: who asks, for errors.
        query: whose coordinate is computed.
        reach: how far from 0 coordinates are told apart.
        extra: an error that comes on top of the coordinate's own.

    Raises:
        InvalidParameter: where the resolution is so fine that more than a tenth of ε would go.
    """
    if query.space.resolution is None:
        return None
    error = query.geometry.rounding(query.space.extent, reach) + extra
    if not math.isfinite(error):
        raise invalid(owner, "query", "one of whose rounding errors something is known", query)
    found = Charge(error * (1 + 1e-9), query.space.closest)
    if found.factor > _MOST:
        coarser = query.space.resolution * float((found.factor - 1) * 100)
        rule = f"coarse enough beside the rounding errors of the query's coordinate; {coarser:.2g} would do"
        raise invalid(owner, "resolution", rule, query.space.resolution)
    return found
