"""The question in a file: survey.toml, read, checked and explained where it is wrong."""

from geopriv.surveys.building import load_survey, survey_from_text
from geopriv.surveys.model import Survey

__all__ = ["Survey", "load_survey", "survey_from_text"]
