"""What one report adds to an answer at most: what made-up ones could do to it, told before anybody reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from geopriv.mechanisms.sendable import Sendable
from geopriv.queries.questions import Question
from geopriv.spaces.rounding import above
from geopriv.spaces.words import plain

_LISTED = 1 << 16  # reports that are looked at one by one
_ANYTHING = 100.0  # points: shares that are true differ by no more


@dataclass(frozen=True)
class Contribution:
    """How much one report can count for a question, whatever it says.

    Args:
        question: its name.
        largest: the largest less the least that one report counts for any of its values, or for what holds its plain
            answers; the mean of n reports moves by at most that over n. Infinite where nothing bounds it.
        exact: whether some two reports differ by that; otherwise it is a bound.
        share: of all reports those that count for a value, the fewest: each person answers one mechanism.
        of: what is moved, "share" (of 1), "map" (of a kernel's height) or the unit of a number.
    """

    question: str
    largest: float
    exact: bool
    share: Fraction
    of: str = "share"

    def moved(self, made_up: int, people: int) -> float:
        """By how much so many reports of all could move an answer, if others stay what they are.

        >>> Contribution("above", 4.0, True, Fraction(1)).moved(made_up=10, people=1_000)
        0.04
        """
        return made_up * self.largest / (people * float(self.share))

    @property
    def words(self) -> str:
        """The bound in a sentence, for k of n reports, and for one in a hundred.

        >>> print(Contribution("above", 4.0, True, Fraction(1)).words)
        'above': if k of n reports were made up, this share could move by at most 4·k/n; 1 in 100: 4 points.
        """
        if not math.isfinite(self.largest):
            return f"{self.question!r}: no bound is known on how far made-up reports could move this."
        each = above(self.moved(1, 1), 3)
        thing = self.of if self.of in ("share", "map") else "number"
        unit = "" if thing == self.of else f" {self.of}"
        return (
            f"{self.question!r}: if k of n reports were made up, this {thing} could move by at most "
            f"{plain(each)}·k/n{unit}; 1 in 100: {self._one_in_hundred(each)}."
        )

    def _one_in_hundred(self, each: float) -> str:
        if self.of == "share":
            return f"{plain(each)} points" if each < _ANYTHING else "to anything"
        if self.of == "map":
            return f"{plain(each)} % of the height of one person's kernel"
        return f"{plain(above(each / 100, 3))} {self.of}"


def contribution_of(
    question: Question, mechanisms: Sequence[Sendable], shares: Sequence[int], answering: Sequence[int], counted: str
) -> Contribution:
    """What one report counts at most for a question, over all reports to the mechanisms that answer it.

    The largest less the least that a report adds: the range of a table's values, of tables that share reports that
    over μ (theory T13), both exactly; the range of the stencil of a grid, or a bound on it (theory T8).

    Args:
        question: of a design, with the reach of its plain answers.
        mechanisms: of the design.
        shares: how often each is drawn.
        answering: which of them answers each of the question's queries.
        counted: who reports.
    """
    found, exact, share = 0.0, True, Fraction(1)
    some = len(question.unlike)  # the first ones: a map's others are its first kernel, moved, of the same range
    first = np.asarray(answering)[:some]
    for index in np.unique(first).tolist():
        mechanism, which = mechanisms[index], np.flatnonzero(first == index).tolist()
        part = Fraction(shares[index], sum(shares))
        here = mechanism.span(question, which)
        if here / part > found / share:
            found, share, exact = here, part, _is_listed(mechanism)
    of = "map" if question.product is not None else "share" if question.times == 1 else counted
    return Contribution(question.name, question.times * found, exact, share, of)


def _is_listed(mechanism: Sendable) -> bool:
    """Whether its reports are so few that the ends of what they add are those of a list."""
    return math.prod(high - low for low, high in mechanism.ends) <= _LISTED
