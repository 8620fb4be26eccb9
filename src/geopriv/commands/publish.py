"""`geopriv publish`: what a collector took in, as a file of reports."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geopriv.commands.inputs import read_design
from geopriv.commands.serve import SQLITE, DatabaseAddress, require_collector
from geopriv.commands.talk import QuietOption, Talk, command, examples

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.collector.publish import Published

EXAMPLES = examples(
    "geopriv publish design.json",
    "geopriv publish design.json --database postgresql://collector@db/survey -o reports.ndjson",
    "geopriv publish design.json --batch 3 -o third.parquet",
)
BACKUP_EXAMPLES = examples("geopriv backup copy.sqlite", "geopriv backup copy.sqlite --database sqlite:///trial.sqlite")


def publish(
    design: Annotated[Path, typer.Argument(help="The design.json of the survey.")],
    database: DatabaseAddress = SQLITE,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the reports go: .parquet, .ndjson or .jsonl.")
    ] = Path("reports.parquet"),
    batch: Annotated[
        list[int] | None, typer.Option(help="The number of a batch that is wanted; all if left out.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an output of earlier reports.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the batches as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Close the batches of a collector and write their reports as a file; it may go on taking reports, into others."""
    require_collector("sqlalchemy", "alembic")
    from geopriv.collector.publish import publish as run
    from geopriv.collector.store import Store

    _require_output(output, overwrite)
    talk, asked = Talk(quiet, as_json), read_design(design)
    store = Store(database, new=False)
    try:
        with talk.bar() as bar:
            done = run(asked, store, output, batch or (), lambda n, of: bar.tell("writing", n / of, n))
    finally:
        store.close()
    if as_json:
        print(json.dumps(done.to_document() | {"design": asked.hash}, indent=2))
    else:
        _print(talk.console, design, done)
    if not done.rewritten:
        why = "somebody uses it, or its disk is full. Publish again, or stop the collector"
        print(f"geopriv: The database still tells in which order reports came: {why}.", file=sys.stderr)
        raise typer.Exit(1)


def backup(
    output: Annotated[Path, typer.Argument(help="Where the copy goes; a file that only you read.")],
    database: DatabaseAddress = SQLITE,
) -> None:
    """Copy a collector's database of SQLite while it runs: every report that was acknowledged, and its token spent."""
    require_collector("sqlalchemy", "alembic")
    from geopriv.collector.store import Store

    with closing(Store(database, new=False)) as store:
        store.copy_to(output)


def _require_output(output: Path, overwrite: bool) -> None:
    from geopriv.errors import InvalidParameter
    from geopriv.reports.engines.base import KINDS
    from geopriv.reports.report_files import holds_reports
    from geopriv.spaces.checks import invalid

    if output.suffix not in KINDS:
        raise invalid("publish", "output", f"a file of {', '.join(KINDS)}", output.name)
    if not output.parent.is_dir():
        raise InvalidParameter(f"There is no folder {str(output.parent)!r} to write to.")
    if output.exists() and not (overwrite and output.is_file() and holds_reports(output)):
        more = "it holds no reports" if overwrite else "say --overwrite to replace it"
        raise InvalidParameter(f"There is {str(output)!r} already: name another file; {more}.")


def _print(console: Console, design: Path, done: Published) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("batch", "day (UTC)", "reports"):
        table.add_column(name, justify="right")
    for one in done.batches:
        table.add_row(str(one.number), str(one.day), f"{one.reports:,}")
    console.print(table)
    console.print(
        f"Reports: [bold]{escape(str(done.output))}[/bold], {done.reports:,}. No report enters these any more."
    )
    console.print(f"Next:    [bold]{escape(command('estimate', design, done.output))}[/bold]", soft_wrap=True)
