"""`geopriv estimate`: from reports to answers."""

from __future__ import annotations

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
from geopriv.commands.outputs import require_replaceable

if TYPE_CHECKING:
    import shapely
    from rich.console import Console

    from geopriv.reports.engines.base import Engine
    from geopriv.reports.engines.duckdb.sql import Sql
    from geopriv.reports.tallies import Tally
    from geopriv.spaces import Space
    from geopriv.surveys.design import Design

EXAMPLES = (
    "Examples:\n\n[bold]geopriv estimate design.json reports.parquet[/bold]\n\n"
    "[bold]geopriv estimate design.json monday.ndjson tuesday.ndjson --tally week.parquet --consistent[/bold]\n\n"
    "[bold]geopriv estimate design.json more.parquet --add-tally week.parquet --no-page --json[/bold]\n\n"
    "[bold]geopriv estimate design.json reports/ --engine spark --master local\\[4][/bold]"
)


def estimate(
    design: Annotated[Path, typer.Argument(help="The design.json that the reports were made with.")],
    reports: Annotated[
        list[str] | None, typer.Argument(help="Files of reports (Parquet or NDJSON), and folders of them.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the estimates go.")] = Path("estimates.json"),
    query: Annotated[str | None, typer.Option(help="SQL whose rows are reports, instead of files.")] = None,
    database: DatabaseOption = None,
    allow_extensions: ExtensionsOption = False,
    engine: EngineOption = None,
    master: MasterOption = None,
    tally: Annotated[Path | None, typer.Option(help="Also write the counts here (Parquet), to add to later.")] = None,
    add_tally: Annotated[
        list[Path] | None,
        typer.Option(
            help="Add the counts of this file, of --tally. Of your own only: it adds whatever it says, and twice what "
            "it shares with reports that are named."
        ),
    ] = None,
    page: Annotated[Path, typer.Option(help="Where the page goes.")] = Path("report.html"),
    no_page: Annotated[bool, typer.Option("--no-page", help="Write no page.")] = False,
    confidence: Annotated[float, typer.Option(help="Of each interval, and of each band as a whole.")] = 0.95,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="Add monotone and non-negative values: nicer, and biased.")
    ] = False,
    shrink: Annotated[
        bool, typer.Option("--shrink", help="Add a map with less noise, held in its band and above 0: biased.")
    ] = False,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Make intervals by group long enough to hold in all groups at once.")
    ] = False,
    unweighted: Annotated[
        bool, typer.Option("--unweighted", help="Count every report alike, whatever the known sizes of groups are.")
    ] = False,
    outline: Annotated[Path | None, typer.Option(help="GeoJSON of a coast or border, drawn on maps.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the estimates as JSON.")] = False,
) -> None:
    """Every question's answer with its error bar, from files of reports in any order and any number."""
    from rich.console import Console

    from geopriv.answers.estimate import estimate as answer
    from geopriv.device.files import canonical
    from geopriv.pages.forms import form_of
    from geopriv.reports.engines.duckdb.sql import Sql
    from geopriv.spaces.checks import fraction, invalid
    from geopriv.surveys.design import Design

    fraction("estimate", "confidence", confidence)
    if tally is not None and tally.suffix != ".parquet":
        raise invalid("estimate", "tally", "a file of .parquet", tally.name)
    for path, what in ((output, "estimates"), (tally, "tally"), (None if no_page else page, "page")):
        if path is not None:
            require_replaceable(path, what)
    console = Console(stderr=True, highlight=False)
    plan = Design.read(design)
    if outline is not None and not any(form_of(question).is_map for question in plan.questions):
        raise invalid("estimate", "outline", "given with a design that asks for a map", outline.name)
    coast = None if outline is None else outline_of(outline, plan.space)
    given = bool(reports) or (query is None and bool(add_tally))
    chosen = choose("estimate", engine, given, query, database, master, extensions=allow_extensions)
    sent = reports or [] if query is None else Sql(query, database, allow_extensions)
    counted = require_reports(plan, reports or [], read_reports(plan, sent, chosen, add_tally or [], console))
    with console.status("Estimating…"):
        wanted = {"consistent": consistent, "simultaneous": simultaneous, "weighted": not unweighted}
        answers = answer(plan, counted, confidence=confidence, shrink=shrink, **wanted)
    if tally is not None:
        counted.write(tally)
    answers.write(output)
    print(canonical(answers.to_document()).decode() if as_json else answers, flush=True)
    if not no_page:
        with console.status("Drawing…"):
            answers.write_page(page, outline=coast)
    written = [output, *([] if tally is None else [tally]), *([] if no_page else [page])]
    console.print("Written: " + ", ".join(map(str, written)), markup=False)


def require_reports(design: Design, files: list[str], counted: Tally) -> Tally:
    """What was counted, of at least one report.

    Raises:
        ReportRejected: where there is none, with the reason.
    """
    from geopriv.errors import ReportRejected

    if not counted.n:
        raise ReportRejected(_no_report(design, files, counted))
    return counted


def _no_report(design: Design, files: list[str], counted: Tally) -> str:
    """Why nothing was counted: mostly the files are of others, or of people."""
    from geopriv.reports.report_files import holds_columns

    reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(counted.rejected.items()))
    columns = design.source.columns if design.source is not None else ()
    people = next((name for name in files if columns and holds_columns(Path(name), columns)), None)
    if people is None:
        return f"There is no report to this design in the files: {reasons or 'they are empty'}."
    named = " and ".join(map(repr, columns))
    return (
        f"These look like people, not reports: the file {people} has {named}, as the design reads them. Make reports "
        "of them with geopriv privatize, and give those."
    )


def read_reports(
    design: Design, reports: list[str] | Sql, engine: Engine, tallies: list[Path], console: Console
) -> Tally:
    """The tally of all reports, with a bar that fills where it is known how many rows there are."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from geopriv.reports.verbs import tally

    columns = (TextColumn("Reading"), BarColumn(), TextColumn("{task.completed:,.0f} reports"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=_rows(reports) if isinstance(reports, list) else None)
        return tally(design, reports, lambda read: progress.advance(task, read), engine=engine, tallies=tallies)


def _rows(reports: list[str]) -> int | None:
    """How many rows the files have; None unless all are Parquet."""
    from geopriv.errors import InvalidParameter
    from geopriv.reports.engines.base import report_files
    from geopriv.reports.parquet_pages import opened
    from geopriv.reports.report_files import BROKEN

    try:
        rows = 0
        for path in report_files(reports):
            with opened(path) as file:
                rows += file.metadata.num_rows
    except (*BROKEN, InvalidParameter):
        return None
    return rows


def outline_of(path: Path, space: Space) -> shapely.Geometry:
    """The shapes of a GeoJSON file; tried on the map before anything is counted or written."""
    import shapely

    from geopriv.pages.frames import on_map
    from geopriv.spaces.checks import invalid

    try:
        found = shapely.from_geojson(path.read_text(encoding="utf-8"))
    except (shapely.errors.ShapelyError, UnicodeDecodeError):
        raise invalid("estimate", "outline", "a GeoJSON file", str(path)) from None
    if space.flat and space.point_shape:
        on_map(found, space)
    return found
