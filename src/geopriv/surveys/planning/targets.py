"""How many people, or how much ε, make every share as exact as is wanted; and what other ε and people would give."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from geopriv.errors import InvalidParameter
from geopriv.spaces.checks import invalid
from geopriv.surveys.planning.crowds import shares_of, where_people_are_is_known
from geopriv.surveys.planning.needs import least_rate
from geopriv.surveys.planning.survey_plan import SurveyPlan
from geopriv.surveys.planning.widths import HalfWidth, half_widths

_POINTS = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*(pts?|points?|pp|percentage points?)\s*")
_MOST = 10**11  # people, as in a survey.toml
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of ε, in a sweep
TIMES = (0.1, 0.3, 1.0, 3.0, 10.0)  # of the people, in a sweep


def read_target(text: str) -> float:
    """A share of 1 from words: half of a 95 % interval.

    Raises:
        InvalidParameter: for what are no points between 0 and 50.

    >>> read_target("1pt"), read_target("0.5 points")
    (0.01, 0.005)
    """
    match = _POINTS.fullmatch(text.lower())
    if match is None or not 0 < float(match[1]) < 50:
        raise invalid("plan", "target", "percentage points between 0 and 50, such as 1pt or '0.5 points'", text)
    return float(match[1]) / 100


@dataclass(frozen=True)
class Needs:
    """What would make every share as exact as is wanted.

    Args:
        error: that is wanted, half of a 95 % interval, as a share of 1.
        people: at the survey's ε; None where no number of people does it.
        epsilon: for the survey's people; None where none within a factor of some 8,000 does it.
        least: the error at the survey's ε that no number of people goes below.
    """

    error: float
    people: int | None
    epsilon: float | None
    least: float

    def sentences(self, found: SurveyPlan) -> tuple[str, str]:
        """Both in words."""
        kinds = {"plain" if share.name in found.plain else "soft" for share in shares_of(found.survey)}
        which, survey = " or ".join(sorted(kinds)), found.survey
        points = f"{which} ± {100 * self.error:g} point{'' if self.error == 0.01 else 's'}"
        words = survey.space.distance_words
        if self.people is None:
            first = (
                f"No number of people makes every share {points} at this ε with the edges that plans use: these hold "
                f"plain answers to ± {_rounded_up(100 * self.least):g}."
            )
        else:
            first = (
                f"For {points} in every share at this ε (1 per {words(1 / survey.epsilon)}): {self.people:,} people."
            )
        if self.epsilon is None:
            return first, f"No ε makes every share {points} with {survey.people:,} people."
        digits = 10.0 ** (math.floor(math.log10(1 / self.epsilon)) - 2)
        near = math.floor(1 / self.epsilon / digits) * digits  # rounded down, so that it is enough
        second = f"For {points} in every share with {survey.people:,} people: ε = 1 per {words(near)}"
        return first, f"{second}, with soft edges {edges_words(found)}."


def edges_words(found: SurveyPlan) -> str:
    """What becomes of soft edges where another ε is looked at."""
    return "as wide in 1/ε as they are now" if found.takes_tables else "kept as wide as they are now"


def _rounded_up(number: float) -> float:
    """With three digits, never below the number."""
    digits = 10.0 ** (math.floor(math.log10(number)) - 2)
    return float(f"{math.ceil(number / digits) * digits:.3g}")


def needs(found: SurveyPlan, error: float) -> Needs:
    """What would make the 95 % interval of every share at most ± error.

    Args:
        found: a plan.
        error: half of the interval; of a plain question that of its plain answer.

    Raises:
        InvalidParameter: for a survey without shares, and for a map without a prior.
    """
    _require_shares(found, "target", f"{100 * error:g} points")
    survey, rate = found.survey, found.survey.epsilon
    here = half_widths(survey, found.option.mechanism, rate, like=found.grid)
    return Needs(error, _least_people(here, error), _least_rate(found, error, here), _left(here))


def people_needed(found: SurveyPlan, error: float) -> tuple[int | None, float]:
    """The people of `needs`, and the error that no number of people goes below."""
    _require_shares(found, "target", f"{100 * error:g} points")
    here = half_widths(found.survey, found.option.mechanism, found.survey.epsilon, like=found.grid)
    return _least_people(here, error), _left(here)


def _least_rate(found: SurveyPlan, error: float, here: dict[str, HalfWidth]) -> float | None:
    """The least ε: found for the worst question, and then for those that are still worse there."""
    survey, mechanism, n = found.survey, found.option.mechanism, found.survey.people
    worst = {max(here, key=lambda name: here[name](n))}
    while True:
        looked_at = frozenset(worst)

        def error_at(rate: float, names: frozenset[str] = looked_at) -> float:
            return max(width(n) for width in half_widths(survey, mechanism, rate, names, found.grid).values())

        try:
            rate = least_rate(error_at, error, survey.epsilon)
            there = half_widths(survey, mechanism, rate, like=found.grid)
        except InvalidParameter:
            return None
        worse = {name for name, width in there.items() if width(n) > 1.01 * error}
        if not worse or looked_at == set(there):
            return rate
        worst = worst | worse if worse - worst else set(there)  # a grid for all is not as good as one for some


@dataclass(frozen=True, eq=False)
class Sweep:
    """Half-widths of every share against ε and people.

    Args:
        rates: ε, increasing.
        people: increasing.
        widths: by question, for each ε those of each number of people; infinite where nothing answers at an ε.
    """

    rates: tuple[float, ...]
    people: tuple[int, ...]
    widths: dict[str, tuple[tuple[float, ...], ...]]

    def worst(self, k: int, j: int) -> float:
        """The largest over all questions, at the k-th ε and for the j-th number of people."""
        return max(rows[k][j] for rows in self.widths.values())


def sweep(found: SurveyPlan, told: Callable[[str], None] = lambda _: None) -> Sweep:
    """Half-widths of every share for a quarter of ε to four times as much, and a tenth to ten times the people.

    Args:
        found: a plan.
        told: what is done next.
    """
    _require_shares(found, "sweep", True)
    survey = found.survey
    rates = tuple(factor * survey.epsilon for factor in FACTORS)
    people = tuple(sorted({max(1, round(times * survey.people)) for times in TIMES}))
    widths: dict[str, list[tuple[float, ...]]] = {question.name: [] for question in shares_of(survey)}
    for rate in rates:
        told(f"Predicting for ε = 1 per {survey.space.distance_words(1 / rate)}…")
        try:
            each = half_widths(survey, found.option.mechanism, rate, like=found.grid)
        except InvalidParameter:
            each = {}
        for name, rows in widths.items():
            width = each.get(name)
            rows.append(tuple(math.inf if width is None else width(n) for n in people))
    return Sweep(rates, people, {name: tuple(rows) for name, rows in widths.items()})


def _left(here: dict[str, HalfWidth]) -> float:
    """What is left of the largest half-width among more people than there are."""
    return max(width(_MOST) for width in here.values())


def _least_people(here: dict[str, HalfWidth], error: float) -> int | None:
    """The least number of people, to a thousandth; None where there is none."""

    def worst(people: int) -> float:
        return max(width(people) for width in here.values())

    decades = [int(10.0**k) for k in range(12)]
    near = next(((a, b) for a, b in pairwise([0, *decades]) if worst(b) <= error), None)
    if near is None:
        return None
    low, high = near
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if worst(middle) <= error else (middle, high)
    return high


def _require_shares(found: SurveyPlan, option: str, given: object) -> None:
    if not shares_of(found.survey):
        raise invalid("plan", option, "left out for a survey without shares: maps and values have none", given)
    if not where_people_are_is_known(found.survey):
        rule = "left out on a map without a [prior], since nothing says where people are: add a [prior]"
        raise invalid("plan", option, rule, given)
