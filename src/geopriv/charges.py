"""What floating point costs, charged to ε (theory T9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from geopriv.checks import invalid
from geopriv.device.charges import factor, position_error, rounded_up
from geopriv.queries import Query
from geopriv.spaces import Space

_MOST = Fraction(11, 10)


@dataclass(frozen=True)
class Charge:
    """Computed coordinates (or positions) move at most `factor` times as far as the recorded points: 1 + 2e/q.

    Guarantee: for distinct recorded points dist(x, x') ≥ q, so
    |s̃ − s̃'| ≤ |s − s'| + 2e ≤ (1 + 2e/q)·dist(x, x'); a report that is ε/(1 + 2e/q)-GP in s̃ is ε-GP in x (theory T9).

    Args:
        error: e, by how much a computed coordinate or position may be off, in the unit of distance.
        closest: q, the least distance between distinct recorded points.
    """

    error: float
    closest: float

    @property
    def factor(self) -> Fraction:
        """1 + 2e/q, exactly."""
        return factor(self.error, self.closest)


def charge(owner: str, query: Query, reach: float, extra: float = 0.0) -> Charge | None:
    """What a query's coordinate costs on a space with a resolution; None on real numbers.

    A point that is off by some length moves a 1-Lipschitz coordinate by no more, so errors of a projection add to those
    of the coordinate.

    Args:
        owner: who asks, for errors.
        query: whose coordinate is computed.
        reach: how far from 0 coordinates are told apart.
        extra: an error that comes on top of the coordinate's own.

    Raises:
        InvalidParameter: where the resolution is so fine that more than a tenth of ε would go.
    """
    space = query.space
    if space.resolution is None:
        return None
    error = query.geometry.rounding(space.extent, reach) + extra
    if not math.isfinite(error):
        raise invalid(owner, "query", "one of whose rounding errors something is known", query)
    return _affordable(owner, space, error + math.sqrt(space.dimension) * space.projection_error)


def position_charge(owner: str, space: Space, step: float, origin: Sequence[float]) -> Charge | None:
    """What positions on a grid cost on a flat space with a resolution, 1 + 2√d·e/q; None on real numbers.

    A position is (x − origin)/step. On each axis, in the unit of distance and with u = 2^-53, x is off by the error of
    its projection and by u·|x| (the nearest float), the difference and the quotient by u·|x − origin| each, and the
    weight of the upper cell by 2^-50 of a step. Along d axes the errors add up to √d of that.

    Args:
        owner: who asks, for errors.
        space: whose recorded points are placed.
        step: of the grid.
        origin: of the grid; empty for 0.

    Raises:
        InvalidParameter: where the resolution is so fine that more than a tenth of ε would go.

    Reference: theory T9.
    """
    if space.resolution is None:
        return None
    error = position_error(space.dimension, space.projection_error, space.extent, origin, step)
    return _affordable(owner, space, error)


def _affordable(owner: str, space: Space, error: float) -> Charge:
    assert space.resolution is not None  # what both callers have seen to
    found = Charge(rounded_up(error), space.closest)
    if found.factor > _MOST:
        coarser = space.resolution * float((found.factor - 1) * 100)
        rule = f"coarse enough beside the rounding errors of what is computed; {coarser:.2g} would do"
        raise invalid(owner, "resolution", rule, space.resolution)
    return found
