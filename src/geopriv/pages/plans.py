"""A plan as lines of text: what to expect of each question, the choice and why."""

from __future__ import annotations

from geopriv.pages.forms import form_of
from geopriv.pages.notebook import spread
from geopriv.pages.words import wrapped
from geopriv.spaces.words import NARROW
from geopriv.surveys.planning import SurveyPlan
from geopriv.surveys.planning.crowds import expected_words


def plan_text(plan: SurveyPlan) -> str:
    """The promise, the standard error of each question, for whom that is, and why the design takes what it takes."""
    survey = plan.survey
    lines = [f"{survey.name}: {survey.people:,} {survey.counted}. Promise: {plan.design.guarantee}."]
    for question in survey.questions:
        points = " points" if "point" in form_of(question).scale(question)[1] else ""
        said = f"standard error {spread(question, plan.expected(question))}{points}"
        if (half := plan.plain_half_width(question)) is not None:
            said += f", plain ± {spread(question, half)}{points}"
        lines.append(f"  {question.name}: {said}")
    lines += [expected_words(survey), plan.why]
    return wrapped(lines).replace(NARROW, " ")
