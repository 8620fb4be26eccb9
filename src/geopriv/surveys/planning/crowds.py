"""Who is expected to answer a survey: as its prior says, or, where it has none, a case that is said in words."""

from __future__ import annotations

import numpy as np

from geopriv.queries.priors import Prior
from geopriv.queries.questions import Question
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.workload import AROUND, Box, Workload


def shares_of(survey: Survey) -> tuple[Question, ...]:
    """The questions whose answers are shares or numbers of people: neither maps nor values."""
    return tuple(question for question in survey.questions if question.product is None and not question.valued)


def expected_work(survey: Survey) -> Workload:
    """What a survey asks, but for values, and of whom.

    Without a prior people are even over the region of a map, and elsewhere, for each question, even within 3/ε of what
    it asks about: nobody who lies farther away adds to its error.
    """
    prior = survey.prior
    if prior is None and survey.space.geographic and np.isfinite(survey.space.limits).all():
        prior = Prior.sample(survey.space.values(Prior.uniform(*survey.space.limits).values))
    asked = [question for question in survey.questions if not question.valued]
    queries = [query for question in asked for query in question.queries]
    sizes = tuple(len(question.queries) for question in asked)
    return Workload.of(queries, survey.epsilon, survey.people, prior, sizes, public_ends(survey))


def expected_words(survey: Survey) -> str:
    """Who is expected, in a sentence."""
    if survey.prior is not None:
        return "Expected: for people as the survey's prior says."
    if survey.space.geographic:
        return "Expected: for people evenly over the region, water too, since the survey has no [prior]."
    near = f"within {survey.space.distance_words(AROUND / survey.epsilon)} of what is asked"
    valued = [question.valued for question in survey.questions]
    if any(valued):
        over = "over the public range"
        near = over if all(valued) else f"{near}, for means and quantiles {over}"
    return f"Expected: for people evenly {near}, since the survey has no [prior]."


def public_ends(survey: Survey) -> Box:
    """The lowest and the highest corner of where people can be, as points: of the range, or of the space itself."""
    low, high = survey.space.limits
    if survey.source is None or not survey.source.low:
        return low, high
    ends = np.array([survey.source.low, survey.source.high]).reshape(2, *survey.space.point_shape)
    first, last = survey.space.read(ends).reshape(2, -1)
    return np.maximum(low, first), np.minimum(high, last)
