"""How far a survey is: how many reports, how exact already, what liars could do, and what was not counted."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from geopriv.answers import forms
from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.estimates import Estimates
from geopriv.collector.live import Live
from geopriv.collector.moment import Moment
from geopriv.collector.problems import Problem, Refused
from geopriv.pages.forms import form_of
from geopriv.pages.made_up import made_up_words, one_in_hundred
from geopriv.pages.words import REASONS, counted
from geopriv.spaces.rounding import above
from geopriv.spaces.words import plain
from geopriv.surveys.design import Design

# what a reader of files says otherwise, or never says
_REASONS = REASONS | {
    "no token": "without an invitation",
    "unknown token": "with an invitation that was never given out",
    "spent token": "with an invitation that was used before",
    "repeated id": "another's report again, or a second one under its number",
    "too large": "longer than a report can be",
    "too fast": "too many at once from one address",
    "too slow": "begun, and not at their end within half a minute",
}
_POINTS = " points"  # what shares are said in


def overview(live: Live, round: int | None, made_up: int | None, target: float | None) -> dict[str, Any]:
    """How far a survey is, as /v1/overview answers.

    Args:
        live: its reports.
        round: of a walk.
        made_up: how many reports are taken to be made up; one in a hundred where it is None.
        target: half of the 95 % interval that is wanted of every share.

    Raises:
        Refused: for a round that there is not, and more made-up reports than reports.
    """
    moment = live.now()
    issued, spent = moment.invitations
    answers, problem = _answers(moment, round)
    return {
        "survey": live.design.survey,
        "design": live.design.hash,
        "reports": moment.counted.n,
        "said": counted(moment.counted.n, "report"),
        "rounds": [{"round": number, "reports": times} for number, times in moment.rounds],
        "invitations": {"issued": issued, "spent": spent} if issued else None,
        "rejected": _rejected(moment),
        "answered": problem is None,
        "problem": None if problem is None else problem.document,
        "places": _has_places(live.design),
        "made_up": None if answers is None else _made_up(answers, made_up),
        "shifts": None if live.design.walks else moment.shifts().to_document(),
        "progress": None if answers is None or target is None else _progress(answers, target),
    }


@cache
def _has_places(design: Design) -> bool:
    """Whether some answer is about an area on a map, so that there is GeoJSON of it."""
    return design.space.geographic and any(forms.form_of(one).areas(one) is not None for one in design.questions)


def _answers(moment: Moment, round: int | None) -> tuple[Answers | None, Problem | None]:
    """The answers, or why there are none yet."""
    try:
        return moment.answers(round), None
    except Refused as refused:
        if refused.problem is Problem.WRONG_ROUND:
            raise
        return None, refused.problem


def _rejected(moment: Moment) -> list[dict[str, Any]]:
    found = sorted(moment.counted.rejected.items(), key=lambda each: (-each[1], each[0]))
    return [{"reason": reason, "words": _REASONS.get(reason, reason), "times": times} for reason, times in found]


def _made_up(answers: Answers, some: int | None) -> dict[str, Any]:
    """By how much each answer could move if some reports were made up."""
    some = one_in_hundred(answers.n) if some is None else some
    if not 1 <= some <= answers.n:
        raise Refused(Problem.WRONG_NUMBER)
    each = [(answer.question.name, _moved(answer, some)) for answer in answers.answers]
    return {
        "some": some,
        "of": answers.n,
        "questions": [{"name": name, "words": words} for name, words in each if words],
    }


def _moved(answer: Answer, some: int) -> str:
    scale, unit = form_of(answer.question).scale(answer.question, answer.who)
    most = 1.0 if unit == _POINTS else math.inf
    # of reports that answer a question there may be fewer than reports
    n = answer.estimates.n
    return made_up_words(answer.leverage, n, scale, unit, most, min(some, n))


def _progress(answers: Answers, target: float) -> dict[str, Any]:
    """How near each share is to the error that is wanted: an interval is as long as one over the root of reports."""
    shares = [one for one in answers.answers if form_of(one.question).scale(one.question)[1] == _POINTS]
    return {"target": target, "questions": [_near(answer, answers.n, target) for answer in shares]}


def _near(answer: Answer, n: int, target: float) -> dict[str, Any]:
    half = _half(answer.estimates)
    done = min(1.0, (target / half) ** 2) if half > 0 else 1.0
    wanted, now = _within(target), _within(half)
    if not math.isfinite(half):
        words = f"Nothing can be said yet; {wanted} is wanted."
    elif done == 1.0:
        words = f"{now} now: as exact as was wanted, {wanted}."
    else:
        needed = plain(above(n / done, 2))
        words = f"{now} now; {wanted} takes about {needed} reports, if they go on as they came."
    return {"name": answer.question.name, "done": done, "words": words, "plain": _bounds(answer, target)}


def _bounds(answer: Answer, target: float) -> str:
    """What is said of the plain answer, whose bounds more reports do not bring together; empty where there is none."""
    if answer.plain is None:
        return ""
    half = _half(answer.plain)
    if half <= target:
        return f"The plain answer is held within {_within(half)}, too."
    return (
        f"The plain answer is held within {_within(half)} only: more reports narrow this less, for nobody "
        "in the edge can be told apart."
    )


def _half(ends: Estimates | Band) -> float:
    """Half of the longest interval."""
    return float((ends.high - ends.low).max()) / 2


def _within(share: float) -> str:
    points = above(100 * share, 2)
    return f"± {plain(points)} point{'' if points == 1 else 's'}"
