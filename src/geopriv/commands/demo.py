"""`geopriv demo`: two surveys from question to page."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.commands.embedded import Result

EXAMPLES = (
    "Examples:\n\n[bold]geopriv demo[/bold]\n\n[bold]geopriv demo --people 1000000[/bold]\n\n"
    "[bold]geopriv demo --places nyc_collisions.parquet[/bold]"
)


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
) -> None:
    """Run the whole flow (plan, privatize, estimate, page) on household incomes and on a city map."""
    from rich.console import Console

    from geopriv.commands import embedded as flow
    from geopriv.commands.populations import read_columns

    console = Console(stderr=as_json, highlight=False)
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
        (folder / "survey.toml").write_text(survey, encoding="utf-8")
        if name == "city":
            shutil.copy(embedded / "districts.geojson", folder / "districts.geojson")
        data = given or folder / "people.parquet"
        with console.status("writing people") as status:
            if given is None:
                write(data, people, seed)
            result = flow.run_survey(folder / "survey.toml", data, folder, status.update)
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

    from geopriv.pages.numbers import outward

    answers, plan = result.answers, result.plan
    console.print(
        f"[bold]{answers.survey}[/bold]: {answers.n:,} {'synthetic ' if synthetic else ''}people, each one report of "
        f"{plan.bits} bits ({plan.option.mechanism}).\nPromise: {answers.guarantee}."
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("question")
    for column in ("estimate", "95 % interval", "truth"):
        table.add_column(column, justify="right")
    for answer, truth in zip(answers.answers, result.truths, strict=True):
        found = answer.estimates
        if answer.question.shape == ():
            one = found[()]
            table.add_row(
                answer.question.name,
                f"{100 * one.value:.2f} %",
                f"{' to '.join(outward(100 * one.low, 100 * one.high, 2))} %",
                f"{100 * float(truth):.2f} %",
            )
        else:
            assert answer.band is not None
            inside = ((answer.band.low <= truth) & (truth <= answer.band.high)).mean()
            table.add_row(
                f"{answer.question.name} ({found.values.size:,} estimates)",
                "see page",
                "band at once",
                f"{100 * inside:.0f} % inside",
            )
    console.print(table)


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
            }
            for answer, truth in zip(result.answers.answers, result.truths, strict=True)
        ],
    }
