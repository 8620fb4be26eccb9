"""`geopriv compare`: what changed between two waves of a survey."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from geopriv.commands.inputs import read_answers, require_one_input
from geopriv.commands.talk import Talk, examples

EXAMPLES = examples(
    "geopriv compare spring.json autumn.json", "geopriv compare spring.json autumn.json --same-people --json"
)


def compare(
    first: Annotated[Path, typer.Argument(help="The estimates.json of the first wave, or -.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="That of the second, or -.", show_default=False)],
    same_people: Annotated[
        bool,
        typer.Option("--same-people", help="The same people reported in both waves; unsaid, intervals are too short."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the changes as JSON.")] = False,
) -> None:
    """By how much each answer changed from one wave to another, with its interval, and what both give away together."""
    from geopriv.answers.comparison import compare as changes
    from geopriv.pages.comparison import comparison_text

    require_one_input("compare", first, second)
    found = changes(read_answers(first), read_answers(second), same_people)
    if as_json:
        print(json.dumps(found.to_document(), indent=2, ensure_ascii=False))
        return
    talk = Talk()
    talk.console.print(comparison_text(found, talk.console.width), markup=False, soft_wrap=True)
