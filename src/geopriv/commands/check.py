"""`geopriv check`: what a survey asks, of whom, and what it promises, before anything is planned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geopriv.commands.inputs import read_survey
from geopriv.commands.talk import QuietOption, Talk, command, examples

if TYPE_CHECKING:
    from geopriv.mechanisms.guarantee import Guarantee
    from geopriv.surveys import Survey

EXAMPLES = examples("geopriv check survey.toml", "geopriv check survey.toml --json", "geopriv check - < survey.toml")


def check(
    survey: Annotated[Path, typer.Argument(help="The question: a survey.toml, or -.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was read as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Read a survey and say what is asked, of whom, and what is promised. Nothing is planned, so it takes a moment.

    Exit code 2 where the survey cannot be read, with the line and the rule.
    """
    asked = read_survey(survey)
    if as_json:
        print(json.dumps(_document(asked), indent=2, ensure_ascii=False))
    else:
        Talk(quiet).console.print(_words(asked, survey), markup=False)


def _promise(asked: Survey) -> Guarantee:
    from geopriv.mechanisms.guarantee import Guarantee

    return Guarantee(asked.epsilon, unit=asked.space.distance_unit)


def _words(asked: Survey, path: Path) -> str:
    from geopriv.surveys.planning.crowds import expected_words

    lines = [f"The survey {asked.name!r} can be read.", "", "Asked:"]
    for question in asked.questions:
        many = len(question.queries)
        lines.append(f" * {question.name}{f' ({many:,} estimates)' if many > 1 else ''}: {_edge(question)}.")
    lines += ["", "Of whom:", f" * Some {asked.people:,} {asked.counted}, each one report.", f" * {_values(asked)}"]
    if asked.groups is not None:
        lines.append(f" * Each report tells its group openly: {', '.join(asked.groups.names)}.")
    promise = _promise(asked)
    lines += ["", "Promised to each, for the whole survey:", f" * ε = {promise}."]
    for loss in (0.1, 1.0, 3.0):
        distance = promise.example(loss)
        lines.append(f" * {promise.apart(distance)}: {promise.alike(distance)}.")
    return "\n".join([*lines, "", expected_words(asked), f"Next: {command('plan', path)}"])


def _edge(question: Any) -> str:
    """How sharp its edge is, if it has one."""
    words = str(question.edge_words)
    return words if words else "a value"


def _values(asked: Survey) -> str:
    """Where values are found, and how far they reach."""
    source = asked.source
    if source is None or not source.columns:
        return "Values are held by devices alone."
    where = "column" if len(source.columns) == 1 else "columns"
    words = f"Values stand in the {where} {', '.join(map(repr, source.columns))}"
    if source.low:
        ends = (f"{low:,.15g} to {high:,.15g}" for low, high in zip(source.low, source.high, strict=True))
        unit = f" {asked.space.value_unit}" if asked.space.value_unit else ""
        words += f", from {' and '.join(ends)}{unit}; what lies outside is read as the nearer end"
    return f"{words}{f'; {source.person!r} names people' if source.person else ''}."


def _document(asked: Survey) -> dict[str, Any]:
    promise, source = _promise(asked), asked.source
    return {
        "survey": asked.name,
        "people": asked.people,
        "counted": asked.counted,
        "epsilon": asked.epsilon,
        "unit": promise.unit,
        "guarantee": str(promise),
        "columns": [] if source is None else list(source.columns),
        "groups": None if asked.groups is None else list(asked.groups.names),
        "prior": asked.prior is not None,
        "questions": [
            {"name": question.name, "estimates": len(question.queries), "edge": _edge(question)}
            for question in asked.questions
        ],
    }
