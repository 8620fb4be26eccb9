"""A plan as lines of text: what to expect of each question, the choice and why."""

from __future__ import annotations

from geopriv.pages.forms import form_of
from geopriv.pages.notebook import spread
from geopriv.pages.words import wrapped
from geopriv.spaces.words import NARROW
from geopriv.surveys.planning import SurveyPlan
from geopriv.surveys.planning.crowds import expected_words, where_people_are_is_known


def plan_text(plan: SurveyPlan) -> str:
    """The promise, the standard error of each question, for whom that is, and why the design takes what it takes."""
    survey = plan.survey
    lines = [f"{survey.name}: {survey.people:,} {survey.counted}. Promise: {plan.design.guarantee}."]
    for question in survey.questions:
        points = " points" if "point" in form_of(question).scale(question)[1] else ""
        known = where_people_are_is_known(survey)
        error = spread(question, plan.expected(question) if known else plan.worst(question))
        said = f"standard error {'' if known else 'at worst '}{error}{points}"
        if known and (half := plan.plain_half_width(question)) is not None:
            said += f", plain ± {spread(question, half)}{points}"
        lines.append(f"  {question.name}: {said}")
    lines += [expected_words(survey), plan.why]
    return wrapped(lines).replace(NARROW, " ")
