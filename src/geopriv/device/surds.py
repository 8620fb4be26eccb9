"""Numbers r ± √q with rational r and q, compared without rounding.

Every coordinate of a flat space is one: a linear score, a distance to a point, to a corner or to an edge. So the row of
a table can be chosen exactly for every float x, by comparing integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

_NONE = Fraction(0)


@dataclass(frozen=True, slots=True)
class Surd:
    """rational + sign·√square.

    >>> third = Surd(Fraction(1), -1, Fraction(4, 9))
    >>> third.compare(Fraction(1, 3)), third.compare(Fraction(1, 2)), float(third)
    (0, -1, 0.33333333333333337)
    """

    rational: Fraction
    sign: int = 1
    square: Fraction = _NONE

    def compare(self, other: Fraction) -> int:
        """−1, 0 or 1 as the number is below, at or above another, exactly."""
        away = other - self.rational
        if not self.square:
            return (away < 0) - (away > 0)
        if self.sign > 0:
            return 1 if away <= 0 else _order(self.square, away * away)
        return -1 if away >= 0 else -_order(self.square, away * away)

    def __float__(self) -> float:
        """About the number, to begin a search with."""
        return float(self.rational) + self.sign * math.sqrt(self.square)


def _order(a: Fraction, b: Fraction) -> int:
    return (a > b) - (a < b)
