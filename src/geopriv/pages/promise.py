"""The promise to each person, in words and in numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.spaces import Space
from geopriv.spaces.rounding import above, below
from geopriv.spaces.units import METRES
from geopriv.spaces.words import NARROW, plain

_LOSSES = (0.1, 0.3, 1.0, 2.0, 5.0)


@dataclass(frozen=True)
class Promised:
    """One line of the table.

    Args:
        apart: a distance.
        factor: up to which two values so far apart look alike.
        right: how often, at most, a guess between the two is right.
        least: where one value makes a report 1,000 times, how often at least the other makes the same; in words.
        share: the same out of 1.
        distance: how far apart, in the unit of the space.
    """

    apart: str
    factor: str
    right: str
    least: str
    share: float
    distance: float


@dataclass(frozen=True)
class Promise:
    """What the page says of the promise.

    Args:
        rate: ε, in words.
        sentence: an example.
        rows: the table; of one line where distance does not matter.
        exceptions: where the promise is weaker than that.
        proof: the theorems.
        walks: whether it is on trajectories, of the reports of several rounds together.
    """

    rate: str
    sentence: str
    rows: tuple[Promised, ...]
    exceptions: str
    proof: str
    walks: bool = False


def promise_of(guarantee: Guarantee, space: Space) -> Promise:
    """The promise of a guarantee about values of a space."""
    exceptions = []
    if guarantee.delta:
        exceptions.append(f"Except with a probability of {plain(guarantee.delta, 2)}.")
    if math.isfinite(guarantee.radius):
        exceptions.append(f"For values within {space.distance_words(guarantee.radius)} of each other.")
    if guarantee.metric == "discrete":
        row = _row(guarantee, 1.0, "any distance")
        sentence = f"Any two values look alike up to a factor of {row.factor}."
        rate = f"ε = {plain(guarantee.epsilon, 4)}"
        return Promise(rate, sentence, (row,), " ".join(exceptions), guarantee.reference)
    rows = tuple(_at(guarantee, loss, space) for loss in _LOSSES)
    things = "Two places" if space.dimension > 1 and space.distance_unit in METRES else "Two values"
    sentence = f"{things} {rows[1].apart} apart look alike up to a factor of {rows[1].factor}."
    rate = f"ε = 1 per {space.distance_words(1 / guarantee.epsilon).removeprefix('a ')}"
    if guarantee.metric == "trajectories":
        sentence = (
            f"Two people who stay where they are, {rows[1].apart} apart, look alike up to a factor of "
            f"{rows[1].factor} in all rounds together."
        )
        return Promise(f"{rate}, on trajectories", sentence, rows, " ".join(exceptions), guarantee.reference, True)
    return Promise(rate, sentence, rows, " ".join(exceptions), guarantee.reference)


def _at(guarantee: Guarantee, loss: float, space: Space) -> Promised:
    """At about the distance of a loss, as a round number, with the factor of exactly that number."""
    apart = guarantee.example(loss)
    return _row(guarantee, apart, space.distance_words(apart))


def _row(guarantee: Guarantee, apart: float, words: str) -> Promised:
    """With even odds before, a report with likelihoods F to 1 leaves odds of F, which is F/(1 + F) (Bayes)."""
    factor = guarantee.factor(apart)
    right = math.ceil(1000 * factor / (1 + factor)) / 10
    said = f"{plain(right)}{NARROW}%" if not guarantee.delta else "–"
    share = below(1 / factor, 3)
    return Promised(words, plain(above(factor, 3)), said, plain(math.floor(1000 * share)), share, apart)
