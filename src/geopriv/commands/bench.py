"""`geopriv bench`: measured claims, each printed by one command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = (
    "Examples:  [bold]geopriv bench accuracy[/bold]   [bold]geopriv bench accuracy --incomes ca_income.parquet "
    "--places nyc_collisions.parquet --json[/bold]"
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
) -> None:
    """The paper's twelve one-way settings and its map: expected errors of every mechanism, beside the floor."""
    from geopriv.benchmarks.accuracy import measure, print_tables

    result = measure(incomes, places, people, seed)
    if as_json:
        print(json.dumps(result.as_json(), indent=2))
    else:
        print_tables(result)
