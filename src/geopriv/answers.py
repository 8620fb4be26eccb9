"""What was learnt: every question's estimates with their intervals, as one document (estimates.json)."""

from __future__ import annotations

from dataclasses import dataclass, field

from geopriv.checks import FloatArray
from geopriv.estimation import Estimates
from geopriv.privacy import Guarantee
from geopriv.questions import Question
from geopriv.spaces import Space


@dataclass(frozen=True, eq=False)
class Band:
    """Intervals of the same confidence as another's, but made in another way; arrays have the question's shape.

    Args:
        low: lower ends.
        high: upper ends.
    """

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Answer:
    """The estimates of one question.

    Args:
        question: what was asked.
        estimates: of the question's shape, unbiased unless they say so, with normal intervals, each for itself.
        band: that holds all of a curve or map at once; None for a single share.
        finite: intervals that hold for every number of reports (empirical Bernstein); None where reports have no bound.
        consistent: values made monotone and within [0, 1], or non-negative: nicer to look at, and biased. None unless
            asked for.
    """

    question: Question
    estimates: Estimates
    band: Band | None = None
    finite: Band | None = None
    consistent: FloatArray | None = None

    def _repr_html_(self) -> str:
        from geopriv.notebook import answer_html

        return answer_html(self)


@dataclass(frozen=True, eq=False)
class Answers:
    """All answers of a survey.

    Args:
        survey: its name.
        design: the hash of the design that made the reports.
        guarantee: of one person.
        space: where values live.
        answers: one for each question, in the order of the design.
        n: reports that were counted.
        rejected: how many were not, by reason.
    """

    survey: str
    design: str
    guarantee: Guarantee
    space: Space
    answers: tuple[Answer, ...]
    n: int
    rejected: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Answer:
        """The answer to the question of a name.

        Raises:
            KeyError: where there is none.
        """
        for answer in self.answers:
            if answer.question.name == name:
                return answer
        raise KeyError(name)

    def _repr_html_(self) -> str:
        from geopriv.notebook import answers_html

        return answers_html(self)
