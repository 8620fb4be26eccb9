"""What `estimate` answers of a design: its own questions, or others, which are settled and written down first."""

from __future__ import annotations

from typing import Any

from geopriv.answers.asked import Asked
from geopriv.answers.log import note
from geopriv.queries.questions import Question
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design
from geopriv.surveys.later import listed, settle


def later_questions(
    design: Design, people: int, query: Any, confidence: float, simultaneous: bool, of: int | None, log: Any
) -> tuple[tuple[Question, ...], Asked | None]:
    """Questions that are asked after collecting, and how many there were; none where those of the design are asked."""
    if query is not None:
        asked = listed(query)
        questions = settle(design, asked, people)
        return questions, note(design, asked, confidence, simultaneous, of, log)
    if not design.questions:
        raise invalid("estimate", "design", "one with questions, unless questions are given", design.survey)
    if simultaneous and design.groups is None:
        raise invalid("estimate", "simultaneous", "given with a design that has groups, or with questions", True)
    for name, given in (("of", of), ("log", log)):
        if given is not None:
            raise invalid("estimate", name, "given with questions that are asked after collecting", given)
    return (), None
