"""Counts → estimates, intervals, bands: shares, distributions and maps."""

from geopriv.answers.answers import Answer, Answers, Band, load_answers

__all__ = ["Answer", "Answers", "Band", "load_answers"]
