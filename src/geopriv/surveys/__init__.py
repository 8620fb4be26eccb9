"""survey.toml → Survey → plan → Design; one file a kind of question."""

from geopriv.surveys.model import Survey

__all__ = ["Survey"]
