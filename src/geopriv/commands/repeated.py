"""What `geopriv plan` prints of rounds and of a shuffler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from geopriv.commands.expectations import in_units, new_table, unit_of
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.surveys import Survey
    from geopriv.surveys.planning import SurveyPlan
    from geopriv.surveys.planning.rounds import Rounds, Way
    from geopriv.surveys.planning.shuffling import Shuffled

COMPARED = (
    "± is half of a 95 % interval, of the longest of a question's soft answers or of a value. Change: from the first "
    "round to the last as `geopriv compare` states it, of the same people the sum of both errors. –: it cannot be told."
    " Walking noise is predicted on a grid of its own, which tells the most rounds: its first round may differ a "
    "little from a report of the design."
)


def print_repeated(console: Console, found: SurveyPlan, again: Rounds | None, stated: Shuffled | None) -> None:
    """The ways to ask again, and the paragraph on a shuffler."""
    if again is not None:
        _print_rounds(console, found.survey, again)
    if stated is not None:
        console.print(f"{stated.sentence}\n", highlight=False, markup=False)


def _print_rounds(console: Console, survey: Survey, asked: Rounds) -> None:
    """The ways to ask again: what each promises, and its errors by question."""
    console.print(f"Asked {asked.number:,} times, in one of these ways:", highlight=False)
    for way in asked.ways:
        console.print(f" * {way.name}: {way.promise}", highlight=False, markup=False)
    plain = any(each.plain is not None for way in asked.ways for each in way.expected.values())
    soft = "soft ±" if plain else "±"  # one sign alone is of the answer that a page prints first
    heads = [f"{when}\n{soft}" for when in ("round 1", f"round {asked.number:,}", "change")]
    table = new_table("question, and way", *heads, *(["plain ±"] if plain else []))
    for question in survey.questions:
        unit = unit_of(question, survey.counted)
        # units stand once, in the column that may take several lines: with each number rows would be too long
        table.add_row(f"{question.name}, in {unit.strip()}" if unit else question.name)
        for way in asked.ways:
            numbers = _numbers(way, question.name)[: 4 if plain else 3]
            said = [in_units(question, number, survey.counted).removesuffix(unit) for number in numbers]
            table.add_row(f"  {way.name}", *said)
    console.print(table)
    console.print(COMPARED, highlight=False, markup=False)
    for way in asked.ways:
        if way.without:
            words = way.without if way.name in way.without.lower() else f"{way.name}: {way.without}"
            console.print(words, highlight=False, markup=False)
    console.print()


def _numbers(way: Way, name: str) -> tuple[float | None, ...]:
    """In the first round and in the last, of a change, and of plain answers."""
    each = way.expected.get(name)
    return (None,) * 4 if each is None else (each.rounds[0], each.rounds[-1], each.change, each.plain)


def repeated_document(again: Rounds | None, stated: Shuffled | None) -> dict[str, Any]:
    """The same for every round, and the statement on a shuffler, for machines; no part of the guarantee."""
    return {"rounds": again and asdict(again), "shuffler": stated and asdict(stated)}


def asked_again(found: SurveyPlan, number: int | None, told: Callable[[str], None]) -> Rounds | None:
    """What asking again would give; None where it was not asked for."""
    from geopriv.surveys.planning.rounds import rounds

    return None if number is None else rounds(found, number, told)


def require_rounds(asked: Survey, number: int | None) -> None:
    """Refuse rounds that make no sense, before anything takes time."""
    from geopriv.surveys.planning.rounds import people_a_round

    if number is not None:
        people_a_round(asked, number)


def stated_shuffler(asked: Survey, neighbours: int | None, within: str | None) -> Shuffled | None:
    """What is stated of a shuffler, before anything takes time; None where it was not asked for."""
    from geopriv.surveys.planning.shuffling import read_within, shuffled

    if neighbours is None and within is None:
        return None
    if neighbours is None or within is None:
        raise invalid("plan", "neighbours", "given with --within, and --within with --neighbours", neighbours or within)
    return shuffled(asked, neighbours, read_within(asked.space, within))
