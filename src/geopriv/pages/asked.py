"""What is said of questions that were asked after collecting: how many there were, and what holds of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from geopriv.answers.answers import Answer, Answers
from geopriv.answers.asked import ASKED_AFTER
from geopriv.pages.values import percent_words
from geopriv.pages.words import counted


def asked_sentences(answers: Answers) -> tuple[str, ...]:
    """How many questions there were, what holds of their intervals, and how plain answers are held; else nothing."""
    asked = answers.asked
    if asked is None:
        return ()
    so_far = f"{ASKED_AFTER.capitalize()}: {counted(asked.so_far, 'question')} so far of these reports."
    if asked.of is None:
        holds = (
            "Each interval holds by itself, for a question that does not depend on these reports; of one that was made "
            "of their answers it says too much. Among many questions some intervals err."
        )
    else:
        sure, each = percent_words(asked.confidence), percent_words(asked.each)
        holds = (
            f"{counted(asked.of, 'question')} hold at once with {sure} confidence, each with {each}: the intervals of "
            "single values and the bands of curves and maps, not the intervals at each of their values. So they hold "
            "for any choice among these questions, whatever led to it; a question that is not among them is not "
            "covered."
        )
    chosen = (
        "How far plain edges fade was chosen without looking at what was reported (theory T14), but where a question "
        "names a reach of its own; each reach counts as another question."
    )
    return (so_far, holds, *([chosen] if any(answer.plain is not None for answer in answers.answers) else []))


def marked(views: Sequence[Any], answers: Sequence[Answer]) -> Sequence[Any]:
    """Views of answers of one form, whose names say that they were asked after collecting where they were."""
    if not any(answer.asked_after for answer in answers):
        return views
    return [replace(view, name=f"{view.name} ({ASKED_AFTER})") for view in views]
