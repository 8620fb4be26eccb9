"""`geopriv bench`: measured claims, each printed by one command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from geopriv.commands.talk import QuietOption, Talk, examples

MECHANISMS_EXAMPLES = examples(
    "geopriv bench mechanisms", "geopriv bench mechanisms --at 250000 --epsilon '1 per 20,000 USD'"
)
ACCURACY_EXAMPLES = examples(
    "geopriv bench accuracy",
    "geopriv bench accuracy --incomes ca_income.parquet --json",
    "geopriv bench accuracy --places nyc_collisions.parquet",
)


def accuracy(
    incomes: Annotated[
        Path | None, typer.Option(help="Parquet with columns income and weight; else the published log-normal fit.")
    ] = None,
    places: Annotated[
        Path | None, typer.Option(help="Parquet with columns lat and lon; else a synthetic city.")
    ] = None,
    people: Annotated[int, typer.Option(help="How many of the places report.")] = 200_000,
    seed: Annotated[int, typer.Option(help="Of the choice of places and the one simulated survey.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """The paper's twelve one-way settings and its map: expected errors of every mechanism, beside the floor."""
    from geopriv_paper.benchmarks.accuracy import measure, print_tables

    talk = Talk(quiet, as_json)
    with talk.bar() as bar:
        bar.tell("Measuring")
        result = measure(incomes, places, people, seed)
    if as_json:
        print(json.dumps(result.as_json(), indent=2))
    elif not quiet:
        print_tables(result)


def mechanisms(
    people: Annotated[int, typer.Option(help="How many people report.")] = 200_000,
    at: Annotated[float, typer.Option(help="The threshold, in USD.")] = 100_000.0,
    width: Annotated[float, typer.Option(help="Over which counting fades from 0 to 1, in USD.")] = 16_000.0,
    epsilon: Annotated[str, typer.Option(help="Privacy loss per distance.")] = "1 per 8,000 USD",
    seed: Annotated[int, typer.Option(help="Of the synthetic population and the simulated noise.")] = 1,
    output: Annotated[Path, typer.Option(help="Where the picture goes.")] = Path("geopriv-mechanisms.png"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """What share of households earns more than a threshold? Every mechanism answers, on an embedded population."""
    from geopriv_paper.benchmarks.mechanisms import compare_mechanisms, draw_comparison

    talk = Talk(quiet, as_json)
    console = talk.console
    with talk.bar() as bar:
        bar.tell("Simulating and predicting")
        result = compare_mechanisms(people, at, width, _rate(epsilon), seed)
        draw_comparison(result, output)
    if as_json:
        print(json.dumps(result.as_json(), indent=2))
    else:
        from geopriv_paper.benchmarks.mechanisms_table import print_comparison

        print_comparison(console, result)
    console.print(f"Picture: [bold]{output}[/bold]", highlight=False)


def _rate(text: str) -> float | str:
    """A plain number stays a number; anything else is a sentence for the space to read."""
    try:
        return float(text)
    except ValueError:
        return text
