"""What `geopriv plan` prints of each question, of a target and of a sweep."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from geopriv.queries.questions import Question
    from geopriv.surveys.contributions import Contribution
    from geopriv.surveys.planning import SurveyPlan
    from geopriv.surveys.planning.targets import Needs, Sweep

AT_WORST = (
    "At worst: the largest error that any people within the public range could give, all in the one or two places "
    "where noise and sample are worst."
)

_NOBODY = (
    "This is for the people that are expected above, for want of a [prior]. Where more of them are near an edge, "
    "intervals are longer, of areas in a city many times: a [prior] makes them yours."
)


def print_questions(console: Console, found: SurveyPlan) -> None:
    """A row for each question, who is expected, and what is odd about ε."""
    from geopriv.surveys.planning.crowds import expected_words, where_people_are_is_known

    known = where_people_are_is_known(found.survey)
    halves = [found.plain_half_width(question) if known else None for question in found.survey.questions]
    plain = any(half is not None for half in halves)
    columns = [*(["expected"] if known else []), "at worst", *(["plain ±"] if plain else [])]
    table = new_table("question", "estimates", *columns)
    for question, half in zip(found.survey.questions, halves, strict=True):
        expected = [found.expected(question)] if known else []
        errors = [*expected, found.worst(question), *([half] if plain else [])]
        said = (in_units(question, error, found.survey.counted) for error in errors)
        table.add_row(question.name, f"{len(question.queries):,}", *said)
    console.print(table)
    held = " Plain ±: half of the 95 % interval that is expected (a curve's on average)." if plain else ""
    held += " At worst it is ± 50 points, with everybody in the edge." if found.plain else ""
    valued = any(question.valued for question in found.survey.questions)
    means = ", and of values" if valued else ""
    words = f"Errors are standard errors of soft answers{means}. {expected_words(found.survey)} {AT_WORST}{held}\n"
    console.print(words, highlight=False, markup=False)
    if words := _made_up(found):
        console.print(f"{words}\n", highlight=False, markup=False)
    for warning in found.warnings:
        console.print(f"Note: {warning}\n", style="bold", highlight=False, markup=False)


def _made_up(found: SurveyPlan) -> str:
    """What made-up reports could do to the share that they can move most; empty without shares."""
    from geopriv.pages.made_up import made_up_words
    from geopriv.surveys.planning.crowds import shares_of

    shares = [question for question in shares_of(found.survey) if question.times == 1]
    if not shares:
        return ""
    moved = {question.name: found.leverage(question) for question in shares}
    name = max(moved, key=lambda name: moved[name])
    words = made_up_words(moved[name], found.survey.people, 100.0, " points", 1.0)
    return f"Of {name!r}, which liars could move most: {words[0].lower()}{words[1:]}" if len(shares) > 1 else words


def in_units(question: Question, error: float | None, who: str = "people") -> str:
    """An error in points, or in the unit of the page; a dash for none."""
    from geopriv.pages.forms import form_of

    if error is None or not math.isfinite(error):
        return "–"
    scale, unit = form_of(question).scale(question, who)
    said = float(f"{scale * error:.2g}")
    if question.valued and question.space.ratios:
        return question.space.distance_words(said)
    return f"{_short(said)}{'' if 'point' in unit else unit}"


def unit_of(question: Question, who: str = "people") -> str:
    """What `in_units` writes behind numbers, or else "points"; empty where each number has words of its own."""
    from geopriv.pages.forms import form_of

    return "" if question.valued and question.space.ratios else form_of(question).scale(question, who)[1]


def _short(number: float) -> str:
    """Millions and more in words, so that no row is cut."""
    from geopriv.spaces.words import plain

    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if size <= abs(number) < 1e15:
            return f"{plain(number / size)} {name}"
    return plain(number)


def question_documents(found: SurveyPlan) -> list[dict[str, Any]]:
    """The rows, for machines."""
    return [
        {
            "name": question.name,
            "estimates": len(question.queries),
            "standard_error_expected": _known(found.expected(question)),
            "standard_error_at_worst": _known(found.worst(question)),
            "plain_half_width_expected": _known(found.plain_half_width(question)),
            "moved_by_one_made_up_report": _moved(found, question),
            "contribution": None if question.valued else contribution_document(found.contribution(question)),
            "unit": _unit(question),
        }
        for question in found.survey.questions
    ]


def _known(error: float | None) -> float | None:
    return error if error is not None and math.isfinite(error) else None


def contribution_document(one: Contribution) -> dict[str, Any]:
    """How much one report can count, for machines: null where nothing bounds it."""
    largest = one.largest if math.isfinite(one.largest) else None
    return {"largest": largest, "exact": one.exact, "share_of_reports": float(one.share), "words": one.words}


def _moved(found: SurveyPlan, question: Question) -> float | None:
    """Of shares; None for others, and where nothing bounds it."""
    from geopriv.surveys.planning.crowds import shares_of

    moved = found.leverage(question) if question in shares_of(found.survey) else math.inf
    return moved if math.isfinite(moved) else None


def _unit(question: Question) -> str | None:
    """Of a question's errors; None for shares of 1."""
    from geopriv.pages.forms import form_of

    if question.valued and question.space.ratios:
        return question.space.distance_unit
    return form_of(question).scale(question)[1].strip() if question.valued or question.times != 1 else None


def print_beside(console: Console, found: SurveyPlan, needed: Needs | None, swept: Sweep | None) -> None:
    """People and ε for a target, each in a sentence, and the table of a sweep."""
    if needed is not None:
        for sentence in needed.sentences(found):
            console.print(sentence, highlight=False, markup=False)
        if found.survey.prior is None:
            console.print(_NOBODY, highlight=False, markup=False)
        console.print()
    if swept is not None:
        _print_sweep(console, found, swept)


def needs_document(wanted: Needs) -> dict[str, Any]:
    """The same, for machines."""
    return {"half_width": wanted.error, "people": wanted.people, "epsilon": wanted.epsilon}


def _print_sweep(console: Console, found: SurveyPlan, swept: Sweep) -> None:
    """The largest half-width of a share against ε and people."""
    from geopriv.surveys.planning.targets import edges_words

    words = found.survey.space.distance_words
    table = new_table("1/ε, by people", *(f"{people:,}" for people in swept.people))
    table.columns[0].no_wrap = True  # in 80 columns too: the rows have no other name
    for k, rate in enumerate(swept.rates):
        cells = [_points(swept.worst(k, j)) for j in range(len(swept.people))]
        table.add_row(words(1 / rate), *cells, style="bold" if rate == found.survey.epsilon else "")
    console.print(table)
    console.print(
        "Half of the 95 % interval of the worst share, in percentage points: of its plain answer where it has one. "
        f"Soft edges are {edges_words(found)}.\n",
        highlight=False,
    )
    if found.survey.prior is None:
        console.print(f"{_NOBODY}\n", highlight=False, markup=False)


def sweep_document(swept: Sweep) -> dict[str, Any]:
    """The same for every question, for machines: half-widths by ε and people, null where nothing answers."""
    finite = {
        name: [[width if width < float("inf") else None for width in row] for row in rows]
        for name, rows in swept.widths.items()
    }
    return {"epsilon": list(swept.rates), "people": list(swept.people), "half_widths": finite}


def _points(share: float) -> str:
    return f"{100 * share:.2g}" if share < float("inf") else "–"


def new_table(first: str, *others: str) -> Table:
    """A table of words in the first column and numbers in the others."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table
