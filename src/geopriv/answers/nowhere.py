"""Answers that are no part of a map, and of which there is one: they are nowhere in particular."""

from __future__ import annotations

from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray


def places(question: Question) -> dict[str, FloatArray]:
    """Nothing: it is one value, which is nowhere in particular."""
    return {}


def areas(question: Question) -> None:
    """None: its values are of no part of a map."""
