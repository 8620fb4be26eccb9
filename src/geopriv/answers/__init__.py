"""Counts → estimates, intervals, bands: one file a form of answer (share, distribution, map)."""

from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.asked import Asked
from geopriv.answers.comparison import Change, Comparison, compare
from geopriv.answers.days import Shifts, shifts
from geopriv.answers.estimates import Estimate, Estimates

__all__ = [
    "Answer",
    "Answers",
    "Asked",
    "Band",
    "Change",
    "Comparison",
    "Estimate",
    "Estimates",
    "Shifts",
    "compare",
    "shifts",
]
