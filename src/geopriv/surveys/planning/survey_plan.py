"""The plan of a survey: every way to run it, the design of the best, and what to expect of each question."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from geopriv.mechanisms import Lattice
from geopriv.mechanisms.sendable import Sendable
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.shown import Plotted, pages
from geopriv.surveys.contributions import Contribution
from geopriv.surveys.design import Design
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.cautions import cautions
from geopriv.surveys.planning.choice import Plan
from geopriv.surveys.planning.crowds import public_ends, shares_of, where_people_are_is_known
from geopriv.surveys.planning.needs import REACH
from geopriv.surveys.planning.options import Option
from geopriv.surveys.planning.plain_tables import TABLES
from geopriv.surveys.planning.value_errors import half_width, largest_error
from geopriv.surveys.planning.values import everybody
from geopriv.surveys.planning.why import why_of
from geopriv.surveys.planning.workload import Workload
from geopriv.surveys.planning.worst import worst_variance

if TYPE_CHECKING:
    from geopriv.surveys.planning.targets import Needs


@dataclass(frozen=True, eq=False)
class SurveyPlan(Plotted):
    """Every way to run a survey with its predicted error, and the design of the best that devices can run.

    Args:
        survey: what is asked.
        plan: the options, the least predicted error first.
        option: the one that the design takes.
        design: to be written as design.json.
        extent: how far people are expected to be apart along each axis.
        plain: half of the 95 % interval that each plain answer will have, by the question's name, on average over a
            distribution; without those that have no plain answer.
        beside: the same on average over all plain answers, of each mechanism that was compared.
        predicted_with: what stands for the design's mechanisms in predictions; of a Lattice perhaps a coarser grid.
    """

    survey: Survey
    plan: Plan
    option: Option
    design: Design
    extent: tuple[float, ...]
    plain: dict[str, float] = field(default_factory=dict)
    predicted_with: tuple[Sendable, ...] = ()
    beside: dict[str, float] = field(default_factory=dict)

    def standard_errors(self, option: Option | None = None) -> FloatArray:
        """Of each query, as an estimate will state it; see `Plan.standard_errors`."""
        return self.plan.standard_errors(option or self.option)

    def error(self, option: Option | None = None) -> float:
        """Root mean square of the standard errors over all estimates."""
        return float(np.sqrt(np.mean(self.standard_errors(option) ** 2)))

    @cached_property
    def largest_bias(self) -> float:
        """A bound on |bias| of every estimate under the design, wherever people are; estimates will state it.

        An option's own biases are those of the mean over the people who are expected, and mostly far smaller.
        """
        # that of a kernel is the same everywhere
        asked = [query for question in self.survey.questions if not question.valued for query in question.unlike]
        unlike = {query.moved if query.bell is not None else query: query for query in asked}.values()
        biases = [self.design.mechanisms[self.design.answering(q)].largest_bias(q) for q in unlike]
        return max(biases, default=0.0)

    def expected(self, question: Question) -> float:
        """The largest standard error of a question's estimates under the design: of shares, people, or distances.

        Not-a-number on a map without a prior, where nothing says where people are.
        """
        if not where_people_are_is_known(self.survey):
            return math.nan
        if question.valued:
            return self.half_width(question) / REACH
        return question.times * float(self.standard_errors()[self._places[question.name]].max())

    def half_width(self, question: Question) -> float:
        """Half of the longest 95 % interval that a question's answer will have: a share, or in the unit of distance.

        Not-a-number on a map without a prior, where nothing says where people are.
        """
        if not where_people_are_is_known(self.survey):
            return math.nan
        if question.valued:
            fixed = next(each for each in self.design.questions if each.name == question.name)
            answering = self.design.mechanisms[self.design.answering(question.queries[0])]
            return half_width(fixed, cast("Lattice", answering), valued_work(self.survey))  # tables have only shares
        return question.times * float(self.plan.half_widths(self.option)[self._places[question.name]].max())

    def plain_half_width(self, question: Question) -> float | None:
        """Half of the 95 % interval of a plain answer, or of a value, as `half_width` has it; None where it is soft."""
        if question.valued or not where_people_are_is_known(self.survey):
            return self.half_width(question) if question.valued or question.name in self.plain else None
        return question.times * self.plain[question.name] if question.name in self.plain else None

    @property
    def grid(self) -> Lattice | None:
        """The grid of the design; None where it has none."""
        return cast("Lattice", self.design.mechanisms[0]) if self.option.mechanism == "Lattice" else None

    @property
    def takes_tables(self) -> bool:
        """Whether plain answers come from tables, whose soft edges are what suits them."""
        return bool(self.plain) and self.option.mechanism in TABLES

    @property
    def in_points(self) -> bool:
        """Whether the options' errors are those of shares of people, and not of values in the unit of distance."""
        return self.plan.work.queries[0].is_share

    def worst(self, question: Question) -> float:
        """The largest standard error that a question's estimates can have under the design, wherever people are.

        Over every law of people within the public range, noise and sample together; see `planning.worst`. Not-a-number
        where none is known, of quantiles and covariances.
        """
        if question.valued:
            return largest_error(question, cast("Lattice", self.design.mechanisms[0]), self.survey.people)
        ends = public_ends(self.survey) if len(question.queries) == 1 else None
        seen = self.predicted_with or self.design.mechanisms
        variances = [
            worst_variance(seen[self.design.answering(query)], query, ends)
            for query in {query.moved if query.knots is None else query: query for query in question.unlike}.values()
        ]
        parts = len(self.design.mechanisms)  # of which each person answers one
        return question.times * math.sqrt(parts * max(variances) / self.survey.people)

    def leverage(self, question: Question) -> float:
        """By how much one made-up report moves a question's answers at most; see `Design.contributions`."""
        return self.contribution(question).moved(1, self.survey.people)

    def contribution(self, question: Question) -> Contribution:
        """How much one report can count for a question that is not about values."""
        return next(each for each in self.design.contributions if each.question == question.name)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about ε, in sentences: that it protects next to nothing, or that nothing can be learnt."""
        if not where_people_are_is_known(self.survey):
            return cautions(self.survey, {})
        soft = self.plan.half_widths(self.option)
        shares = [question.name for question in shares_of(self.survey)]
        return cautions(self.survey, {n: float(soft[self._places[n]].max()) for n in shares} | self.plain)

    def people_for(self, error: float) -> int:
        """How many people make the 95 % interval of every share at most ± error, as `--target` has it.

        It is that of the answer which a page prints first: of the plain one, and of the soft one where there is no
        other (plain = false). Where tables answer, some are compiled for other numbers of people, once.

        Raises:
            InvalidParameter: where no number of people does it.
        """
        if not self.plain:
            return self.plan.people_for(error, self.option)
        from geopriv.surveys.planning.targets import people_needed

        people, least = people_needed(self, positive("people_for", "error", error))
        if people is None:
            raise invalid("people_for", "error", f"above {least:.3g}, which no number of people goes below", error)
        return people

    def needs(self, error: float) -> Needs:
        """The people, or the ε, for 95 % intervals of ± error in every share, plain where it is: `targets.needs`."""
        from geopriv.surveys.planning.targets import needs

        return needs(self, error)

    def epsilon_for(self, error: float) -> float:
        """An ε for 95 % intervals of at most ± error in every share: of the answer that a page prints first.

        Raises:
            InvalidParameter: where no ε within a factor of some 8,000 does it.
        """
        if not self.plain:
            return self.plan.epsilon_for(error)
        epsilon = self.needs(positive("epsilon_for", "error", error)).epsilon
        if epsilon is None:
            raise invalid("epsilon_for", "error", "within reach of so many people", error)
        return epsilon

    @cached_property
    def bits(self) -> int:
        """Of one report: a symbol of the largest table, or a cell wherever people and noise can be."""
        return max(m.bits_within(np.asarray(self.extent)) for m in self.design.mechanisms)

    @property
    def why(self) -> str:
        """The choice in a sentence or two."""
        return why_of(self)

    def __str__(self) -> str:
        return str(pages().plan_text(self))

    @cached_property
    def _places(self) -> dict[str, Any]:
        """Where the queries of a question about shares are among those of the plan."""
        asked = [question for question in self.survey.questions if not question.valued]
        sizes = [len(question.looked_at) for question in asked]
        ends = np.cumsum(sizes)
        return {
            question.name: np.arange(end - size, end) for question, size, end in zip(asked, sizes, ends, strict=True)
        }


def valued_work(survey: Survey) -> Workload:
    """The people whose values are expected."""
    queries = [question.queries[0] for question in survey.questions if question.valued] or survey.queries
    return Workload.of(queries, survey.epsilon, survey.people, everybody(survey))
