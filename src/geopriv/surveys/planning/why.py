"""Why a design takes what it takes, in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from geopriv.surveys.model import Survey
from geopriv.surveys.planning.choice import ON_DEVICES, Plan
from geopriv.surveys.planning.crowds import where_people_are_is_known
from geopriv.surveys.planning.options import Option

_GAIN = 0.001  # of an error, below which it is not worth a word
_DEAR = 0.9  # of an error: what errs less than that by itself is worth naming


class Planned(Protocol):
    """The plan of a survey, as far as it is put into words."""

    @property
    def survey(self) -> Survey:
        """What is asked."""

    @property
    def plan(self) -> Plan:
        """All options."""

    @property
    def option(self) -> Option:
        """The one that is taken."""

    @property
    def plain(self) -> Mapping[str, float]:
        """Half of the interval of each plain answer."""

    @property
    def beside(self) -> Mapping[str, float]:
        """The same on average, of each mechanism that was compared."""

    def error(self, option: Option | None = None) -> float:
        """Of soft answers."""


def why_of(plan: Planned) -> str:
    """The choice: by plain answers where some are asked, else by the least predicted error."""
    rival = _rival(plan)
    if len(plan.beside) > 1:
        return _compared(plan) + _softer(plan, rival)
    best, own = plan.plan.best, plan.error()
    if plan.plain and rival is not None and plan.error(rival) < own:
        return _for_plain(plan) + _softer(plan, rival)
    next_best = ""
    if rival is not None and own > 0:
        least = "at least " if rival.bound_only else ""
        next_best = f"; the next of these, {rival.name}, has {least}{plan.error(rival) / own:.3g} times its error"
    number = len(plan.survey.questions)
    asked = f"{number:,} questions" if number > 1 and plan.option.arrangement == "one report" else ""
    sentence = plan.plan.reason(plan.option, " of what devices run", next_best, asked)
    gain = 1 - plan.error(best) / own if own > 0 else 0.0
    if gain < _GAIN or best.mechanism in ON_DEVICES:
        return sentence
    return f"{sentence} {best.mechanism} would err {100 * gain:.2g} % less, but sends real numbers."


def _rival(plan: Planned) -> Option | None:
    """The best of what else devices run, for soft answers."""
    others = [o for o in plan.plan.options if o.mechanism in ON_DEVICES and o is not plan.option]
    return min(others, key=plan.error, default=None)


def _each(plan: Planned) -> str:
    number, how = len(plan.option.variances), plan.option.arrangement
    ways = {
        "people split": f"one of the {number} questions",
        "shared report": f"all {number} questions, which are far apart, in one report",
        "shared reports": f"one class of the {number} questions, those far apart, in one report",
    }
    return f", each person answering {ways[how]}" if how in ways else ""


def _compared(plan: Planned) -> str:
    """Where mechanisms were compared by their plain answers."""
    own = plan.option.mechanism
    if where_people_are_is_known(plan.survey):
        halves = {name: f"plain ± {100 * half:.2g} points" for name, half in plan.beside.items()}
    else:
        halves = {name: f"{half / plan.beside[own]:.2g} times as long" for name, half in plan.beside.items()}
    split = " (people split)" if plan.option.arrangement in ("shared report", "shared reports") else ""
    others = ", ".join(
        f"{name}{split if name == 'BracketTable' else ''} {half}" for name, half in halves.items() if name != own
    )
    why = "has the shortest plain intervals of what devices run"
    if plan.beside[own] > min(plan.beside.values()):
        why = "is taken for its shorter soft intervals"
    how = f": {halves[own]} on average" if where_people_are_is_known(plan.survey) else ""
    return f"{own} {why}{how}{_each(plan)}; {others}."


def _for_plain(plan: Planned) -> str:
    """Where only one mechanism gives plain answers."""
    half = 100 * sum(plan.plain.values()) / len(plan.plain)
    number = len(plan.survey.questions)
    one = plan.option.arrangement == "one report" and number > 1
    report = f", one report for all {number:,} questions" if one else _each(plan)
    how = f": ± {half:.2g} points on average" if where_people_are_is_known(plan.survey) else ""
    return f"{plan.option.mechanism} is taken for plain answers{how}{report}."


def _softer(plan: Planned, rival: Option | None) -> str:
    """What soft answers alone would take, where that is worth it."""
    own = plan.error()
    if rival is None or rival.bound_only or not plan.error(rival) < _DEAR * own:
        return ""
    ratio = plan.error(rival) / own
    return f" Without plain answers (plain = false), {rival.name} would have {ratio:.2g} times its soft error."
