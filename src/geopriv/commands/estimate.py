"""`geopriv estimate`: from reports to answers."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, ExitStack
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
from geopriv.commands.liars import made_up_option
from geopriv.commands.outputs import require_one_output, require_replaceable
from geopriv.commands.privatize import share_of
from geopriv.commands.streams import PIPED, at_hand, going_to
from geopriv.commands.talk import QuietOption, Talk, examples
from geopriv.device.kinds import require_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import shapely

    from geopriv.answers.answers import Answers
    from geopriv.commands.talk import Bar
    from geopriv.queries.questions import Question
    from geopriv.reports.engines.base import Engine
    from geopriv.reports.engines.duckdb.sql import Sql
    from geopriv.reports.tallies import Tally
    from geopriv.spaces import Space
    from geopriv.surveys.design import Design

EXAMPLES = examples(
    "geopriv estimate design.json reports.parquet",
    "geopriv estimate design.json monday.ndjson tuesday.ndjson --tally week.parquet",
    "geopriv estimate design.json more.parquet --add-tally week.parquet --no-page",
    "cat reports/*.ndjson | geopriv estimate design.json - -o - --quiet > now.json",
    "geopriv estimate design.json reports/ --engine spark",
    "geopriv estimate design.json reports.parquet --robust --liars 2%",
)


AllowRejected = Annotated[
    str, typer.Option(metavar="SHARE", help="Rows that may be no reports to this design: 5% or 0.05.")
]
_REPEATED = ("repeated id", "another round")  # of reports to the design, all the same


def estimate(
    design: Annotated[Path, typer.Argument(help="The design.json that the reports were made with, or -.")],
    reports: Annotated[
        list[str] | None, typer.Argument(help="Files of reports (Parquet or NDJSON), folders of them, or - (NDJSON).")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the estimates go, or -.")] = Path(
        "estimates.json"
    ),
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
    robust: Annotated[
        bool,
        typer.Option("--robust", help="Add intervals that hold for the honest whatever made-up reports say."),
    ] = False,
    liars: Annotated[
        str | None,
        typer.Option(help="With --robust: how many reports may be made up, '500' or '2%'; 1% of them by default."),
    ] = None,
    unweighted: Annotated[
        bool, typer.Option("--unweighted", help="Count every report alike, whatever the known sizes of groups are.")
    ] = False,
    round: Annotated[
        int | None, typer.Option(help="Of a walk: which round; reports of others are rejected and counted.")
    ] = None,
    outline: Annotated[Path | None, typer.Option(help="GeoJSON of a coast or border, drawn on maps.")] = None,
    allow_rejected: AllowRejected = "1%",
    as_json: Annotated[bool, typer.Option("--json", help="Print the estimates as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Every question's answer with its error bar, from files of reports in any order and any number."""
    from geopriv.answers.estimate import estimate as answer
    from geopriv.reports.engines.duckdb.sql import Sql
    from geopriv.spaces.checks import fraction

    piped = str(output) == PIPED
    require_one_output("estimate", as_json, piped)
    require_one_input("estimate", design, *(reports or []))
    fraction("estimate", "confidence", confidence)
    made_up = made_up_option(robust, liars)
    outputs = {"estimates": None if piped else output, "tally": tally, "page": None if no_page else page}
    require_outputs(outputs)
    talk = Talk(quiet, as_json or piped)
    allowed = share_of("estimate", "allow_rejected", allow_rejected)
    plan = read_design(design)
    coast = None if outline is None else outline_of(outline, plan.questions, plan.space)
    given = bool(reports) or (query is None and bool(add_tally))
    chosen = choose("estimate", engine, given, query, database, master, extensions=allow_extensions)
    with ExitStack() as opened, talk.bar() as bar:
        files = [str(opened.enter_context(reports_at(name))) for name in reports or []]
        sent = files if query is None else Sql(query, database, allow_extensions)
        counted = require_reports(plan, files, read_reports(plan, sent, chosen, add_tally or [], bar), allowed)
        unknown = words_of_unknown(counted, bool(files) + (query is not None) + len(add_tally or []))
        counted = counted if round is None else require_reports(plan, files, counted.of_round(round), allowed)
        bar.tell("Estimating")
        wanted = {"consistent": consistent, "simultaneous": simultaneous, "weighted": not unweighted}
        answers = answer(plan, counted, confidence=confidence, shrink=shrink, robust=made_up, **wanted)
        if tally is not None:
            counted.write(tally)
        with going_to(output, "estimates.json") as place:
            answers.write(place)
        if not no_page:
            bar.tell("Drawing")
            answers.write_page(page, outline=coast)
    tell(answers, outputs, talk, as_json=as_json, more=unknown)


