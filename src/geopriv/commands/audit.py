"""`geopriv audit`: does a design keep its promise, and do the reports that are drawn?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geopriv.commands.expectations import contribution_document
from geopriv.commands.streams import PIPED, at_hand
from geopriv.commands.talk import QuietOption, Talk, examples
from geopriv.device.kinds import require_kind

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.reports.audits.samples import SampleAudit
    from geopriv.surveys.audits import DesignAudit

EXAMPLES = examples(
    "geopriv audit design.json",
    "geopriv audit design.json --json",
    "geopriv audit design.json --quiet && echo it holds",
    "geopriv audit design.json --samples 100000",
)
_SHOWN = 5  # faults of each way


def audit(
    design: Annotated[Path, typer.Argument(help="The design.json to check, or -.", show_default=False)],
    samples: Annotated[
        int | None,
        typer.Option(help="Also draw up to so many reports at each of the design's worst places, on every way."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="About how long each way is drawn from; slow ones get fewer.")] = 20.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Check a design's promise: the verdict, the worst privacy loss, and where. Exit code 1 when it does not hold.

    With --samples what is shipped is drawn too (report, privatize, device), and what could have been seen is said.
    """
    from geopriv.reports.audits.samples import audit_samples
    from geopriv.surveys.audits import audit as audit_file
    from geopriv.surveys.design import Design

    talk = Talk(quiet, as_json)
    if str(design) != PIPED:
        require_kind(design, "design")
    with at_hand(design, "design.json") as path, talk.bar() as bar:
        bar.tell("Comparing densities")
        found = audit_file(path)
        drawn = None
        if samples is not None and found.passed:
            drawn = audit_samples(Design.read(path), samples, seconds=seconds, progress=bar.tell)
    if as_json:
        print(json.dumps(_document(found, drawn), indent=2, ensure_ascii=False))
    else:
        _print(talk.console, found)
        if drawn is not None:
            _print_samples(talk.console, drawn)
    if not found.passed or (drawn is not None and not drawn.passed):
        raise typer.Exit(1)


def _print(console: Console, found: DesignAudit) -> None:
    from rich.markup import escape

    broken = any(not one.passed for one in found.audits)
    refused = "There is no promise: every device refuses this file."
    if broken:  # whatever devices say
        refused = "The promise does NOT hold."
    elif found.verified:
        refused = "The promise holds, and the design cannot be used: what it asks cannot be read."
    console.print("[bold green]The promise holds.[/]" if found.passed else f"[bold red]{refused}[/]")
    if found.passed:
        console.print(f"Promise: {escape(str(found.guarantee))}\nDesign:  {found.hash}")
    else:
        console.print(f"Why:     {escape(found.reason)}")
    for k, one in enumerate(found.audits):
        first, second, output = one.at
        where = "" if isinstance(first, str) else "coordinates of the query "  # and not values of people
        console.print(
            f"Mechanism {k}: worst loss {one.worst_ratio:.9g} of what is promised, between {where}{first} and "
            f"{second}, at report {output} ({one.pairs:,} pairs compared).",
            markup=False,
        )
    if found.contributions:
        console.print("Made-up reports keep everybody's promise, and can move answers:")
    for each in found.contributions:
        console.print(f" * {each.words}", markup=False, highlight=False)


def _print_samples(console: Console, drawn: SampleAudit) -> None:
    from geopriv.reports.audits.samples import UNSEEN

    console.print(
        "[bold green]No fault was seen in what is drawn.[/]"
        if drawn.passed
        else "[bold red]What is drawn does NOT keep it.[/]"
    )
    for path in drawn.paths:
        console.print(f" * {path}", markup=False)
        for fault in path.faults[:_SHOWN]:
            console.print(f"   {fault}", markup=False)
    console.print(f"Tried:   {', '.join(drawn.marks)}.", markup=False)
    console.print(f"Honest samplers are accused with a probability of at most {drawn.false_alarm:g}.")
    console.print(f"No sampling sees: {'; '.join(UNSEEN)}.", markup=False)


def _document(found: DesignAudit, drawn: SampleAudit | None) -> dict[str, Any]:
    document = {
        "passed": found.passed and (drawn is None or drawn.passed),
        "reason": found.reason,
        "verified": found.verified,
        "hash": found.hash or None,
        "guarantee": str(found.guarantee) if found.guarantee else None,
        "mechanisms": [
            {"passed": one.passed, "worst_ratio": one.worst_ratio, "at": list(one.at), "pairs": one.pairs}
            for one in found.audits
        ],
        "contributions": [{"question": each.question} | contribution_document(each) for each in found.contributions],
    }
    return document if drawn is None else document | {"samples": _samples_document(drawn)}


def _samples_document(drawn: SampleAudit) -> dict[str, Any]:
    from geopriv.reports.audits.samples import UNSEEN

    paths = [
        {
            "name": path.name,
            "passed": path.passed,
            "draws": [path.fewest, path.most],
            "places": path.places,
            "seen_loss": _number(path.loss),
            "seen_excess": path.excess,
            "seen_rare_excess": path.rare,
            "seen_repeats": path.repeats,
            "faults": [
                {name: _number(part) if isinstance(part, float) else part for name, part in vars(fault).items()}
                for fault in path.faults
            ],
        }
        for path in drawn.paths
    ]
    rest = {"marks": list(drawn.marks), "false_alarm": drawn.false_alarm, "unseen": list(UNSEEN)}
    return {"passed": drawn.passed, "paths": paths, **rest}


def _number(value: float) -> float | None:
    """None for what JSON cannot say."""
    return value if math.isfinite(value) else None
