"""`geopriv privatize`: a table of people becomes a file of reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geopriv.commands.engine import (
    DatabaseOption,
    EngineOption,
    ExtensionsOption,
    MasterOption,
    choose,
)
from geopriv.commands.inputs import read_design, require_one_input
from geopriv.commands.outputs import require_one_output
from geopriv.commands.streams import PIPED, going_to, piped_in
from geopriv.commands.talk import QuietOption, Talk, command, examples
from geopriv.device.kinds import require_kind

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.reports.drawing import Privatized
    from geopriv.surveys.design import Design

EXAMPLES = examples(
    "geopriv privatize design.json people.csv",
    "geopriv privatize design.json folder/ -o reports.ndjson --person id",
    "zcat people.csv.gz | geopriv privatize design.json - -o - > reports.ndjson",
    "geopriv privatize design.json --query \"select income from 'people.parquet'\"",
    "geopriv privatize design.json people.parquet --engine spark --person id",
)


def privatize(
    design: Annotated[Path, typer.Argument(help="The design.json that says what is promised and asked, or -.")],
    data: Annotated[
        str | None, typer.Argument(help="A CSV, Parquet or Arrow file of people, a folder of them, or - (CSV).")
    ] = None,
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="Where the reports go: .parquet, .ndjson, .jsonl, or - (NDJSON)."),
    ] = "reports.parquet",
    query: Annotated[str | None, typer.Option(help="SQL whose rows are people, instead of a file.")] = None,
    database: DatabaseOption = None,
    allow_extensions: ExtensionsOption = False,
    engine: EngineOption = None,
    master: MasterOption = None,
    checkpoint: Annotated[
        str | None, typer.Option(help="Spark, without --person: the folder in which drawn reports are kept.")
    ] = None,
    person: Annotated[str | None, typer.Option(help="The column that names people: each reports once.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output of earlier reports.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Another run of the same survey is meant: budgets of people in both add up.")
    ] = False,
    allow_unreadable: Annotated[
        str, typer.Option(metavar="SHARE", help="Rows that may be left out because they cannot be read: 5% or 0.05.")
    ] = "1%",
    allow_odd: Annotated[
        bool,
        typer.Option("--allow-odd", help="Values that look wrong (all outside the range, swapped, all one) are meant."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """One private report for each person of a table, in an order that tells nothing of the table's."""
    from geopriv.reports.engines.duckdb.sql import Sql
    from geopriv.reports.verbs import privatize as run

    piped = output == PIPED
    require_one_output("privatize", as_json, piped)
    require_one_input("privatize", design, data)
    if data not in (None, PIPED) and not Path(data).is_dir():
        require_kind(data, "people", also=("parquet",))
    talk = Talk(quiet, as_json or piped)
    chosen = choose("privatize", engine, data is not None, query, database, master, checkpoint, allow_extensions)
    allowed = share_of("privatize", "allow_unreadable", allow_unreadable)
    promise = read_design(design)
    given = piped_in() if data == PIPED else data
    people = given if query is None else Sql(query, database, allow_extensions)
    with going_to(output, "reports.ndjson") as place, talk.bar() as bar:
        done = run(
            promise,
            people,
            place if piped else output,
            engine=chosen,
            person=person,
            progress=lambda stage, rows, share: bar.tell(stage, share, rows),
            overwrite=overwrite,
            again=again,
            allow_unreadable=allowed,
            allow_odd=allow_odd,
        )
    if as_json:
        print(json.dumps(done.as_json() | {"design": promise.hash, "guarantee": str(promise.guarantee)}, indent=2))
    else:
        _print(talk.console, promise, design, done, output)


def share_of(command: str, parameter: str, words: str) -> float:
    """A share, as 5% or 0.05."""
    from geopriv.spaces.checks import invalid

    number = words.strip().removesuffix("%").strip()
    try:
        share = float(number) / (100 if number != words.strip() else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise invalid(command, parameter, "a share, such as 5% or 0.05", words)
    return share


def _print(console: Console, design: Design, path: Path, done: Privatized, place: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("rows read", f"{done.rows:,}")
    for reason, count in sorted(done.unread.items()):
        table.add_row(f"left out: {reason}", f"{count:,}")
    if done.repeated:
        table.add_row("left out: repeated person", f"{done.repeated:,}")
    table.add_row("reports written", f"[bold]{done.reports:,}[/bold]")
    console.print(table)
    if done.unread:
        console.print(
            "Left out: numbers are read as 52000 or 52000.5, without separators or units. To mend rows, put them into "
            "a file of their own and run it with --again and another -o: who is in the reports must not be in it."
        )
    output = "standard output" if place == PIPED else escape(str(done.output))
    console.print(f"Promise: {escape(str(design.guarantee))}.")
    if done.earlier:
        run = f"Run {done.earlier + 1} of this survey: who was in the others too has {escape(done.spent)}."
        console.print(run, highlight=False)
    console.print(f"Reports: [bold]{output}[/bold]. The counts above are about your table; keep them with it.")
    if place != PIPED:
        console.print(f"Next:    [bold]{escape(command('estimate', path, done.output))}[/bold]", soft_wrap=True)
