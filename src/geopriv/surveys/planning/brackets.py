"""How wide the two edges are between which a plain question is held: chosen for the people who are expected.

A narrow edge holds few people who may or may not count, and pays for it with noise. Half of the interval that a plain
answer will have is half of the share of people in both edges, and the errors of both ends; it is least somewhere
between, and flat around there. It is chosen before anybody reports, so nothing is chosen by the data (theory T14).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.mechanisms import Lattice
from geopriv.mechanisms.lattice.crowds import Crowd
from geopriv.mechanisms.sums import Moments, Sums, band_half
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.threads import each_in_threads
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.predictions import lattice, unlike, with_small_bias
from geopriv.surveys.planning.workload import Workload

EDGES = tuple(0.35 * 2 ** (k / 2) for k in range(11))  # in units of 1/ε
FIRST = {1: 2, 2: 5}  # of the widths, by dimension: where the least mostly is
_SOME = 9  # values of a distribution by which its edge is chosen
_PREDICTED = 0.1  # in units of 1/ε, the finest step on which predictions in the plane are made
_GRIDS = 6  # that are compared
_UNALIGNED = (0.1, 0.05, 0.025)  # in units of 1/ε, steps of grids whose cells miss the borders


def half_width(moments: Sequence[Moments], weights: FloatArray, people: int) -> float:
    """Half of the 95 % interval that a plain answer will have, as `answers.plain` makes it.

    Args:
        moments: of what holds the question from below and from above.
        weights: of the points that stand for people.
        people: who report.
    """
    inner, outer = (float(weights @ part.means) for part in moments)
    ends = [_end(part, weights, people) for part in moments]
    low, high = max(inner - ends[0], 0.0), min(outer + ends[1], 1.0)
    return max(high - low, 0.0) / 2


def _end(part: Moments, weights: FloatArray, people: int) -> float:
    mean, square, cube = (float(weights @ each) for each in (part.means, part.squares, part.cubes))
    numbers = (mean, max(square - mean**2, 0.0), cube - 3 * mean * square + 2 * mean**3, 0.0, part.spread)
    means, variances, thirds, low, high = map(np.asarray, numbers)
    return float(band_half(REACH, Sums(people, means, variances, thirds, None, low, high, 0.0)))


def plain_half_width(lattice: Lattice, query: Query, reach: float, crowd: Crowd, people: int) -> float:
    """What is predicted of a query's plain answer; infinite where there is none."""
    found = lattice.bracket(query, reach)
    if found is None:
        return math.inf
    return half_width([crowd.moments(part) for part in (found.inner, found.outer)], np.ones(1), people)


def choose_reach(seen: Lattice, question: Question, crowd: Crowd, people: int, lattice: Lattice) -> tuple[float, float]:
    """The reach of the least predicted half-width, on average over the question, and that half-width.

    Args:
        seen: on which it is predicted.
        question: what is asked.
        crowd: of the people whom it concerns, who report on the grid that is seen.
        people: who report.
        lattice: of the design.

    Returns:
        0 and infinity where there is no plain answer.
    """
    asked, rate, tried = some_of(question.queries, _SOME), lattice.guarantee.epsilon, dict[int, tuple[float, float]]()

    def cost(k: int) -> float:
        if k not in tried:
            cells = max(1, round(EDGES[k] / rate / lattice.step))
            reach = cells * lattice.step
            each = [plain_half_width(seen, query, reach, crowd, people) for query in asked]
            tried[k] = float(np.mean(each)), reach
        return tried[k][0]

    k = FIRST.get(lattice.space.dimension, FIRST[2]) + (lattice.core is not None)
    while True:
        near = [other for other in (k - 1, k, k + 1) if 0 <= other < len(EDGES)]
        best = min(near, key=cost)
        if best == k:
            break
        k = best
    least, reach = tried[k]
    return (reach, least) if math.isfinite(least) else (0.0, math.inf)


@dataclass(frozen=True, eq=False)
class PlainGrid:
    """A Lattice for plain questions, the questions with their reaches, and what is predicted of them.

    Args:
        lattice: on the grid of the least predicted half-widths.
        questions: of the survey, the plain ones each with its reach.
        half_widths: of each plain answer by the question's name: half of its 95 % interval, on average over a
            distribution.
    """

    lattice: Lattice
    questions: tuple[Question, ...]
    half_widths: dict[str, float]

    @property
    def cost(self) -> float:
        """By which grids are compared."""
        return float(np.sum(np.square(list(self.half_widths.values()))))


