"""Questions that are asked of reports that exist: which of them the reports answer, and how plain answers are held.

One report of a Lattice answers every question that is smooth enough, also one that nobody thought of when the survey
was planned. A plain answer is held between two soft ones that fade over a reach. T14 wants the two fixed before the
data are seen, so the reach is made of public things alone: the question, ε, the grid, the public range, and how many
people reported, which is no secret and says nothing of what they reported (theory T14 holds given who reported). A
question that the design asks keeps the reach that its plan chose.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, cast

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import Lattice
from geopriv.queries.questions import Question
from geopriv.spaces.checks import count, invalid
from geopriv.spaces.documents import to_document
from geopriv.surveys.building import build_questions
from geopriv.surveys.design import Design
from geopriv.surveys.planning.around import even_crowd
from geopriv.surveys.planning.brackets import is_plain, reach_among
from geopriv.surveys.planning.crowds import public_ends
from geopriv.surveys.planning.value_errors import settled
from geopriv.surveys.planning.workload import Workload
from geopriv.surveys.reading import read_text


def read_questions(path: str | os.PathLike[str], design: Design) -> tuple[Question, ...]:
    """The questions of a file of tables [[query]], as a survey.toml has them, for reports to a design.

    Args:
        path: of the file; paths in it start at its folder.
        design: whose reports are asked.

    Raises:
        InvalidParameter: one sentence that names the file, the line, the key, the rule and what was given.
    """
    file = os.fspath(path)
    text = read_text(file)
    if not design.space.word:
        raise invalid("read_questions", "design", "on a space that a survey can ask about", design.space)
    return tuple(build_questions(text, file, design.space, design.guarantee.epsilon, design.source))


def settle(design: Design, questions: Question | Iterable[Question], people: int) -> tuple[Question, ...]:
    """Questions as reports to a design answer them: plain ones with the reach over which they are held.

    Args:
        design: of the reports.
        questions: that are asked.
        people: how many reported.

    Raises:
        InvalidParameter: as `require_answers` does.
    """
    asked = listed(questions)
    require_answers(design, asked)
    count("estimate", "people", people)
    return tuple(_held(design, question, people) for question in asked)


def listed(questions: Question | Iterable[Question]) -> tuple[Question, ...]:
    """Questions as they were given, one or several."""
    one = hasattr(questions, "queries") or not hasattr(questions, "__iter__")
    return cast("tuple[Question, ...]", (questions,) if one else tuple(cast("Iterable[Question]", questions)))


def require_answers(design: Design, asked: tuple[Question, ...]) -> None:
    """Refuse questions that reports to a design do not answer.

    Raises:
        InvalidParameter: saying which they do; for names that are not all different, and for ranges to which nobody
            was clamped.
    """
    if not asked or not all(hasattr(question, "queries") for question in asked):
        raise invalid("estimate", "query", "a question of a survey, or several, for a design", asked)
    names = [question.name for question in asked]
    if len(set(names)) < len(names):
        raise invalid("estimate", "query", "questions each of a name of its own", names)
    for question in asked:
        _require_answered(design, question)
    design.require_ranges(asked)


def identity(question: Question) -> dict[str, Any]:
    """What a question asks, whatever it is called. A reach that it names is part of it.

    Plain answers over several reaches err in several ways, and T14 holds for one that was fixed before (or for each, at
    a level that is split among them): who tries many and takes the shortest interval has asked as many questions.
    """
    document = to_document(question)
    return {key: value for key, value in document.items() if key != "name" and (key != "reach" or value)}


def _require_answered(design: Design, question: Question) -> None:
    """Refuse what no mechanism of the design answers, or what its noise cannot be undone for."""
    if question.space != design.space:
        rule = f"on the space of the reports, {design.space}"
        raise invalid("estimate", "query", rule, f"{question.name}, on {question.space}")
    alike = question.queries[:1] if question.product is not None else question.queries
    for query in alike:
        able = [mechanism for mechanism in design.mechanisms if mechanism.answers(query)]
        if not able:
            raise InvalidParameter(_unanswered(design, question))
        if not any(mechanism.undoes(query) for mechanism in able):
            near = design.space.distance_words(1 / design.guarantee.epsilon)
            raise InvalidParameter(
                f"These reports cannot answer {question.name!r}: their noise is alike in all directions, and is undone "
                f"for smooth questions only. Blur its border, by about 1/ε = {near} (without 'width', 'blur' does)."
            )


def _reach(question: Question) -> dict[str, Any]:
    return {key: value for key, value in identity(question).items() if key == "reach"}


def _unanswered(design: Design, question: Question) -> str:
    names = ", ".join(repr(each.name) for each in design.questions) or "none that the design names"
    return (
        f"These reports cannot answer {question.name!r}: each was drawn from a table that was made for one question, "
        f"and answers no other. They answer what the design asks: {names}. New questions can be asked of the reports "
        "of a design with a Lattice, whose cells answer every smooth question."
    )


def _held(design: Design, question: Question, people: int) -> Question:
    """The question with its reach: as the design has it, as it is given, or chosen without looking at reports."""
    for known in design.questions:
        if not question.reach and identity(known) == identity(question) | _reach(known):
            return question.with_reach(known.reach) if known.reach else question
    mechanism = design.mechanisms[design.answering(question.queries[0])]
    if not mechanism.answers_all or question.reach:
        return question
    lattice, rate = cast("Lattice", mechanism), design.guarantee.epsilon  # nothing else answers all questions
    ends = public_ends(design)
    if question.valued:
        work = Workload.of(question.queries[0], rate, people, None, ends=ends)
        return settled(question, lattice, work, known=False)
    if not is_plain(question):
        return question
    reach, _ = reach_among(lattice, question, *even_crowd(question.queries, rate, ends), people)
    return question.with_reach(reach)
