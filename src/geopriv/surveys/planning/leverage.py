"""What one made-up report could do to an answer, told before anybody reports."""

from __future__ import annotations

import numpy as np

from geopriv.queries.questions import Question
from geopriv.surveys.design import Design


def leverage_of(design: Design, question: Question, people: int) -> float:
    """By how much one made-up report of so many moves any of a question's means, or what holds its plain answers.

    The largest less the least that one report adds, over the reports to its mechanism: range/n of a table, range/(μ·n)
    of tables that share reports (theory T13), the range of the stencil of a grid; infinite where nothing bounds it.

    Args:
        design: whose mechanisms answer; questions are those of the design, with the reach of their plain answers.
        question: of the design.
        people: in all, split evenly among mechanisms.
    """
    each, found = people / len(design.mechanisms), 0.0
    some = len(question.unlike)  # the first ones: a map's others are its first kernel, moved, of the same range
    answering = np.array(design.answering_each(question)[:some])
    for index in np.unique(answering).tolist():
        span = design.mechanisms[index].span(question, np.flatnonzero(answering == index).tolist())
        found = max(found, span / each)
    return found
