"""`geopriv demo`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = (
    "Examples:  [bold]geopriv demo[/bold]   "
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


def _rate(text: str) -> float | str:
    """A plain number stays a number; anything else is a sentence for the space to read."""
    try:
        return float(text)
    except ValueError:
        return text
