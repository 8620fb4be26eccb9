"""`geopriv init`: five questions, or an example, become a survey.toml."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from geopriv.commands.starts import Holds, number_survey, place_survey
from geopriv.commands.streams import PIPED
from geopriv.commands.talk import QuietOption, Talk, command, examples
from geopriv.errors import InvalidParameter

EXAMPLES = examples(
    "geopriv init",
    "geopriv init --example map -o city/survey.toml",
    "geopriv init --holds place --people 50000",
)
_ASKED = {
    Holds.NUMBER: (
        "What is it called, in which unit, and between which public ends?",
        "income in USD, 0 to 2000000",
        "Above which values are shares asked for?",
        "50000, 100000",
        "How far apart do two values look alike up to a factor of 2.7?",
        "8,000 USD",
    ),
    Holds.PLACE: (
        "In which region, in degrees: south, west, north, east?",
        "40.50, -74.26, 40.92, -73.70",
        "Over which distance is the map smoothed?",
        "1,500 m",
        "How far apart do two places look alike up to a factor of 2.7?",
        "500 m",
    ),
}


class Example(StrEnum):
    """A survey that is ready, with people to run it on."""

    INCOMES = "incomes"
    MAP = "map"
    TWO_WAY = "two-way"


def init(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the survey goes, or -.")] = Path("survey.toml"),
    example: Annotated[
        Example | None, typer.Option(help="Write this example, with made-up people beside it, and ask nothing.")
    ] = None,
    holds: Annotated[Holds | None, typer.Option(help="What each person holds.")] = None,
    values: Annotated[
        str | None, typer.Option(help="'income in USD, 0 to 2000000'; of places 'south, west, north, east'.")
    ] = None,
    ask: Annotated[str | None, typer.Option(help="Above which values; of places the smoothing of the map.")] = None,
    per: Annotated[str | None, typer.Option(help="The promise: so far apart, values look alike.")] = None,
    people: Annotated[str | None, typer.Option(help="How many are expected to report.")] = None,
    quiet: QuietOption = False,
) -> None:
    """Ask five questions and write a survey.toml, with comments, that can be planned. What is given is not asked."""
    from rich.markup import escape

    from geopriv.surveys import Survey

    given = {"holds": holds, "values": values, "ask": ask, "per": per, "people": people}
    piped = str(output) == PIPED
    if example is not None and (piped or any(answer is not None for answer in given.values())):
        raise InvalidParameter("geopriv init takes --example alone, with a file for --output beside it.")
    if output.exists():
        raise InvalidParameter(f"There is {str(output)!r} already; name another file (-o).")
    talk = Talk(quiet, piped)
    if example is not None:
        written = _write_example(example, output)
    else:
        text = _asked(holds, values, ask, per, people)
        Survey.parse(text, str(output))  # what is written can be read
        if piped:
            print(text, end="")
            return
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8", newline="\n")
        written = [output]
    talk.console.print("Written: " + ", ".join(escape(str(path)) for path in written), soft_wrap=True)
    talk.console.print(f"Next:    [bold]{escape(command('check', output))}[/bold]", soft_wrap=True)


def _asked(holds: Holds | None, values: str | None, ask: str | None, per: str | None, people: str | None) -> str:
    """The survey of five answers; those that were not given are asked for."""
    kind = holds or _kind(_answer("What does each person hold: a number or a place?", "number", "--holds"))
    first, *rest = _ASKED[kind]
    within = values or _answer(first, rest[0], "--values")
    shares = ask or _answer(rest[1], rest[2], "--ask")
    apart = per or _answer(rest[3], rest[4], "--per")
    many = people or _answer("How many people are expected to report?", "50000", "--people")
    make = number_survey if kind is Holds.NUMBER else place_survey
    return make(within, shares, apart, many)


def _kind(words: str) -> Holds:
    try:
        return Holds(words.strip().lower())
    except ValueError:
        raise InvalidParameter(f"What each person holds must be a number or a place, not {words!r}.") from None


def _answer(words: str, like: str, option: str) -> str:
    """What somebody types; the end of standard input is no answer."""
    try:
        return str(typer.prompt(words, default=like, err=True))
    except typer.Abort:
        raise InvalidParameter(f"A question was not answered: {words} {option} answers it too.") from None


def _write_example(example: Example, output: Path) -> list[Path]:
    """An example and what belongs to it, each a new file."""
    from geopriv.commands.embedded.examples import example_files

    files = example_files(example.value)
    places = {output if name == "survey.toml" else output.parent / name: data for name, data in files.items()}
    for path in places:
        if path.exists():
            raise InvalidParameter(f"There is {str(path)!r} already; name a survey in another folder (-o).")
    output.parent.mkdir(parents=True, exist_ok=True)
    for path, data in places.items():
        path.write_bytes(data)
    return list(places)
