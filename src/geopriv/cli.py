"""The command line. Exit codes: 0 done, 1 a check failed, 2 bad input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from geopriv import __version__
from geopriv.commands import privatize
from geopriv.errors import GeoprivError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,  # they may be people's values
    help="Measure a population without learning about its people.",
)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command(
    epilog="Examples:  [bold]geopriv demo[/bold]   "
    "[bold]geopriv demo --at 250000 --epsilon '1 per 20,000 USD'[/bold]   [bold]geopriv demo --json[/bold]"
)
def demo(
    people: Annotated[int, typer.Option(help="How many people report.")] = 200_000,
    at: Annotated[float, typer.Option(help="The threshold, in USD.")] = 100_000.0,
    width: Annotated[float, typer.Option(help="Over which counting fades from 0 to 1, in USD.")] = 16_000.0,
    epsilon: Annotated[str, typer.Option(help="Privacy loss per distance.")] = "1 per 8,000 USD",
    seed: Annotated[int, typer.Option(help="Of the synthetic population and the simulated noise.")] = 1,
    output: Annotated[Path, typer.Option(help="Where the picture goes.")] = Path("geopriv-demo.png"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """What share of households earns more than a threshold? Every mechanism answers, on an embedded population."""
    from rich.console import Console

    from geopriv.demo import draw_demo, run_demo

    console = Console(stderr=as_json)
    with console.status("Simulating and predicting…"):
        result = run_demo(people, at, width, _rate(epsilon), seed)
        draw_demo(result, output)
    if as_json:
        print(json.dumps(result.as_json(), indent=2))
    else:
        from geopriv.tables import demo_table

        demo_table(console, result)
    console.print(f"Picture: [bold]{output}[/bold]", highlight=False)


app.command(epilog=privatize.EXAMPLES)(privatize.privatize)

bench = typer.Typer(no_args_is_help=True, help="Measured claims, each printed by one command.")
app.add_typer(bench, name="bench")


@bench.command(
    epilog="Examples:  [bold]geopriv bench accuracy[/bold]   [bold]geopriv bench accuracy --incomes ca_income.parquet "
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


def _rate(text: str) -> float | str:
    """A plain number stays a number; anything else is a sentence for the space to read."""
    try:
        return float(text)
    except ValueError:
        return text


def main() -> None:
    """Run the command line; errors of geopriv become one sentence and exit code 2."""
    try:
        app()
    except GeoprivError as error:
        print(f"geopriv: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"geopriv: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        sys.exit(2)
