"""A survey that is asked again: three ways, what each promises, and how exact it would be in every round."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from geopriv.errors import InvalidParameter
from geopriv.queries.questions import Question
from geopriv.spaces.checks import count, invalid
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.survey_plan import SurveyPlan
from geopriv.surveys.planning.surveys import plan_survey
from geopriv.surveys.planning.walks import walk_errors

MOST = 366  # rounds: a year of days


@dataclass(frozen=True)
class Expected:
    """What is expected of a question's soft answers: half of 95 % intervals, of the longest.

    Args:
        rounds: in each round; None where it cannot be told.
        change: from the first round to the last, as `compare` states it; None where it is not known.
        plain: of plain answers in each round; None where there are none.
    """

    rounds: tuple[float | None, ...]
    change: float | None
    plain: float | None = None


@dataclass(frozen=True)
class Way:
    """A way to ask R times.

    Args:
        name: in a few words.
        promise: what one person is promised, in a sentence.
        expected: of each question by its name; empty where the way is none for this survey.
        without: why it is none; empty where it is.
    """

    name: str
    promise: str
    expected: dict[str, Expected]
    without: str = ""


@dataclass(frozen=True)
class Rounds:
    """The ways to ask a survey R times.

    Args:
        number: R.
        ways: fresh people (the default), the same people at ε and at ε/R each round, and walking noise.
        people: in each round of fresh people.
        needed: people for the errors of a survey that is asked once, in every round of fresh people.
    """

    number: int
    ways: tuple[Way, ...]
    people: int
    needed: int


def rounds(found: SurveyPlan, number: int, told: Callable[[str], None] = lambda _: None) -> Rounds:
    """What asking a survey R times would promise, and how exact every round would be.

    Guarantee: none is made here. A design's guarantee is about one report, or about trajectories where noise walks;
    each way says what holds for all rounds together. The first two are run as R surveys, the last as one with a table
    [walk], whose design is another.

    Args:
        found: the plan of one round, asked of all people.
        number: R.
        told: what is done next.

    Raises:
        InvalidParameter: for fewer than two rounds or more than 366, and for fewer than two people a round.
    """
    people = people_a_round(found.survey, number)
    told(f"Predicting for {people:,} people in each round…")
    fresh = plan_survey(replace(found.survey, people=people))
    ways = (
        Way("fresh people", _fresh_words(found, number), _expected(fresh, number, math.hypot)),
        Way("same people, ε each", _sum_words(number), _expected(found, number, _added)),
        _split(found, number, told),
        _walking(found, number, told),
    )
    return Rounds(number, ways, people, number * found.survey.people)


def people_a_round(survey: Survey, number: int) -> int:
    """How many fresh people each of so many rounds has.

    Raises:
        InvalidParameter: for fewer than two rounds or more than 366, and for fewer than two people a round.
    """
    if not 2 <= count("plan", "rounds", number) <= MOST:
        raise invalid("plan", "rounds", f"between 2 and {MOST}", number)
    if survey.people < 2 * number:
        raise invalid("plan", "rounds", f"so few that each has two people of {survey.people:,}", number)
    return survey.people // number


def _split(found: SurveyPlan, number: int, told: Callable[[str], None]) -> Way:
    """The same people at ε/R in each round, with the design that suits it."""
    name, promise = f"same people, ε/{number} each", _split_words(number)
    told(f"Predicting for ε/{number} in each round…")
    try:
        less = plan_survey(replace(found.survey, epsilon=found.survey.epsilon / number))
    except InvalidParameter as reason:
        return Way(name, promise, {}, str(reason))
    return Way(name, promise, _expected(less, number, _added))


def _walking(found: SurveyPlan, number: int, told: Callable[[str], None]) -> Way:
    """The same people with noise that walks."""
    name, promise = "walking noise", _walk_words()
    told("Predicting for walking noise…")
    try:
        errors = walk_errors(found.survey, number)
    except InvalidParameter as reason:
        return Way(name, promise, {}, str(reason))
    expected = {
        each: Expected(
            tuple(None if error is None else REACH * error for error in by_round),
            None if by_round[0] is None or by_round[-1] is None else REACH * (by_round[0] + by_round[-1]),
        )
        for each, by_round in errors.items()
    }
    return Way(name, promise, expected)


def _expected(found: SurveyPlan, number: int, joined: Callable[[float, float], float]) -> dict[str, Expected]:
    """Of every question in rounds that are all alike; the standard errors of two joined for a change."""
    return {
        question.name: Expected(
            (found.half_width(question),) * number,
            REACH * joined(*[found.expected(question)] * 2) if _compared(question) else None,
            None if question.valued else found.plain_half_width(question),
        )
        for question in found.survey.questions
    }


def _compared(question: Question) -> bool:
    """Whether the error of a change follows from two standard errors."""
    return not question.valued or question.form in ("mean", "total")


def _added(first: float, second: float) -> float:
    """Of the same people, whose errors may go together in any way."""
    return first + second


def _fresh_words(found: SurveyPlan, number: int) -> str:
    survey = found.survey
    return (
        f"The default. Other people in each round, {survey.people // number:,} of the {survey.people:,}: each reports "
        f"once, so ε in all. For the errors of a survey that is asked once, {number * survey.people:,} people are "
        "needed."
    )


def _sum_words(number: int) -> str:
    return (
        f"ε adds up to {number}ε: two values that stay, at a distance d, look alike up to exp({number}ε·d) over all "
        "rounds together; where they differ by d in one round only, up to exp(ε·d)."
    )


def _split_words(number: int) -> str:
    return (
        f"ε in all: values that are at most d apart in every round look alike up to exp(ε·d) over all {number} rounds "
        "together."
    )


def _walk_words() -> str:
    return (
        "A promise on trajectories (theory T15): all rounds together look alike up to exp(ε·D), D = |x₁ − x'₁| + "
        "Σ |moves of x less moves of x'|. Who never moves is protected as by one report; a move that lasts is seen as "
        "one report sees it, and one that is taken back in the next round as two. For means, and for edges much wider "
        "than 4/ε that bend gently (a Gaussian blur). A table [walk] in the survey asks for it."
    )
