"""What one made-up report could do to an answer, told before anybody reports."""

from __future__ import annotations

import numpy as np

from geopriv.mechanisms.counts import Counts
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
        mechanism, which = design.mechanisms[index], np.flatnonzero(answering == index).tolist()
        # ranges do not depend on what was reported: any two reports do
        # of the last round, where there are several: in which a report moves most
        any_ = [max(low, 0) if low < 1 else high - 1 for low, high in mechanism.ends]
        two = Counts(np.array([any_], dtype=np.int64), np.array([2], dtype=np.int64))
        sums = [mechanism.sums(two, question, which), *(mechanism.bracket_sums(two, question, which) or ())]
        found = max(found, *(2 * part.leverage / each for part in sums))
    return found
