"""The demonstration: two surveys from question to page, on embedded people or on a file's."""

from geopriv.commands.embedded.flow import Result, run_survey
from geopriv.commands.embedded.people import write_city, write_incomes

__all__ = ["Result", "run_survey", "write_city", "write_incomes"]
