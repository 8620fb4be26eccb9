"""`geopriv demo`: two surveys from question to page."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geopriv.commands.talk import QuietOption, Talk, examples

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.answers.answers import Answer
    from geopriv.commands.embedded import Result
    from geopriv.spaces.checks import FloatArray

EXAMPLES = examples("geopriv demo", "geopriv demo --people 1000000", "geopriv demo --places nyc_collisions.parquet")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder where everything goes.")] = Path(
        "geopriv-demo"
    ),
    people: Annotated[int, typer.Option(help="How many synthetic people report in each survey.", min=2)] = 200_000,
    seed: Annotated[int, typer.Option(help="Of the synthetic people; reports are never seeded.", min=0)] = 1,
    incomes: Annotated[
        Path | None, typer.Option(help="A Parquet file with a column income, instead of synthetic households.")
    ] = None,
    places: Annotated[
        Path | None, typer.Option(help="A Parquet file with columns lat and lon in New York, instead of a city.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answers as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Run the whole flow (plan, privatize, estimate, page) on household incomes and on a city map."""
    from geopriv.commands import embedded as flow
    from geopriv.commands.populations import read_columns

    talk = Talk(quiet, as_json)
    console = talk.console
    # before anything is done with them
    many = [
        people if given is None else len(read_columns(given, columns)[0])
        for given, columns in ((incomes, ("income",)), (places, ("lat", "lon")))
    ]
    embedded = Path(flow.__file__).parent
    results = []
    surveys = (("incomes", incomes, flow.write_incomes), ("city", places, flow.write_city))
    for (name, given, write), n in zip(surveys, many, strict=True):
        folder = output / name
        folder.mkdir(parents=True, exist_ok=True)
        survey = (embedded / f"{name}.toml").read_text(encoding="utf-8")
        survey = re.sub(r"^people = \S+", f"people = {n:_}", survey, flags=re.MULTILINE)
        (folder / "survey.toml").write_text(survey, encoding="utf-8", newline="\n")
        if name == "city":
            shutil.copy(embedded / "districts.geojson", folder / "districts.geojson")
        data = given or folder / "people.parquet"
        with talk.bar() as bar:
            bar.tell("writing people")
            if given is None:
                write(data, people, seed)
            result = flow.run_survey(folder / "survey.toml", data, folder, bar.tell)
        results.append(result)
        if not as_json:
            _print(console, result, synthetic=given is None)
    if as_json:
        print(json.dumps([_document(result) for result in results], indent=2, ensure_ascii=False))
    console.print("The truth is what the files say, for comparison: a real survey has nobody who could print it.")
    console.print("Pages to look at: " + ", ".join(str(result.page) for result in results), markup=False)


def _print(console: Console, result: Result, synthetic: bool) -> None:
    from rich import box
    from rich.table import Table

    answers, plan = result.answers, result.plan
    console.print(
        f"[bold]{answers.survey}[/bold]: {answers.n:,} {'synthetic ' if synthetic else ''}people, each one report of "
        f"{plan.bits} bits ({plan.option.mechanism}).\nPromise: {answers.guarantee}."
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("question")
    for column in ("plain answer", "truth", "soft answer", "truth"):
        table.add_column(column, justify="right")
    for answer, truth, plain in zip(answers.answers, result.truths, result.plain, strict=True):
        table.add_row(*_row(answer, truth, plain))
    console.print(table)


def _row(answer: Answer, truth: FloatArray, plain: FloatArray | None) -> tuple[str, ...]:
    """A share with its intervals, of a curve or map how much of the truth is inside of them."""
    from geopriv.pages.numbers import outward

    question, found, held = answer.question, answer.estimates, answer.plain
    if question.shape == ():
        one = found[()]
        between = "" if held is None else f"{' to '.join(outward(100 * float(held.low), 100 * float(held.high), 1))} %"
        soft = f"{' to '.join(outward(100 * one.low, 100 * one.high, 2))} %"
        return question.name, between, "" if plain is None else f"{100 * plain:.1f} %", soft, f"{100 * truth:.2f} %"
    assert answer.band is not None
    inside = ((answer.band.low <= truth) & (truth <= answer.band.high)).mean()
    name, soft = f"{question.name} ({found.values.size:,} estimates)", f"{100 * inside:.0f} % inside"
    if held is None or plain is None:
        return name, "", "", "see page", soft
    between = f"{100 * ((held.low <= plain) & (plain <= held.high)).mean():.0f} % inside"
    return name, "see page", between, "see page", soft


def _document(result: Result) -> dict[str, Any]:
    return {
        "survey": result.answers.survey,
        "people": result.answers.n,
        "design": result.answers.design,
        "page": str(result.page),
        "questions": [
            {
                "name": answer.question.name,
                "values": answer.estimates.values.tolist(),
                "low": answer.estimates.low.tolist(),
                "high": answer.estimates.high.tolist(),
                "truth": truth.tolist(),
                "plain": None if answer.plain is None else [answer.plain.low.tolist(), answer.plain.high.tolist()],
                "plain_truth": None if plain is None else plain.tolist(),
            }
            for answer, truth, plain in zip(result.answers.answers, result.truths, result.plain, strict=True)
        ],
    }
