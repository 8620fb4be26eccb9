"""The design of a survey whose noise walks, and what to expect of every round (theory T15)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.lattice.walking import WalkingLattice
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.cautions import require_meant
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.rounds import Expected
from geopriv.surveys.planning.walks import walk_grid


@dataclass(frozen=True, eq=False)
class WalkPlan:
    """What a survey whose noise walks would give, and its design.

    Args:
        survey: what is asked.
        design: one for all rounds.
        expected: of each question by its name.
        largest_bias: of a share's estimate in the last round, whoever moves: a bound.
        bits: of a report.
    """

    survey: Survey
    design: Design
    expected: dict[str, Expected]
    largest_bias: float
    bits: int


def plan_walk(survey: Survey, *, yes: bool = False) -> WalkPlan:
    """The design for a survey whose noise walks, on the grid that suits all its questions.

    Guarantee: that of the design, on trajectories: ε for all rounds together, per unit of D (theory T15).

    Args:
        survey: with more than one round.
        yes: whether an ε is meant at which 1/ε is below 1/10,000 of the public range.

    Raises:
        InvalidParameter: for a survey with one round, for such an ε where it is not said to be meant, and for questions
            that cannot be told in the last one.
    """
    if survey.rounds < 2:
        raise invalid("plan_walk", "survey", "one with a table [walk], of two rounds or more", survey.rounds)
    require_meant(survey, yes)
    step, errors = walk_grid(survey, survey.rounds)
    for name, by_round in errors.items():
        if by_round[-1] is None:
            told = sum(error is not None for error in by_round)
            raise InvalidParameter(
                f"The question {name!r} can be told by walking noise in {told or 'none'} of {survey.rounds} rounds: "
                "means and totals of values can in any number, shares with a Gaussian 'blur' of 1.15√rounds/ε or more. "
                "Give it a larger blur, ask fewer rounds, or ask it in a survey of its own."
            )
    walk = WalkingLattice.on_grid(survey.space, survey.epsilon, step / survey.epsilon, survey.rounds)
    design = Design(survey.name, (walk,), (), survey.questions, survey.source, survey.groups, survey.counted)
    shares = [query for question in survey.questions if not question.valued for query in question.queries]
    bias = max(map(walk.largest_bias, shares), default=0.0)
    expected = {
        name: Expected(tuple(_half(error) for error in by_round), _change(by_round))
        for name, by_round in errors.items()
    }
    assert survey.source is not None  # a survey that walks has a public range
    low, high = survey.space.read([*survey.source.low, *survey.source.high])
    return WalkPlan(survey, design, expected, bias, walk.bits_within(np.array([high - low])))


def _half(error: float | None) -> float | None:
    return None if error is None else REACH * error


def _change(errors: tuple[float | None, ...]) -> float | None:
    """From the first round to the last, as `compare` states it for the same people."""
    first, last = errors[0], errors[-1]
    return None if first is None or last is None else REACH * (first + last)
