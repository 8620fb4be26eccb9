"""Two waves of a survey: by how much each answer changed, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.documents import ends_document
from geopriv.answers.intervals import normal_reach
from geopriv.answers.numbers import numbers_document
from geopriv.device.walks import METRIC
from geopriv.errors import InvalidParameter
from geopriv.mechanisms.guarantee import Guarantee, compose
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True, eq=False)
class Change:
    """By how much one answer changed, from the first wave to the second; arrays have the question's shape.

    Args:
        question: that was asked both times.
        values: changes of the soft answers.
        standard_errors: of these.
        soft: their intervals, each for itself.
        plain: intervals that hold the changes of the plain answers, each for itself; None without plain answers, and
            for means and sums, of which nothing is soft: they have one interval, `soft`.
        bias: a bound on how far a soft change is off on average; not-a-number where none is known.
        confidence: of the intervals.
        in_part: who counts in part in the soft answers; empty where nobody does.
    """

    question: Question
    values: FloatArray
    standard_errors: FloatArray
    soft: Band
    plain: Band | None
    bias: float
    confidence: float
    in_part: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed between two waves.

    Args:
        first: the earlier answers.
        second: the later ones.
        changes: of the questions that both have.
        left_out: names of the others.
        same_people: whether the same people reported in both waves.
        groups: the changes in each group that both have, of the questions that both answer there, at one confidence.
    """

    first: Answers
    second: Answers
    changes: tuple[Change, ...]
    left_out: tuple[str, ...]
    same_people: bool
    groups: dict[str, tuple[Change, ...]] = field(default_factory=dict)

    @property
    def is_same(self) -> bool:
        """Whether both are the same answers to the last digit: a file that was named twice."""
        return self.first.design == self.second.design and self.first.to_document() == self.second.to_document()

    def __getitem__(self, name: str) -> Change:
        """The change of the question of a name.

        Raises:
            KeyError: where there is none.
        """
        for change in self.changes:
            if change.question.name == name:
                return change
        raise KeyError(name)

    @property
    def guarantee(self) -> Guarantee:
        """Of somebody who reported in both waves: what two reports give away adds up, but for rounds of one walk."""
        return self.first.guarantee if self.is_walk else compose(self.first.guarantee, self.second.guarantee)

    @property
    def is_walk(self) -> bool:
        """Whether both are rounds of one walk: then its promise is of both together."""
        return _is_walk(self.first, self.second)

    def to_document(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return {
            "first": self.first.design,
            "second": self.second.design,
            "same_people": self.same_people,
            "epsilon_of_both": self.guarantee.epsilon,
            "left_out": list(self.left_out),
            "changes": [_document(change) for change in self.changes],
            "groups": [
                {"name": name, "changes": [_document(change) for change in changes]}
                for name, changes in self.groups.items()
            ],
        }


def compare(first: Answers, second: Answers, same_people: bool = False) -> Comparison:
    """By how much the answers of a survey changed.

    Errors of two samples of different people are independent, so variances add up. Of the same people they may go
    together in any way, so standard errors add up: no correlation makes the error of a difference larger.

    A plain share lies between the ends of its interval in each wave, so its change lies between the lower end of the
    second less the upper end of the first, and the reverse. With normal errors e₁ and e₂ of the ends, the lower end of
    a change fails only if e₂ − e₁ > z·(se₁ + se₂), which is at least z standard errors of e₂ − e₁, whatever their
    correlation. So the interval has the confidence of the two.

    Rounds of one walk are of the same people, whatever is said: their noise goes together.

    Means and sums have one interval, longer on the side of a few values that are far from the others. Its sides are put
    together as standard errors are: the lower side of a change is √(a² + b²) of the lower side a of the second and the
    upper side b of the first, and a + b for the same people.

    Reference: G. Y. Zou and A. Donner, Construction of confidence limits about effect measures, Statistics in Medicine
    27 (2008).

    Args:
        first: the earlier answers.
        second: the later ones, on the same space and at the same confidence.
        same_people: whether the same people reported in both.

    Raises:
        InvalidParameter: for answers on different spaces, of different confidence, about others or weighted in another
            way, and without a common question.
    """
    if first.space != second.space:
        raise invalid("compare", "second", f"on the space of the first, {first.space}", second.space)
    _require_alike(first, second)
    same_people = same_people or _is_walk(first, second)
    changes = tuple(_change(one, other, same_people) for one, other in _common(first.answers, second.answers))
    if not changes:
        raise invalid(
            "compare", "second", "such that a question of the first is asked again, in the same words", "none"
        )
    known = {change.question.name for change in changes}
    names = dict.fromkeys(answer.question.name for answer in (*first.answers, *second.answers))
    left_out = tuple(name for name in names if name not in known)
    return Comparison(first, second, changes, left_out, same_people, _groups(first, second, same_people))


def _is_walk(first: Answers, second: Answers) -> bool:
    return first.design == second.design and first.guarantee.metric == METRIC


def _require_alike(first: Answers, second: Answers) -> None:
    if first.counted != second.counted:
        raise InvalidParameter(
            f"The first estimates count {first.counted}, the second {second.counted}: their answers are about "
            "different things, and cannot be compared."
        )
    if first.weighted != second.weighted:
        weighted, other = ("first", "second") if first.weighted else ("second", "first")
        raise InvalidParameter(
            f"The {weighted} estimates are weighted by the known sizes of groups, the {other} are not, so they cannot "
            "be compared. Estimate both in the same way: --unweighted (weighted=False) leaves the sizes out."
        )


def _common(first: Sequence[Answer], second: Sequence[Answer]) -> list[tuple[Answer, Answer]]:
    """Answers to the questions that are asked in both, in the same words."""
    asked = {answer.question.name: answer for answer in second}
    pairs = [(one, asked[one.question.name]) for one in first if one.question.name in asked]
    return [(one, other) for one, other in pairs if _same(one.question, other.question)]


def _groups(first: Answers, second: Answers, same_people: bool) -> dict[str, tuple[Change, ...]]:
    """Of the groups that both have; none where one holds in all groups at once and the other does not."""
    if first.simultaneous != second.simultaneous:
        return {}
    found = {}
    for name in (name for name in first.groups if name in second.groups):
        pairs = _common(first.groups[name].answers, second.groups[name].answers)
        # among other numbers of groups intervals that hold in all at once are of another confidence
        pairs = [(one, other) for one, other in pairs if one.estimates.confidence == other.estimates.confidence]
        found[name] = tuple(_change(one, other, same_people) for one, other in pairs)
    return found


def _same(one: Question, other: Question) -> bool:
    """Whether two waves ask the same; how a plain answer is held may differ."""
    return (one.with_reach(0.0) if one.reach else one) == (other.with_reach(0.0) if other.reach else other)


def _change(one: Answer, other: Answer, same_people: bool) -> Change:
    first, second = one.estimates, other.estimates
    if first.confidence != second.confidence:
        raise invalid("compare", "second", f"of the confidence {first.confidence:g}, as the first", second.confidence)
    values, errors = second.values - first.values, (first.standard_errors, second.standard_errors)
    error = errors[0] + errors[1] if same_people else np.hypot(*errors)
    half = normal_reach(first.confidence) * error
    soft, plain, bias = Band(values - half, values + half), None, first.bias + second.bias
    if one.plain is not None and other.plain is not None:
        if other.question.valued and not other.question.shape:
            soft = _sides(one, other, one.plain, other.plain, same_people)
        else:
            plain = Band(other.plain.low - one.plain.high, other.plain.high - one.plain.low)
    return Change(other.question, values, error, soft, plain, bias, first.confidence, other.in_part)


def _sides(one: Answer, other: Answer, early: Band, late: Band, same_people: bool) -> Band:
    """The interval of a difference of two numbers, from the sides of their own."""
    first, second = one.estimates.values, other.estimates.values
    joined = np.add if same_people else np.hypot
    below, above = joined(second - late.low, early.high - first), joined(late.high - second, first - early.low)
    return Band(second - first - below, second - first + above)


def _document(change: Change) -> dict[str, Any]:
    return {
        "name": change.question.name,
        "confidence": change.confidence,
        "plain": ends_document(change.plain),
        "soft": {
            "value": numbers_document(change.values),
            "standard_error": numbers_document(change.standard_errors),
            **(ends_document(change.soft) or {}),
            "edge": change.question.edge_words,
            "bias": None if np.isnan(change.bias) else change.bias,
        },
    }
