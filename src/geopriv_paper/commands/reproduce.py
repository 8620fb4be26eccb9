"""`geopriv reproduce`: the paper's tables and figures from this implementation."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from geopriv.commands.talk import QuietOption, Talk, examples

EXAMPLES = examples(
    "geopriv reproduce",
    "geopriv reproduce one-way --incomes ca_income.parquet",
    "geopriv reproduce all --full --data shared/data --output reproduction",
)
_INCOMES, _PLACES = "ca_income.parquet", "nyc_collisions.parquet"


class Which(StrEnum):
    """An experiment of the paper, or all of them."""

    one_way = "one-way"
    two_way = "two-way"
    kde = "kde"
    table1 = "table1"
    everything = "all"


def reproduce(
    which: Annotated[Which, typer.Argument(help="What to reproduce.")] = Which.everything,
    full: Annotated[bool, typer.Option("--full", help="The paper's sizes and repetitions; up to an hour.")] = False,
    incomes: Annotated[
        Path | None, typer.Option(help="Household incomes: Parquet (income, weight) or an IPUMS extract as CSV.")
    ] = None,
    places: Annotated[
        Path | None, typer.Option(help="Collisions: Parquet (lat, lon) or the official CSV of New York.")
    ] = None,
    data: Annotated[
        Path, typer.Option(help=f"A folder in which {_INCOMES} and {_PLACES} are looked for; made-up people otherwise.")
    ] = Path("../shared/data"),
    output: Annotated[Path, typer.Option(help="Where results, figures and the page go.")] = Path(
        "geopriv-reproduction"
    ),
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what is already in the output folder.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the claims and what changed as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Every table and figure of the paper, its claims checked one by one, and what corrections and new mechanisms do.

    Finished panels are kept in the output folder: a run that was stopped continues. Exit code 1 when a formula and its
    simulation disagree.
    """
    from geopriv_paper.datasets import load
    from geopriv_paper.reproduction import reproduce as run

    people = load(incomes or _present(data / _INCOMES), places or _present(data / _PLACES))
    talk = Talk(quiet, as_json)
    with talk.bar() as bar:
        done = run(
            None if which is Which.everything else which.value, people, output, full=full, fresh=fresh, tell=bar.tell
        )
    if as_json:
        print(json.dumps(done.as_json(), indent=2, ensure_ascii=False))
    else:
        console = talk.console
        for source in done.sources:
            console.print(f"Data: {source}")
        held = sum(claim["holds"] is True for claim in done.claims)
        failed = sum(claim["holds"] is False for claim in done.claims)
        console.print(f"The paper's claims: {held} hold, {failed} do not.")
        console.print(
            f"Formulas against simulations: {done.comparisons:,} comparisons, {len(done.disagreements)} disagree."
        )
        for sentence in done.disagreements:
            console.print(f"[bold red]Disagrees:[/] {sentence}")
        console.print(f"Page: [bold]{done.page}[/bold]")
    if done.disagreements:
        raise typer.Exit(1)


def _present(path: Path) -> Path | None:
    return path if path.is_file() else None