def tell(answers: Answers, outputs: dict[str, Path | None], talk: Talk, *, as_json: bool, more: str = "") -> None:
    """Print answers on standard output, unless a file goes there, and say what was written."""
    from geopriv.device.files import canonical
    from geopriv.pages.text import text_of

    if as_json:
        print(canonical(answers.to_document()).decode(), flush=True)
    else:
        talk.console.print(text_of(answers, talk.console.width), markup=False, soft_wrap=True)
    written = ", ".join(str(path) for path in outputs.values() if path is not None)
    if said := " ".join(filter(None, (f"Written: {written}" + "." * bool(more) if written else "", more))):
        Talk(talk.quiet, taken=True).console.print(said, markup=False, soft_wrap=True)


def require_outputs(outputs: dict[str, Path | None]) -> None:
    """Refuse, before anything is counted, what must not be written over."""
    from geopriv.spaces.checks import invalid

    tally = outputs["tally"]
    if tally is not None and tally.suffix != ".parquet":
        raise invalid("estimate", "tally", "a file of .parquet", tally.name)
    for what, path in outputs.items():
        if path is not None:
            require_replaceable(path, what)


def reports_at(name: str) -> AbstractContextManager[Path]:
    """A file of reports, or a folder of them."""
    if name != PIPED and not Path(name).is_dir():
        require_kind(name, "reports", also=("parquet",))
    return at_hand(name, "reports.ndjson")


def require_reports(design: Design, files: list[str], counted: Tally, allowed: float) -> Tally:
    """What was counted, of at least one report, and of few rows that are none.

    Raises:
        ReportRejected: where there is no report, with the reason.
        Exit: 1, where more than a share of the rows are no reports to the design.
    """
    from geopriv.errors import ReportRejected

    if not counted.n:
        raise ReportRejected(_no_report(design, files, counted))
    foreign = {reason: times for reason, times in sorted(counted.rejected.items()) if reason not in _REPEATED}
    none, rows = sum(foreign.values()), counted.n + counted.rejected.total()
    if none > round(allowed * rows, 6):
        reasons = ", ".join(f"{times:,} {reason}" for reason, times in foreign.items())
        print(
            f"geopriv: {none:,} of the {rows:,} rows are no reports to this design ({reasons}), more than the "
            f"{100 * allowed:.4g} % that --allow-rejected allows: nothing was written.",
            file=sys.stderr,
        )
        raise typer.Exit(1)
    return counted


def _no_report(design: Design, files: list[str], counted: Tally) -> str:
    """Why nothing was counted: mostly the files are of others."""
    _require_no_people(design, files)
    reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(counted.rejected.items()))
    return f"There is no report to this design in the files: {reasons or 'they are empty'}."


def _require_no_people(design: Design, files: list[str]) -> None:
    """Refuse people in the place of reports.

    Raises:
        ReportRejected: naming the first file of people.
    """
    from geopriv.errors import ReportRejected
    from geopriv.reports.report_files import holds_columns

    columns = design.source.columns if design.source is not None else ()
    people = next((name for name in files if columns and holds_columns(Path(name), columns)), None)
    if people is not None:
        raise ReportRejected(
            f"These look like people, not reports: the file {people} has {' and '.join(map(repr, columns))}, as the "
            "design reads them. Make reports of them with geopriv privatize, and give those."
        )


def words_of_unknown(counted: Tally, parts: int) -> str:
    """What is not known of parts that were added: whether reports of which no ids are kept count twice."""
    if parts < 2 or not counted.unknown:
        return ""
    return (
        f"{counted.unknown:,} reports are of tallies that keep nothing of their ids (of an earlier geopriv, or of one "
        "round): whether some of them count twice here is not known."
    )


def read_reports(design: Design, reports: list[str] | Sql, engine: Engine, tallies: list[Path], bar: Bar) -> Tally:
    """The tally of all reports, with a bar that fills where it is known how many rows there are."""
    from geopriv.errors import InvalidParameter
    from geopriv.reports.verbs import tally

    files = reports if isinstance(reports, list) else []
    total, read = _rows(files) if files else None, 0

    def tell(more: int) -> None:
        nonlocal read
        read += more
        bar.tell("Reading", read / total if total else None, read)

    try:
        return tally(design, reports, tell, engine=engine, tallies=tallies)
    except InvalidParameter:
        _require_no_people(design, files)
        raise


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


def outline_of(path: Path, questions: Sequence[Question], space: Space) -> shapely.Geometry:
    """The shapes of a GeoJSON file; tried on the map before anything is counted or written."""
    import shapely

    from geopriv.pages.forms import form_of
    from geopriv.pages.frames import on_map
    from geopriv.spaces.checks import invalid

    if not any(form_of(question).is_map for question in questions):
        raise invalid("estimate", "outline", "given with what asks for a map", path.name)
    try:
        found = shapely.from_geojson(path.read_text(encoding="utf-8"))
    except (shapely.errors.ShapelyError, UnicodeDecodeError):
        raise invalid("estimate", "outline", "a GeoJSON file", str(path)) from None
    if space.flat and space.point_shape:
        on_map(found, space)
    return found
