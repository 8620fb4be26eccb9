"""`geopriv privatize`: a table of people becomes a file of reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from geopriv.commands.engine import (
    DatabaseOption,
    EngineOption,
    ExtensionsOption,
    MasterOption,
    choose,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from geopriv.reports.drawing import Privatized
    from geopriv.surveys.design import Design

EXAMPLES = (
    "Examples:\n\n[bold]geopriv privatize design.json people.csv[/bold]\n\n"
    "[bold]geopriv privatize design.json folder/ -o reports.ndjson --person id[/bold]\n\n"
    "[bold]geopriv privatize design.json --query \"select income from 'people.parquet' where age >= 18\"[/bold]\n\n"
    "[bold]geopriv privatize design.json people.parquet --engine spark --master local\\[4] --person id[/bold]"
)


def privatize(
    design: Annotated[Path, typer.Argument(help="The design.json that says what is promised and what is asked.")],
    data: Annotated[
        str | None, typer.Argument(help="A CSV, Parquet or Arrow file of people, or a folder of them.")
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where the reports go: .parquet, .ndjson or .jsonl.")
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
) -> None:
    """One private report for each person of a table, in an order that tells nothing of the table's."""
    from rich.console import Console

    from geopriv.reports.engines.duckdb.sql import Sql
    from geopriv.reports.verbs import privatize as run
    from geopriv.surveys.design import Design

    chosen = choose("privatize", engine, data is not None, query, database, master, checkpoint, allow_extensions)
    allowed = _share(allow_unreadable)
    promise = Design.read(design)
    people = data if query is None else Sql(query, database, allow_extensions)
    with _bar(Console(stderr=True)) as bar:
        tell = _teller(bar)
        done = run(
            promise,
            people,
            output,
            engine=chosen,
            person=person,
            progress=tell,
            overwrite=overwrite,
            again=again,
            allow_unreadable=allowed,
            allow_odd=allow_odd,
        )
    if as_json:
        print(json.dumps(done.as_json() | {"design": promise.hash, "guarantee": str(promise.guarantee)}, indent=2))
    else:
        _print(Console(highlight=False), promise, design, done)


def _share(words: str) -> float:
    """A share of rows, as 5% or 0.05."""
    from geopriv.spaces.checks import invalid

    number = words.strip().removesuffix("%").strip()
    try:
        share = float(number) / (100 if number != words.strip() else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise invalid("privatize", "allow_unreadable", "a share of rows, such as 5% or 0.05", words)
    return share


def _bar(console: Console) -> Progress:
    """A bar on a terminal, and nothing elsewhere."""
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[share]:>4}  {task.completed:,.0f} rows  {task.fields[speed]:,.0f} rows/s"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _teller(bar: Progress) -> Callable[[str, int, float | None], None]:
    """What moves the bar: a new one for each stage, full where nobody knows how far it is."""
    started: dict[str, tuple[TaskID, float]] = {}

    def tell(stage: str, rows: int, share: float | None) -> None:
        if stage not in started:
            started[stage] = bar.add_task(stage, total=None, share="", speed=0.0), perf_counter()
        task, start = started[stage]
        speed = rows / max(perf_counter() - start, 1e-3)
        total, percent = (rows / share, f"{share:.0%}") if share else (None, "")
        bar.update(task, completed=rows, total=total, share=percent, speed=speed)

    return tell


def _print(console: Console, design: Design, path: Path, done: Privatized) -> None:
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
    output = escape(str(done.output))
    console.print(f"Promise: {escape(str(design.guarantee))}.")
    if done.earlier:
        many = done.earlier + 1
        console.print(f"Run {many} of this survey: who was in the others too has {many} times ε in all.")
    console.print(f"Reports: [bold]{output}[/bold]. The counts above are about your table; keep them with it.")
    console.print(f"Next:    [bold]geopriv estimate {escape(str(path))} {output}[/bold]")
