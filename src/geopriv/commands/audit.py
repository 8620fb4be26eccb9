"""`geopriv audit`: does a design keep its promise?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

EXAMPLES = "Examples:  [bold]geopriv audit design.json[/bold]   [bold]geopriv audit design.json --json[/bold]"


def audit(
    design: Annotated[Path, typer.Argument(help="The design.json to check.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check a design's promise: the verdict, the worst privacy loss, and where. Exit code 1 when it does not hold."""
    from rich.console import Console
    from rich.markup import escape

    from geopriv.auditing import audit_design

    found = audit_design(design)
    if as_json:
        print(json.dumps(_document(found), indent=2, ensure_ascii=False))
    else:
        console = Console(highlight=False)
        console.print(
            "[bold green]The promise holds.[/]" if found.passed else "[bold red]The promise does NOT hold.[/]"
        )
        if found.passed:
            console.print(f"Promise: {escape(str(found.guarantee))}\nDesign:  {found.hash}")
        else:
            console.print(f"Why:     {escape(found.reason)}")
        for k, one in enumerate(found.audits):
            first, second, output = one.at
            console.print(
                f"Mechanism {k}: worst loss {one.worst_ratio:.9g} of what is promised, between {first} and {second}, "
                f"at report {output} ({one.pairs:,} pairs compared).",
                markup=False,
            )
    if not found.passed:
        raise typer.Exit(1)


def _document(found: Any) -> dict[str, Any]:
    return {
        "passed": found.passed,
        "reason": found.reason,
        "hash": found.hash or None,
        "guarantee": str(found.guarantee) if found.guarantee else None,
        "mechanisms": [
            {"passed": one.passed, "worst_ratio": one.worst_ratio, "at": list(one.at), "pairs": one.pairs}
            for one in found.audits
        ],
    }
