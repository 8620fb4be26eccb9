"""A survey: what is asked, of whom, and with which promise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from geopriv.queries import Query
from geopriv.queries.priors import Prior
from geopriv.queries.questions import Question
from geopriv.queries.source import Source
from geopriv.spaces import Space
from geopriv.spaces.checks import count, invalid


@dataclass(frozen=True, eq=False)
class Survey:
    """The contents of a survey.toml.

    Args:
        name: of the survey; a person answers it once.
        space: where values live.
        epsilon: of one person for the whole survey, per unit of distance.
        questions: each of a name of its own, on the space.
        people: how many are expected to report.
        source: where values are found in a table; None if only devices report.
        prior: public knowledge of where people are; None for none.
    """

    name: str
    space: Space
    epsilon: float
    questions: tuple[Question, ...]
    people: int
    source: Source | None = None
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if not self.name:
            raise invalid("Survey", "name", "a text", self.name)
        object.__setattr__(self, "epsilon", self.space.rate(self.epsilon))
        object.__setattr__(self, "questions", tuple(self.questions))
        count("Survey", "people", self.people)
        if not self.questions or any(not isinstance(question, Question) for question in self.questions):
            raise invalid("Survey", "questions", "at least one Share, Distribution or DensityMap", self.questions)
        names = [question.name for question in self.questions]
        if len(set(names)) < len(names):
            raise invalid("Survey", "questions", "each of a name of its own", names)
        if any(question.space != self.space for question in self.questions):
            raise invalid("Survey", "questions", f"on {self.space}", [str(q.space) for q in self.questions])
        if self.source is not None:
            self.source.require_fit(self.space)

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """Of all questions, one after the other."""
        return tuple(query for question in self.questions for query in question.queries)
