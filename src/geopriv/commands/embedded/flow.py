"""One survey from question to page: plan, privatize, estimate, show; and what the truth was, since here it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from geopriv.answers.answers import Answers
from geopriv.answers.estimate import estimate
from geopriv.queries.questions import Question
from geopriv.queries.source import Source
from geopriv.reports.verbs import privatize, tally
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.surveys import Survey
from geopriv.surveys.planning import SurveyPlan, plan


@dataclass(frozen=True, eq=False)
class Result:
    """What a survey led to.

    Args:
        plan: of the survey.
        answers: from the reports.
        truths: what the soft answers would be without privacy, of each question's shape.
        plain: what the plain ones would be; None where none is asked.
        folder: where everything was written.
    """

    plan: SurveyPlan
    answers: Answers
    truths: tuple[FloatArray, ...]
    plain: tuple[FloatArray | None, ...]
    folder: Path

    @property
    def page(self) -> Path:
        """The page to look at."""
        return self.folder / "report.html"


def run_survey(survey: Path, data: Path, folder: Path, step: Callable[[str], None] = lambda _: None) -> Result:
    """Run a survey on a file of people, and write design.json, reports.parquet, estimates.json and report.html.

    Args:
        survey: a survey.toml.
        data: what `privatize` takes.
        folder: where the files go.
        step: told what is done next.
    """
    asked = Survey.read(survey)
    name = asked.name
    step(f"{name}: planning…")
    found = plan(asked)
    found.design.write(folder / "design.json")
    step(f"{name}: making reports…")
    # a demo may be run again and again: nobody gets its reports, beside which it prints the truth
    register = folder / "register.sqlite"
    privatize(found.design, data, folder / "reports.parquet", overwrite=True, again=True, register=register)
    step(f"{name}: estimating…")
    answers = estimate(found.design, tally(found.design, folder / "reports.parquet"))
    answers.write(folder / "estimates.json")
    step(f"{name}: drawing…")
    answers.write_page(folder / "report.html")
    source = found.design.source
    assert source is not None  # a survey that was run on a file has one
    people = _people(data, source, found.survey.space)
    questions = found.survey.questions
    truths = tuple(_truth(question, people) for question in questions)
    return Result(found, answers, truths, tuple(_plain_truth(question, people) for question in questions), folder)


def _people(data: Path, source: Source, space: Space) -> FloatArray:
    from geopriv.commands.populations import read_columns

    columns = np.stack(read_columns(data, source.columns), axis=-1)
    values = source.clamped(columns[:, 0] if not space.point_shape else columns)
    return space.read(values)


def _truth(question: Question, points: FloatArray) -> FloatArray:
    if (product := question.product) is not None:
        u, v = (product.profile(points[:, [k]] - axis) for k, axis in enumerate(product.axes))
        return np.asarray(u.T @ v / len(points))
    return np.array([query.answer(points).mean() for query in question.queries]).reshape(question.shape)


def _plain_truth(question: Question, points: FloatArray) -> FloatArray | None:
    sets = [query.plain_set for query in question.queries]
    known = [(s(points) <= 0).mean() for s in sets if s is not None]
    return np.array(known).reshape(question.shape) if len(known) == len(sets) else None
