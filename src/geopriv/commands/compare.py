"""`geopriv compare`: what changed between two waves of a survey."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = (
    "Examples:\n\n[bold]geopriv compare spring.json autumn.json[/bold]\n\n"
    "[bold]geopriv compare spring.json autumn.json --same-people --json[/bold]"
)


def compare(
    first: Annotated[Path, typer.Argument(help="The estimates.json of the first wave.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="That of the second.", show_default=False)],
    same_people: Annotated[
        bool,
        typer.Option("--same-people", help="The same people reported in both waves; unsaid, intervals are too short."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the changes as JSON.")] = False,
) -> None:
    """By how much each answer changed from one wave to another, with its interval, and what both give away together."""
    from geopriv.answers.answers import Answers
    from geopriv.answers.comparison import compare as changes
    from geopriv.pages.comparison import comparison_text

    found = changes(Answers.read(first), Answers.read(second), same_people)
    print(json.dumps(found.to_document(), indent=2, ensure_ascii=False) if as_json else comparison_text(found))
