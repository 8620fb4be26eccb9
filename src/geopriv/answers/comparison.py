"""Two waves of a survey: by how much each answer changed, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.documents import ends_document, numbers_document
from geopriv.answers.intervals import normal_reach
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
        plain: intervals that hold the changes of the plain answers, each for itself; None without plain answers.
        bias: a bound on how far a soft change is off on average; not-a-number where none is known.
        confidence: of the intervals.
    """

    question: Question
    values: FloatArray
    standard_errors: FloatArray
    soft: Band
    plain: Band | None
    bias: float
    confidence: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed between two waves.

    Args:
        first: the earlier answers.
        second: the later ones.
        changes: of the questions that both have.
        left_out: names of the others.
        same_people: whether the same people reported in both waves.
    """

    first: Answers
    second: Answers
    changes: tuple[Change, ...]
    left_out: tuple[str, ...]
    same_people: bool

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
        """Of somebody who reported in both waves: what two reports give away adds up."""
        return compose(self.first.guarantee, self.second.guarantee)

    def to_document(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return {
            "first": self.first.design,
            "second": self.second.design,
            "same_people": self.same_people,
            "epsilon_of_both": self.guarantee.epsilon,
            "left_out": list(self.left_out),
            "changes": [_document(change) for change in self.changes],
        }


def compare(first: Answers, second: Answers, same_people: bool = False) -> Comparison:
    """By how much the answers of a survey changed.

    Errors of two samples of different people are independent, so variances add up. Of the same people they may go
    together in any way, so standard errors add up: no correlation makes the error of a difference larger.

    A plain share lies between the ends of its interval in each wave, so its change lies between the lower end of the
    second less the upper end of the first, and the reverse. With normal errors e₁ and e₂ of the ends, the lower end of
    a change fails only if e₂ − e₁ > z·(se₁ + se₂), which is at least z standard errors of e₂ − e₁, whatever their
    correlation. So the interval has the confidence of the two.

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
    for name in ("weighted", "counted"):
        if getattr(first, name) != getattr(second, name):
            rule = f"with {name} = {getattr(first, name)}, as the first: else something else is compared"
            raise invalid("compare", "second", rule, getattr(second, name))
    asked = {answer.question.name: answer for answer in second.answers}
    pairs = [(one, asked[one.question.name]) for one in first.answers if one.question.name in asked]
    common = [(one, other) for one, other in pairs if _same(one.question, other.question)]
    if not common:
        raise invalid(
            "compare", "second", "such that a question of the first is asked again, in the same words", "none"
        )
    changes = tuple(_change(one, other, same_people) for one, other in common)
    known = {change.question.name for change in changes}
    names = dict.fromkeys(answer.question.name for answer in (*first.answers, *second.answers))
    return Comparison(first, second, changes, tuple(name for name in names if name not in known), same_people)


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
    plain = None
    if one.plain is not None and other.plain is not None:
        plain = Band(other.plain.low - one.plain.high, other.plain.high - one.plain.low)
    soft, bias = Band(values - half, values + half), first.bias + second.bias
    return Change(other.question, values, error, soft, plain, bias, first.confidence)


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
