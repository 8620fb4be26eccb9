"""The two verbs between people and counts, by whichever engine: `privatize` and `tally`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from geopriv.errors import InvalidParameter
from geopriv.reports.drawing import Order, Privatized, Progress
from geopriv.reports.engines.arrow.engine import Arrow
from geopriv.reports.engines.base import Engine, are_paths
from geopriv.reports.engines.duckdb.engine import DuckDB
from geopriv.reports.engines.spark.engine import Spark
from geopriv.reports.files import MANIFEST, require_as_written
from geopriv.reports.register import Register
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import finite, invalid
from geopriv.surveys.design import Design

ENGINES: dict[str, Callable[[], Engine]] = {"arrow": Arrow, "duckdb": DuckDB, "spark": Spark}


def privatize(
    design: Design,
    people: Any,
    output: str | os.PathLike[str],
    *,
    engine: str | Engine | None = None,
    person: str | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    again: bool = False,
    register: str | os.PathLike[str] | None = None,
    allow_unreadable: float = 0.01,
    allow_odd: bool = False,
) -> Privatized:
    """One exact report for each person of a table, written in an order that tells nothing of the table's.

    Values are clamped to the design's public range; each person then answers one mechanism, drawn by the design's
    shares without a look at the value. Rows whose values are missing or are no finite numbers are counted and left out.
    A table that looks wrong as a whole (more such rows than are allowed; all values outside the range; latitudes and
    longitudes swapped) is refused before anything is written (`geopriv.reports.engines.stops`).
    Where a column names people, a person's first readable row counts (on Spark, where no row is first, see
    `geopriv.reports.engines.spark.frames.privatize`).

    Guarantee: each report has the law of its mechanism at the clamped value (theory T5, T8), and clamping is
    1-Lipschitz, so a person has the design's promise towards whoever sees the output. Rows are sorted by keys that are
    random, or a secret random function of the person's name, and are thrown away; ids are drawn afterwards. So their
    order and their ids are independent of the order and the names in the table (with names: to anyone who cannot tell
    keyed BLAKE2b from a random function). It is about one run: who is in k runs has spent k times ε, which is why the
    register refuses a second run of a survey that nobody has said aloud. And it is about the output: that a run was
    refused, and why, is about the table, and is for the operator alone.

    Memory does not grow with the table: beyond half a million rows, reports wait in a temporary folder beside the
    output, which is removed. A killed run leaves at most that folder, and the next run removes it.

    Args:
        design: what is promised; its source says which columns hold the values, and their public range.
        people: the path of a CSV, Parquet or Arrow file or of a folder of them, a query (`Sql`), a table in memory that
            offers an Arrow stream, or a frame of Spark.
        output: ".parquet", or ".ndjson" or ".jsonl" for lines of JSON; with Spark the name of a folder.
        engine: "arrow", "duckdb", "spark", or one with its own settings; by default the first of them that takes what
            `people` is.
        person: the column that names people; by default the source's. "" for a person a row.
        progress: is told how far the run has come.
        overwrite: replace an output that exists, if it is one of reports.
        again: whether another run of a survey that the register knows is meant: it gives second reports, also where
            the first file is replaced, since that may have been handed on.
        register: the file that tells what was privatised before; by default the operator's own (`Register.of`).
        allow_unreadable: the share of rows that may be left out because they cannot be read, from 0 to 1.
        allow_odd: whether values that look wrong as a whole are meant as they are.

    Raises:
        InvalidParameter: for people who cannot be read or look wrong as a whole, for an output that exists, for a
            second run, and for a design whose noise walks.
        OSError: where the output cannot be written. Nothing is left of it.
    """
    if isinstance(people, list):
        raise _unknown("privatize", "people", people)
    _require_design("privatize", design)
    if design.walks:
        raise InvalidParameter(
            "A design whose noise walks is answered by devices: each keeps where a person was, what was reported of it "
            "and what was spent, in one transaction. A table of people has none of that, and a fresh start in each "
            "round would break the promise."
        )
    if not 0 <= finite("privatize", "allow_unreadable", allow_unreadable) <= 1:
        raise invalid("privatize", "allow_unreadable", "a share of rows, from 0 to 1", allow_unreadable)
    order = Order(
        design=design,
        output=os.fspath(output),
        person=person,
        progress=progress or _silent,
        overwrite=overwrite,
        again=again,
        register=Register.of_run(people, register),
        allow_unreadable=float(allow_unreadable),
        allow_odd=allow_odd,
    )
    return _engine("privatize", "people", people, engine).privatize(people, order)


def tally(
    design: Design,
    reports: Any,
    progress: Callable[[int], None] | None = None,
    *,
    engine: str | Engine | None = None,
    tallies: Iterable[str | os.PathLike[str]] = (),
) -> Tally:
    """All reports, counted, and what tallies have counted.

    Ids are checked across all reports: one that came before is rejected as a "repeated id", whatever it says now, so
    the first counts. In what order files are read, and how reports are split among them, changes nothing else. Rows of
    DuckDB and Spark have no order: there the least of those with one id counts, by mechanism, then report.

    A file counts as a tally because it is named as one here, never because it says so: reports come from strangers, and
    a tally adds whatever number stands in it.

    Args:
        design: that the reports belong to.
        reports: paths of files (".parquet", else NDJSON) and of folders of them; or a query (`Sql`), a table in memory
            or a frame of Spark with the columns design, id, mechanism and report. Where a database has no lists, a
            report may be the text of one: "[3, -1]".
        progress: called with the number of reports in each batch that was read.
        engine: "arrow", "duckdb", "spark", or one with its own settings; by default the first of them that takes what
            `reports` is.
        tallies: files that `Tally.write` made, of one's own, each once.

    Raises:
        InvalidParameter: for what cannot be read, for a file that is not what its manifest says, for a tally that is
            given twice or with its own reports, is damaged or is of another design, for one among the reports, and for
            reports among the tallies.
    """
    _require_design("tally", design)
    given, total = _listed(reports), Tally(design)
    if are_paths(given):
        for path in map(Path, given):
            if path.exists() and any(kind(path.stat().st_mode) for kind in (stat.S_ISCHR, stat.S_ISBLK, stat.S_ISSOCK)):
                raise invalid("tally", "reports", "files, or folders of them, and no devices", str(path))
            require_as_written(path.with_suffix("") if path.suffix == MANIFEST else path)
        given = [path for path in given if Path(path).suffix != MANIFEST]  # as of a shell's reports/*
    if not isinstance(given, list) or given:
        total = _engine("tally", "reports", given, engine).tally(given, design, progress or (lambda _: None))
    added: list[Path] = []
    parts = [total]
    for path in map(Path, tallies):
        if any(path.samefile(other) for other in added):
            raise invalid("tally", "tallies", "such that each comes once, since it has no ids", str(path))
        part = Tally.read(path, design)
        if any(part.repeats(other) for other in (*parts, total)):
            raise InvalidParameter(
                f"The tally {str(path)!r} counts the very reports that are given already: with both everybody would "
                "count twice. Name the reports or their tally."
            )
        if part.shares(total):
            raise InvalidParameter(
                f"The tally {str(path)!r} counts some reports that are given already: with both these would count "
                "twice. Name the files of reports, each report once, in its place."
            )
        added.append(path)
        parts.append(part)
        total += part
    return total


def _require_design(verb: str, design: object) -> None:
    if not isinstance(design, Design):
        raise invalid(verb, "design", "a Design (of a file: Design.read)", type(design).__name__)


def _listed(reports: Any) -> Any:
    """Paths as a list of them; all else as it is."""
    if isinstance(reports, str | os.PathLike):
        return [reports]
    if isinstance(reports, Iterable) and not hasattr(reports, "__arrow_c_stream__"):
        return list(reports)
    return reports


def _engine(verb: str, parameter: str, data: Any, chosen: str | Engine | None) -> Engine:
    """The engine that was named, or the first that takes what is given."""
    if isinstance(chosen, str):
        if chosen not in ENGINES:
            raise invalid(verb, "engine", f"one of {', '.join(ENGINES)}", chosen)
        chosen = ENGINES[chosen]()
    able = {name: made for name, made in ((name, make()) for name, make in ENGINES.items()) if made.takes(data)}
    if not able:
        raise _unknown(verb, parameter, data)
    if chosen is not None and not chosen.takes(data):
        raise invalid(verb, "engine", f"{' or '.join(able)}, for what is given", type(chosen).__name__)
    return chosen or next(iter(able.values()))


def _unknown(verb: str, parameter: str, data: object) -> InvalidParameter:
    rule = "a path, a query (Sql), a table that offers an Arrow stream, or a frame of Spark"
    return invalid(verb, parameter, rule, type(data).__name__)


def _silent(stage: str, rows: int, share: float | None) -> None:
    pass
