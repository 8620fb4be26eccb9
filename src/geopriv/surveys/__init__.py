"""survey.toml → Survey → plan → Design; one file a kind of question."""

from geopriv.surveys.building import load_survey, survey_from_text
from geopriv.surveys.model import Survey

__all__ = ["Survey", "load_survey", "survey_from_text"]
