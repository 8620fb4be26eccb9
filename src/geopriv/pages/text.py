"""Answers as lines of text: each value with its interval, then what was rejected and what is promised."""

from __future__ import annotations

import numpy as np

from geopriv.answers.answers import Answer, Answers
from geopriv.pages.forms import form_of
from geopriv.pages.groups import group_lines


def text_of(answers: Answers) -> str:
    """All answers, one after the other."""
    lines = [line for answer in answers.answers for line in _answer_lines(answer)]
    lines += group_lines(answers)
    lines.append(f"{answers.n:,} reports counted{_rejected(answers.rejected)}")
    lines.append(f"promise: {answers.guarantee}")
    lines.append(f"survey {answers.survey!r}, design {answers.design}")
    return "\n".join(lines)


def _answer_lines(answer: Answer) -> list[str]:
    question, found, form = answer.question, answer.estimates, form_of(answer.question)
    lines = form.lines(answer)
    if not found.unbiased and not question.valued:
        scale, unit = form.scale(question, answer.who)
        limit = f"off by at most {scale * found.bias:.1g}{unit} on average" if np.isfinite(found.bias) else "biased"
        lines[0 if answer.plain is None else 1] += f" ({'soft values ' if answer.plain else ''}{limit})"
    if answer.consistent is not None and not np.array_equal(answer.consistent, found.values):
        nicer = f"{float(answer.consistent):.6g}" if question.shape == () else "in estimates.json and on the page"
        lines.append(f"  made consistent, and biased by that: {nicer}")
    return lines


def _rejected(rejected: dict[str, int]) -> str:
    if not rejected:
        return ", none rejected"
    reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(rejected.items()))
    return f", {sum(rejected.values()):,} rejected ({reasons})"
