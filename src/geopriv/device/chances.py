"""How often a table says something: the chance of every letter but its idle one, along the coordinate.

This is the one place where far questions (`geopriv.device.far`) look at the law of a table between lattice points.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from geopriv.device.tables import TOTAL


class Range(NamedTuple):
    """What is known of P, of D = P'/ε and of B = P + |D| where the coordinate is in a range.

    Args:
        chance: the largest P.
        falling: the least D.
        rising: the largest D.
        both: the largest B, at most 1 of a table that keeps its promise: P = 1 − w and |w'| ≤ ε·w.
    """

    chance: float
    falling: float
    rising: float
    both: float


@dataclass(frozen=True)
class Chances:
    """P along the coordinate: linear between lattice points and constant outside.

    Args:
        lattice: increasing coordinates.
        heights: P there, to 2^-52.
        slopes: D in the cells, each to 2^-52, and 0 before the first point and beyond the last.
    """

    lattice: tuple[float, ...] = field(repr=False)
    heights: tuple[float, ...] = field(repr=False)
    slopes: tuple[float, ...] = field(repr=False)

    def over(self, low: float, high: float) -> Range:
        """All that P, D and B can be for coordinates from low to high, up to 2^-48."""
        first, last = bisect_right(self.lattice, low), bisect_right(self.lattice, high)
        start, end = self._at(first, low), self._at(last, high)
        if first == last:
            slope, most = self.slopes[first], max(start, end)
            return Range(most, slope, slope, most + abs(slope))
        inside, slopes = self.heights[first:last], self.slopes[first : last + 1]
        both = max(
            max(p, q) + abs(slope) for (p, q), slope in zip(pairwise((start, *inside, end)), slopes, strict=True)
        )
        return Range(max(start, end, *inside), min(slopes), max(slopes), both)

    def points(self, low: float, high: float) -> int:
        """How many lattice points lie between two coordinates."""
        return bisect_right(self.lattice, high) - bisect_right(self.lattice, low)

    def beyond(self, low: float) -> float:
        """The largest B from a coordinate on."""
        return self.over(low, max(low, self.lattice[-1])).both

    def _at(self, cell: int, s: float) -> float:
        """P at a coordinate in a cell: the one before the point of that number."""
        if not 0 < cell < len(self.lattice):
            return self.heights[min(cell, len(self.heights) - 1)]
        a, b = self.lattice[cell - 1 : cell + 1]
        share = (s / 2 - a / 2) / (b / 2 - a / 2)  # halves, since the width of a cell may be beyond all floats
        return (1 - share) * self.heights[cell - 1] + share * self.heights[cell]


def chances_of(lattice: Sequence[float], rows: Sequence[Sequence[int]], idle: int, rate: Fraction) -> Chances:
    """The chances of a table of integer weights, by its lattice, and of the letter that is idle."""
    places, spoken = [Fraction(s) for s in lattice], [TOTAL - row[idle] for row in rows]
    slopes = [
        float(Fraction(q - p, TOTAL) / (rate * (b - a)))
        for (p, q), (a, b) in zip(pairwise(spoken), pairwise(places), strict=True)
    ]
    return Chances(tuple(lattice), tuple(p / TOTAL for p in spoken), (0.0, *slopes, 0.0))
