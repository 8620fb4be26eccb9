"""What `geopriv plan` prints of a survey whose noise walks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geopriv.commands.expectations import in_units, new_table
from geopriv.commands.outputs import require_same_design
from geopriv.commands.streams import PIPED, going_to
from geopriv.commands.talk import Talk
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.surveys import Survey
    from geopriv.surveys.planning import WalkPlan

OF_WALKS = (
    "± is half of a 95 % interval, shares in percentage points, for people who stay; who moves by no whole "
    "cells adds at most a quarter of a cell's square to the variance, in each round. Change: as `geopriv compare` "
    "states it, the sum of both errors."
)
PARTLY = (
    "Each report tells its round and how many steps were taken, openly: who takes part in a round must not depend on "
    "values. Devices keep the walk in their ledger; `geopriv privatize` refuses it."
)


def require_alone(**given: object) -> None:
    """Refuse options of a plan that are about surveys of one round."""
    for name, value in given.items():
        if value not in (None, False):
            raise invalid("plan", name, "left out for a survey with a table [walk], which has rounds of its own", value)


def print_walk(console: Console, found: WalkPlan) -> None:
    """The promise, and the errors of rounds."""
    from rich.markup import escape

    survey, rounds = found.survey, found.survey.rounds
    console.print(
        f"[bold]{escape(survey.name)}[/bold]: {survey.people:,} {survey.counted} in each of {rounds} rounds, one "
        f"report of {found.bits} bits each.\nPromise on trajectories (theory T15), not on each report by itself:\n"
        f"{escape(str(found.design.guarantee))}.",
        highlight=False,
    )
    table = new_table("question", "round 1 ±", f"round {rounds} ±", "change ±")
    for question in survey.questions:
        each = found.expected[question.name]
        numbers = (each.rounds[0], each.rounds[-1], each.change)
        table.add_row(question.name, *(in_units(question, number, survey.counted) for number in numbers))
    console.print(table)
    console.print(f"{OF_WALKS} {_bias(found)}\n", highlight=False, markup=False)
    console.print(f"{PARTLY}\n", highlight=False, markup=False)


def _bias(found: WalkPlan) -> str:
    if not found.largest_bias:
        return "Values are unbiased."
    return f"Shares are off by at most {100 * found.largest_bias:.2g} points on average in the last round."


def walk_document(found: WalkPlan) -> dict[str, Any]:
    """The same for every round, for machines."""
    return {
        "survey": found.survey.name,
        "people": found.survey.people,
        "epsilon": found.survey.epsilon,
        "unit": found.design.guarantee.unit,
        "metric": found.design.guarantee.metric,
        "rounds": found.survey.rounds,
        "design": found.design.hash,
        "bits": found.bits,
        "largest_bias": found.largest_bias,
        "questions": [
            {"name": name, "half_widths": list(each.rounds), "change_half_width": each.change}
            for name, each in found.expected.items()
        ],
    }


def run_walk(asked: Survey, output: Path, talk: Talk, *, as_json: bool, replace: bool, yes: bool) -> None:
    """Plan, say and write it."""
    from rich.markup import escape

    from geopriv.surveys.planning import plan_walk

    with talk.bar() as bar:
        bar.tell(f"Predicting {asked.rounds} rounds")
        found = plan_walk(asked, yes=yes)
    piped = str(output) == PIPED
    if not replace and not piped:
        require_same_design(output, found.design)
    with going_to(output, "design.json") as place:
        found.design.write(place)
    if as_json:
        print(json.dumps(walk_document(found), indent=2, ensure_ascii=False))
    else:
        print_walk(talk.console, found)
    if not piped:
        talk.console.print(f"Design: [bold]{escape(str(output))}[/bold] (hash {found.design.hash[:16]}…)")
