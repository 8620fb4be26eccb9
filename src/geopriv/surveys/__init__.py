"""survey.toml → Survey → plan → Design; one file a kind of question."""

from geopriv.surveys.audits import DesignAudit
from geopriv.surveys.design import Design
from geopriv.surveys.later import read_questions
from geopriv.surveys.model import Survey
from geopriv.surveys.planning import Option, Plan, SurveyPlan

__all__ = [
    "Design",
    "DesignAudit",
    "Option",
    "Plan",
    "Survey",
    "SurveyPlan",
    "read_questions",
]
