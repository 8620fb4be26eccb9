"""Counts become estimates: shares, distributions and maps, each with its intervals."""

from geopriv.answers.answers import Answer, Answers, Band, load_answers

__all__ = ["Answer", "Answers", "Band", "load_answers"]
