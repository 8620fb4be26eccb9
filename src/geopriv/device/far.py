"""Far questions in one report (theory T13): a bound on A + |∇A|/ε over a whole line or plane.

A(x) = Σ_j P_j(s_j(x)) is how often K tables say something. A report that says (j, y) with probability μ·P[M_j = y],
and nothing otherwise, keeps the tables' promise if μ·(A + |∇A|/ε) ≤ 1 almost everywhere.

Space is cut into boxes until each has a bound below the limit. In a box s_j changes by no more than one can walk in it,
and so P_j, the slope v_j = |P_j'|/ε, their sum B_j ≤ 1 and the gradient of s_j lie in known ranges. With unit vectors
d_j, A + |∇A|/ε = Σ P_j + |Σ v_j·d_j|. This is at most what each table for itself may add in one of two ways:

    coupled: P_j = B_j − v_j, and −v + |v·d + w| falls with v for every w, so B_j is taken largest and v_j least;
    apart:   P_j is taken largest, and v_j·d_j to be anywhere within its range.

The first is sharp where a table takes all of its promise (B = 1), the second far from its set. Without a known
gradient a table adds B_j at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from geopriv.device.chances import Chances, Range
from geopriv.device.sights import OUTWARD, Sight, added
from geopriv.device.values import Place

TABLES = 64  # that share a report
WORK = 200_000  # discs that are looked at before a design is refused, or as many corners: some seconds
_POINTS = 32  # of a lattice that take as long to look at as a disc
_QUIET = 2.0**-8  # tables that together say less in a box are not looked at again in its parts
_FARTHEST = 40  # times that the space around all sets is doubled


Way = tuple[float, Place, float]  # what a table adds, a vector that it adds besides, and how far that may be off


@dataclass(frozen=True)
class Spoken:
    """One table that shares a report: where its set is, and how often it says something."""

    sight: Sight
    chances: Chances


class Box(NamedTuple):
    """A box of space.

    Args:
        middle: of the box.
        half: of its sides.
        heard: the numbers of the tables that are looked at.
        quiet: what all others say at most.
    """

    middle: Place
    half: float
    heard: tuple[int, ...]
    quiet: float

    @property
    def reach(self) -> float:
        """How far the corners are from the middle, and a little more."""
        return self.half * math.sqrt(len(self.middle)) * (1 + OUTWARD)

    def parts(self) -> Iterator[Box]:
        """Its halves along each axis, a little wider than that, since sums are rounded."""
        half = self.half / 2
        for signs in product((-1.0, 1.0), repeat=len(self.middle)):
            middle = tuple(m + sign * half for m, sign in zip(self.middle, signs, strict=True))
            yield Box(middle, half + OUTWARD * (half + added(map(abs, middle))), self.heard, self.quiet)


class Term(NamedTuple):
    """What one table adds in a box.

    Args:
        alone: if nothing is known of directions: B.
        coupled: B less the least slope, the least slope times the gradient, and how far that may be off.
        apart: P, a vector in the middle of all slopes times gradients, and how far they are from it.
    """

    alone: float
    coupled: Way
    apart: Way


class Search:
    """The bounds of boxes, and what it took to look at tables for them."""

    def __init__(self, tables: Sequence[Spoken], rate: float) -> None:
        self.tables, self.rate, self.work = tables, rate, 0

    def first(self, limit: float) -> Box | None:
        """A box outside of which the bound is below the limit; None where there is none."""
        lows, highs = zip(*(table.sight.box for table in self.tables), strict=True)
        low, high = ([end(axis) for axis in zip(*corners, strict=True)] for end, corners in ((min, lows), (max, highs)))
        middle = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
        wide = max(b - a for a, b in zip(low, high, strict=True)) / 2
        for k in range(_FARTHEST):
            far = 4.0 * 2.0**k / self.rate
            if added(table.chances.beyond(far * (1 - OUTWARD)) for table in self.tables) * (1 + OUTWARD) <= limit:
                half = (wide + far) * (1 + OUTWARD) + OUTWARD * added(map(abs, middle))
                return Box(middle, half, tuple(range(len(self.tables))), 0.0)
        return None

    def bound(self, box: Box, enough: float = 0.0) -> tuple[float, Box]:
        """The bound in a box, and the box with only those tables that are heard there; a simple bound if it is enough.

        Args:
            box: of space.
            enough: a bound below which no better one is needed.
        """
        terms = [self._term(k, box) for k in box.heard]
        simple = (box.quiet + added(term.alone for term in terms)) * (1 + OUTWARD)
        if simple <= enough or not terms:
            return simple, box
        coupled, apart = [term.coupled for term in terms], [term.apart for term in terms]
        loudest = max(range(len(terms)), key=lambda k: terms[k].alone)
        mixed = [*apart[:loudest], coupled[loudest], *apart[loudest + 1 :]]
        most = (box.quiet + min(map(_together, (coupled, apart, mixed)))) * (1 + OUTWARD)
        heard = tuple(k for k, term in zip(box.heard, terms, strict=True) if term.alone > _QUIET / len(self.tables))
        quiet = box.quiet + added(term.alone for k, term in zip(box.heard, terms, strict=True) if k not in heard)
        return min(simple, most), Box(box.middle, box.half, heard, quiet)

    def exceeds(self, box: Box, limit: float) -> bool:
        """Whether the bound is above the limit even at the middle of a small box: then no part of it is ever below."""
        if box.reach * self.rate > 1:
            return False
        return self.bound(Box(box.middle, 0.0, box.heard, 0.0), limit)[0] > limit

    def _term(self, k: int, box: Box) -> Term:
        chances, view = self.tables[k].chances, self.tables[k].sight.look(box.middle, box.reach)
        known = math.isfinite(view.low) and math.isfinite(view.high)  # else it may be anywhere
        low, high = (view.low, view.high) if known else (-math.inf, math.inf)
        self.work += self.tables[k].sight.cost + chances.points(low, high) // _POINTS
        found = chances.over(low, high)
        if view.direction is None or not known:
            whole = found.both, (0.0,) * len(box.middle), 0.0
            return Term(found.both, whole, whole)
        least, most = _slopes(found)
        # of a slope of either sign the vector points either way: it is within the largest of 0
        one_way = found.rising <= 0 or found.falling >= 0
        sign, about = (1.0 if found.falling >= 0 else -1.0), (least + most) / 2 if one_way else 0.0
        wide = (most - least) / 2 if one_way else most
        coupled = tuple(sign * least * part for part in view.direction)
        apart = tuple(sign * about * part for part in view.direction)
        return Term(
            found.both,
            (found.both - least, coupled, least * view.off),
            (found.chance, apart, wide + about * view.off),
        )


def _slopes(found: Range) -> tuple[float, float]:
    """The least and the largest |D|."""
    ends = abs(found.falling), abs(found.rising)
    return (0.0 if found.falling < 0 < found.rising else min(ends)), max(ends)


def _together(chosen: Sequence[Way]) -> float:
    """The bound of all tables, each in one of its ways."""
    vector = [added(parts) for parts in zip(*(vector for _, vector, _ in chosen), strict=True)]
    return added(more + off for more, _, off in chosen) + math.sqrt(added(part * part for part in vector))


@lru_cache(maxsize=16)
def holds(tables: tuple[Spoken, ...], rate: float, limit: float, work: int = WORK) -> bool:
    """Whether A + |∇A|/ε is at most the limit almost everywhere.

    Guarantee: True only if it is (the argument above). A limit that is nearly reached may not be settled: False.

    Args:
        tables: that share a report, each verified.
        rate: ε.
        limit: 1/μ, rounded down.
        work: that is done at most.
    """
    search = Search(tables, rate)
    first = search.first(limit)
    waiting = [] if first is None else [first]
    while waiting:
        most, box = search.bound(waiting.pop(), limit)
        if most <= limit:
            continue
        if search.work > work or not math.isfinite(most) or search.exceeds(box, limit):
            return False
        waiting.extend(box.parts())
    return first is not None
