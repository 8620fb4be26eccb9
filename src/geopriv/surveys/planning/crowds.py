"""Who is expected to answer a survey: as its prior says, or, where it has none, a case that is said in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from geopriv.queries.priors import Prior
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.words import NARROW
from geopriv.surveys.design import Design
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.around import Box, box_around
from geopriv.surveys.planning.workload import Workload

_NAMED = 3  # questions whose people are told one by one


_WEIGHTED = (
    " All errors here are of reports that count alike: weighted by the sizes of groups, an answer errs more the fewer "
    "of a large group report."
)


def shares_of(survey: Survey) -> tuple[Question, ...]:
    """The questions whose answers are shares or numbers of people: neither maps nor values."""
    return tuple(question for question in survey.questions if question.product is None and not question.valued)


def expected_work(survey: Survey) -> Workload:
    """What a survey asks, but for values, and of whom.

    Without a prior people are even over the region of a map, and elsewhere, for each question, even around what it
    asks about: see `planning.around`.
    """
    prior = survey.prior
    if prior is None and survey.space.geographic and np.isfinite(survey.space.limits).all():
        prior = Prior.sample(survey.space.values(Prior.uniform(*survey.space.limits).values))
    asked = [question for question in survey.questions if not question.valued]
    queries = [query for question in asked for query in question.looked_at]
    sizes = tuple(len(question.looked_at) for question in asked)
    work = Workload.of(queries, survey.epsilon, survey.people, prior, sizes, public_ends(survey))
    return replace(work, asked=sum(len(question.queries) for question in asked))


def where_people_are_is_known(survey: Survey) -> bool:
    """Whether errors can be foretold: on a map without a prior they can be hundreds of times those of even people."""
    return survey.prior is not None or not survey.space.geographic


def expected_words(survey: Survey) -> str:
    """Who is expected, in a sentence or two."""
    alike = "" if survey.groups is None or not survey.groups.weights else _WEIGHTED
    return _people_words(survey) + alike


def _people_words(survey: Survey) -> str:
    if survey.prior is not None:
        return "Expected: for people as the survey's prior says."
    if not where_people_are_is_known(survey):
        return (
            "How exact answers will be depends on where people are, which only a [prior] says: add one to see it. "
            "Mechanisms are compared for people evenly over the region, water too."
        )
    valued = [question.valued for question in survey.questions]
    over = "over the public range"
    where = over if all(valued) else _between(survey) + (f", for means and quantiles {over}" if any(valued) else "")
    return f"Expected: for people evenly {where}, since the survey has no [prior]."


def _between(survey: Survey) -> str:
    """The ends between which people are, of each question where these differ."""
    ends, found = public_ends(survey), dict[str, str]()
    asked = [question for question in survey.questions if not question.valued]
    for question in asked:
        low, high = (_words(survey.space, corner) for corner in box_around(question.looked_at, survey.epsilon, ends))
        bare = low.removesuffix(f"{NARROW}{survey.space.value_unit}")
        between = f"between {bare} and {high}" if survey.space.dimension == 1 else f"in the box from {low} to {high}"
        found.setdefault(between, question.name)
    if len(found) == 1:
        return next(iter(found))
    each = [f"{between} for {name!r}" for between, name in found.items()]
    return ", ".join(each[:_NAMED]) + (", and so on around each question" if len(each) > _NAMED else "")


def _words(space: Space, corner: FloatArray) -> str:
    return space.place_words(space.values(corner.reshape(space.point_shape)).tolist())


def public_ends(survey: Survey | Design) -> Box:
    """The lowest and the highest corner of where people can be, as points: of the range, or of the space itself."""
    low, high = survey.space.limits
    if survey.source is None or not survey.source.low:
        return low, high
    ends = np.array([survey.source.low, survey.source.high]).reshape(2, *survey.space.point_shape)
    first, last = survey.space.read(ends).reshape(2, -1)
    return np.maximum(low, first), np.minimum(high, last)
