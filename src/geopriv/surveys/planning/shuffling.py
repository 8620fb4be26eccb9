"""What a trusted shuffler would add among honest neighbours: said beside a plan, and never in its guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass

from geopriv.errors import InvalidParameter
from geopriv.proofs.shuffling import shuffled_loss
from geopriv.spaces import Space
from geopriv.spaces.checks import count, invalid
from geopriv.spaces.rounding import above
from geopriv.spaces.units import CLEAR, unclear
from geopriv.surveys.model import Survey

DELTA = 1e-6
_NO_GAIN = 0.99  # of the loss that is promised


@dataclass(frozen=True)
class Shuffled:
    """A statement about people among others.

    Args:
        neighbours: honest people besides you.
        within: how near to you they are, in the unit of distance.
        radius: within which others are told from you; 1/ε.
        delta: the probability but for which it holds.
        loss: at the radius, against who sees shuffled reports only.
        promised: the loss there that the guarantee promises, whoever sees what.
        sentence: all of it in words.
    """

    neighbours: int
    within: float
    radius: float
    delta: float
    loss: float
    promised: float
    sentence: str


def read_within(space: Space, text: str) -> float:
    """A distance from a number in the unit of the space, or from words.

    Raises:
        InvalidParameter: for what is no distance above 0.

    >>> from geopriv import Line
    >>> read_within(Line("USD"), "4000"), read_within(Line("USD"), "4,000 USD")
    (4000.0, 4000.0)
    """
    if unclear(text) and not space.ratios:
        raise invalid("plan", "within", CLEAR, text)
    try:
        found = float(text) if _is_number(text) and not space.ratios else space.read_length(text)
    except InvalidParameter:
        found = math.nan
    if not 0 < found < math.inf:
        rule = "a distance above 0: a ratio such as 'factor 1.5'" if space.ratios else "a distance above 0"
        raise invalid("plan", "within", f"{rule}, in {space.distance_unit or 'units of the space'}", text)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def shuffled(survey: Survey, neighbours: int, within: float, delta: float = DELTA) -> Shuffled:
    """What a trusted shuffler would add for somebody with so many honest neighbours.

    Guarantee: none. It rests on others, who may lie, stay away or not be there, on a shuffler that is trusted, and
    holds but for δ within a radius. The survey's own promise holds regardless.

    Args:
        survey: what is asked.
        neighbours: people who report honestly, besides the person whom the statement is about.
        within: how near to that person they are, in the unit of distance.
        delta: the probability but for which it holds.

    Raises:
        InvalidParameter: for as many neighbours as people or more.

    Reference: theory T16.
    """
    if count("plan", "neighbours", neighbours) >= survey.people:
        raise invalid("plan", "neighbours", f"fewer than the {survey.people:,} people who report", neighbours)
    radius, promised = 1 / survey.epsilon, 1.0
    loss = shuffled_loss(promised, neighbours, survey.epsilon * within, delta)
    near, far = (survey.space.distance_words(length) for length in (within, radius))
    alike = "of your group " if survey.groups is not None else ""
    gain = (
        f"look alike up to a factor {above(math.exp(loss), 3):.3g} instead of {above(math.e, 3):.3g}"
        if loss < _NO_GAIN * promised
        else "are told apart as well as without one: so few neighbours add nothing"
    )
    sentence = (
        "A shuffler, stated and not promised: if reports pass a trusted shuffler, which hides who sent them and when, "
        f"and at least {neighbours:,} others {alike}with values within {near} of yours report honestly, then to "
        f"whoever sees the shuffled reports alone your value and any other within {far} of it {gain}, except with "
        f"probability {delta:g} (theory T16). It does not chain to larger distances, fails for lone people and where "
        "neighbours lie or stay away, and says nothing against who sees reports before they are shuffled. The promise "
        "above holds regardless, and is the only one."
    )
    return Shuffled(neighbours, within, radius, delta, loss, promised, sentence)
