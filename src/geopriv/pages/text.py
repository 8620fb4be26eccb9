"""Answers as lines of text: each value with its interval, then what was rejected and what is promised."""

from __future__ import annotations

import math

import numpy as np

from geopriv.answers.answers import Answer, Answers
from geopriv.answers.asked import ASKED_AFTER
from geopriv.pages.asked import asked_sentences
from geopriv.pages.forms import form_of
from geopriv.pages.groups import group_lines
from geopriv.pages.made_up import made_up_words, robust_words
from geopriv.pages.words import place_notes, wrapped
from geopriv.spaces.rounding import above
from geopriv.spaces.words import NARROW, plain


def text_of(answers: Answers, width: int = 100) -> str:
    """All answers, one after the other, in lines of at most so many characters."""
    lines = [line.replace(NARROW, " ") for line in asked_sentences(answers)]
    lines += [line for answer in answers.answers for line in _answer_lines(answer)]
    lines += group_lines(answers)
    lines.append(f"{answers.n:,} reports counted{_rejected(answers.rejected)}")
    lines += place_notes(answers.space, answers.counted)
    lines.append(f"promise: {answers.guarantee}")
    lines.append(f"survey {answers.survey!r}, design {answers.design}")
    return wrapped(lines, width)


def answer_text(answer: Answer) -> str:
    """One answer."""
    return wrapped(_answer_lines(answer))


def _answer_lines(answer: Answer) -> list[str]:
    question, found, form = answer.question, answer.estimates, form_of(answer.question)
    lines = form.lines(answer)
    if not found.unbiased and not question.valued:
        scale, unit = form.scale(question, answer.who)
        limit = "biased by an unknown amount"
        if np.isfinite(found.bias):
            limit = f"off by at most {plain(above(scale * found.bias, 1))}{unit} on average"
        if question.shape:
            lines.insert(1, f"  (soft values are {limit})")
        else:
            k = 0 if answer.plain is None else 1
            lines[k] = _within(lines[k], limit)
    scale, unit = form.scale(question, answer.who)
    if made_up := made_up_words(answer.leverage, found.n, scale, unit, 1.0 if unit == " points" else math.inf):
        lines.append(f"  {made_up}")
    if robust := robust_words(answer, scale, unit):
        lines.append(f"  {robust}")
    if answer.consistent is not None and not np.array_equal(answer.consistent, found.values):
        nicer = f"{float(answer.consistent):.6g}" if question.shape == () else "in the estimates file and on the page"
        made = "with less noise (shrunk)" if answer.shrunk else "made consistent"
        lines.append(f"  {made}, and biased by that: {nicer}")
    if answer.asked_after:
        lines.append(f"  {ASKED_AFTER}")
    return lines


def _within(line: str, said: str) -> str:
    """A line with something more in its last brackets, before its full stop."""
    stop = "." if line.endswith(".") else ""
    line = line.removesuffix(".")
    return f"{line[:-1]}; {said}){stop}" if line.endswith(")") else f"{line} ({said}){stop}"


def _rejected(rejected: dict[str, int]) -> str:
    if not rejected:
        return ", none rejected"
    reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(rejected.items()))
    return f", {sum(rejected.values()):,} rejected ({reasons})"