def plain_grid(questions: Sequence[Question], work: Workload) -> PlainGrid:
    """The grid on which plain questions have the shortest predicted intervals, of those that follow the soft ones.

    Raises:
        InvalidParameter: where no grid follows the soft ones.
    """
    plain = [question for question in questions if is_plain(question)]
    marks = tuple(sorted({end for question in plain for query in question.looked_at for end in _borders(query)}))
    grids = with_small_bias(work, lambda bias: Lattice.candidates(work.space, work.rate, unlike(work), bias, marks))
    if work.space.dimension > 1:
        return _round_or_not(min(grids, key=lambda grid: grid.step), questions, work)
    if not _aligned(grids[0], marks):
        grids = [Lattice.on_grid(work.space, work.rate, relative / work.rate) for relative in _UNALIGNED]
    picked = np.unique(np.linspace(0, len(grids) - 1, min(len(grids), _GRIDS)).round().astype(int)).tolist()
    return min((_on_grid(grids[k], questions, work) for k in picked), key=lambda found: found.cost)


def _round_or_not(product: Lattice, questions: Sequence[Question], work: Workload) -> PlainGrid:
    """The better of the finest grid with noise of its own on each axis, and of one with round noise.

    Round noise is far better for maps and for borders in all directions, the other for borders along the axes. By the
    mean of the logarithms of predicted errors, every question counting alike: of the plain answer where there is one.
    """
    found = [_on_grid(product, questions, work)]
    rounded = with_small_bias(work, lambda bias: Lattice.rounded(work.space, work.rate, unlike(work), bias))
    if rounded is not None and any(len(question.queries) > 1 for question in questions):
        found.append(_on_grid(rounded, questions, work))
    return min(found, key=lambda made: _judged(made, work))


def _judged(made: PlainGrid, work: Workload) -> float:
    """The mean logarithm of errors over questions."""
    halves, first, total = made.half_widths, 0, 0.0
    for question in made.questions:
        last = first + (0 if question.valued else len(question.looked_at))
        if question.name in halves:
            total += math.log(max(halves[question.name], 1e-12))
        elif last > first:
            variance, _ = lattice(work.part(range(first, last)), work.rate, made.lattice)
            total += 0.5 * math.log(max(float(variance.mean()) / work.people, 1e-24))
        first = last
    return total


def is_plain(question: Question) -> bool:
    """Whether a plain answer is wanted, and there is a plain question behind all of it."""
    return question.plain and all(query.plain_set is not None for query in question.queries[:1])


def reach_among(
    lattice: Lattice, question: Question, points: FloatArray, weights: FloatArray, people: int
) -> tuple[float, float]:
    """The reach of one question among people at points, and its half-width: `choose_reach`."""
    seen = _looked_at(lattice)
    return choose_reach(seen, question, seen.undoing.crowd(points, weights), people, lattice)


def _on_grid(lattice: Lattice, questions: Sequence[Question], work: Workload) -> PlainGrid:
    seen, crowds = _looked_at(lattice), dict[int, Crowd]()
    plain, first = list[tuple[Question, Crowd]](), 0
    for question in questions:
        if is_plain(question):
            whose = work.whose[first]
            if whose not in crowds:  # mostly all have one, whose reports are laid out once
                crowds[whose] = seen.undoing.crowd(*work.crowd(first))
            plain.append((question, crowds[whose]))
        first += 0 if question.valued else len(question.looked_at)  # a plan's queries are those about shares
    chosen = each_in_threads(lambda both: choose_reach(seen, both[0], both[1], work.people, lattice), plain)
    reaches = {question.name: found for (question, _), found in zip(plain, chosen, strict=True)}
    settled = tuple(each.with_reach(reaches[each.name][0]) if each.name in reaches else each for each in questions)
    return PlainGrid(lattice, settled, {name: half for name, (reach, half) in reaches.items() if reach})


def _borders(query: Query) -> tuple[float, ...]:
    """Where a plain question on a line begins and ends."""
    box = None if query.plain_set is None or query.space.dimension > 1 else query.plain_set.outline(0.0)
    return () if box is None else tuple(float(np.ravel(end)[0]) for end in box)


def _aligned(lattice: Lattice, marks: tuple[float, ...]) -> bool:
    along = (np.asarray(marks) - lattice.origin[0]) / lattice.step
    return bool((np.abs(along - np.rint(along)) < 1e-6).all())


def _looked_at(lattice: Lattice) -> Lattice:
    """The grid on which predictions are made: in the plane a finer one has intervals a few per cent shorter."""
    rate, coarse = lattice.guarantee.epsilon, _PREDICTED / lattice.guarantee.epsilon
    fine = lattice.core is None and lattice.space.dimension > 1 and lattice.step < coarse
    return Lattice.on_grid(lattice.space, rate, coarse, lattice.origin) if fine else lattice


def some_of(queries: Sequence[Query], most: int) -> list[Query]:
    """At most so many of the queries, evenly among them, the first and the last included."""
    picked = np.unique(np.linspace(0, len(queries) - 1, min(len(queries), most)).round().astype(int))
    return [queries[k] for k in picked.tolist()]
