"""`geopriv ask`: new questions to reports that exist."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geopriv.commands.engine import DatabaseOption, EngineOption, ExtensionsOption, MasterOption, choose
from geopriv.commands.estimate import (
    AllowRejected,
    outline_of,
    read_reports,
    reports_at,
    require_outputs,
    require_reports,
    tell,
    words_of_unknown,
)
from geopriv.commands.inputs import read_design
from geopriv.commands.outputs import require_one_output
from geopriv.commands.privatize import share_of
from geopriv.commands.streams import PIPED, going_to
from geopriv.commands.talk import QuietOption, Talk, examples

if TYPE_CHECKING:
    from geopriv.surveys.design import Design

EXAMPLES = examples(
    "geopriv ask design.json reports.parquet questions.toml",
    "geopriv ask design.json questions.toml --tally week.parquet",
    "geopriv ask design.json reports/ questions.toml --simultaneous --of 20",
)


def ask(
    design: Annotated[Path, typer.Argument(help="The design.json that the reports were made with.")],
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="[REPORTS]... QUESTIONS",
            help="Files of reports (Parquet or NDJSON) and folders of them, then a file of tables \\[\\[query]], as a "
            "survey.toml has them.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the answers go.")] = Path("asked.json"),
    tally: Annotated[
        list[Path] | None, typer.Option(help="Counts that `geopriv estimate --tally` wrote: answers are then instant.")
    ] = None,
    query: Annotated[str | None, typer.Option(help="SQL whose rows are reports, instead of files.")] = None,
    database: DatabaseOption = None,
    allow_extensions: ExtensionsOption = False,
    engine: EngineOption = None,
    master: MasterOption = None,
    page: Annotated[Path, typer.Option(help="Where the page goes.")] = Path("asked.html"),
    no_page: Annotated[bool, typer.Option("--no-page", help="Write no page.")] = False,
    confidence: Annotated[float, typer.Option(help="Of each interval, or of all with --simultaneous.")] = 0.95,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Make intervals long enough for all questions to hold at once.")
    ] = False,
    of: Annotated[
        int | None,
        typer.Option(
            help="With --simultaneous: how many questions are to hold at once, all that could come to be asked; "
            "without it those that were asked so far."
        ),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="Where asked questions are kept; by default beside the reports or the tally.")
    ] = None,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="Add monotone and non-negative values: nicer, and biased.")
    ] = False,
    unweighted: Annotated[
        bool, typer.Option("--unweighted", help="Count every report alike, whatever the known sizes of groups are.")
    ] = False,
    outline: Annotated[Path | None, typer.Option(help="GeoJSON of a coast or border, drawn on maps.")] = None,
    allow_rejected: AllowRejected = "1%",
    as_json: Annotated[bool, typer.Option("--json", help="Print the answers as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Ask reports that exist what nobody thought of before: a Lattice's answer every smooth question."""
    from geopriv.answers.estimate import estimate as answer
    from geopriv.reports.engines.duckdb.sql import Sql
    from geopriv.spaces.checks import fraction
    from geopriv.surveys.later import read_questions, require_answers

    piped = str(output) == PIPED
    require_one_output("ask", as_json, piped)
    fraction("ask", "confidence", confidence)
    *reports, questions = given
    _require_questions(questions)
    outputs = {"estimates": None if piped else output, "tally": None, "page": None if no_page else page}
    require_outputs(outputs)
    talk = Talk(quiet, as_json or piped)
    allowed = share_of("ask", "allow_rejected", allow_rejected)
    plan = read_design(design)
    asked = read_questions(questions, plan)
    require_answers(plan, asked)  # before any report is read
    coast = None if outline is None else outline_of(outline, asked, plan.space)
    there = bool(reports) or (query is None and bool(tally))
    chosen = choose("ask", engine, there, query, database, master, extensions=allow_extensions)
    kept = log or _beside(plan, reports, tally or [], design)
    with ExitStack() as opened, talk.bar() as bar:
        files = [str(opened.enter_context(reports_at(name))) for name in reports]
        sent = files if query is None else Sql(query, database, allow_extensions)
        counted = require_reports(plan, files, read_reports(plan, sent, chosen, tally or [], bar), allowed)
        unknown = words_of_unknown(counted, bool(files) + (query is not None) + len(tally or []))
        bar.tell("Answering")
        wanted = {"consistent": consistent, "simultaneous": simultaneous, "weighted": not unweighted}
        answers = answer(plan, counted, asked, confidence, of=of, log=kept, **wanted)
        with going_to(output, "asked.json") as place:
            answers.write(place)
        if not no_page:
            bar.tell("Drawing")
            answers.write_page(page, outline=coast)
    tell(answers, outputs, talk, as_json=as_json, more=f"Questions are kept in {kept}. {unknown}".strip())


def _require_questions(name: str) -> None:
    """Refuse reports where the questions belong."""
    from geopriv.errors import InvalidParameter

    if Path(name).suffix != ".toml":
        raise InvalidParameter(f"The questions, a file of .toml, come last, behind the reports; {name!r} is none.")


def _beside(design: Design, reports: list[str], tallies: list[Path], made_with: Path) -> Path:
    """Where questions are kept: in the folder of the first reports or tally, or of the design where rows are SQL's."""
    from geopriv.answers.log import log_beside

    first, *_ = [*map(Path, reports), *tallies, made_with]
    return log_beside(first, design)
