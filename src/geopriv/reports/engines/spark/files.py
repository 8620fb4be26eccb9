"""Files in, files out, by Spark: what the command line does with `--engine spark`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geopriv.errors import InvalidParameter
from geopriv.reports.engines.local import Privatized, columns_of, require_readable
from geopriv.reports.engines.reading import Reading
from geopriv.reports.engines.spark import frames as spark
from geopriv.reports.engines.spark.queries import rows_of
from geopriv.reports.engines.spark.told import EXISTS, told
from geopriv.reports.engines.spark.work import SENT, read_lines, wanted
from geopriv.reports.files import COLUMNS
from geopriv.reports.register import Register
from geopriv.reports.report_files import require_sizes, require_whole
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from geopriv.reports.tallies import Tally

_LINES = (".ndjson", ".jsonl", ".json")
_TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PATTERN = re.compile(r"[\[\]{}*?\\]")


def privatize_files(
    session: SparkSession,
    design: Design,
    data: str | None,
    output: str,
    *,
    query: str | None = None,
    person: str | None = None,
    overwrite: bool = False,
    again: bool = False,
) -> Privatized:
    """Reports of the people in files, or in the rows of a query, written to a folder of Parquet files.

    The key is drawn for this run and is gone with it.

    Raises:
        InvalidParameter: for what cannot be read, for an output that exists, and for a second run of a survey that is
            not said to be meant (`again`).
    """
    register = Register.of()
    if output.endswith(_LINES):
        raise invalid("privatize", "output", "a folder of Parquet files, which is what Spark writes here", output)
    with told():
        people = rows_of(session, query) if data is None and query is not None else _read(session, str(data))
        if query is not None or str(data).lower().endswith(_TEXTS):
            Reading(wanted(columns_of(design, person))).require_header("The table", people.columns)
        _require_free(session, output, overwrite)
        earlier = register.require_new(design, again)
        reports = spark.drawn(people, design, person=person)
        rows, unread = spark.count_rows(people, design, person=person)
        require_readable(rows, unread)
        number = register.begin(design, again)
        try:
            writer = reports.write.mode("overwrite" if overwrite else "error")
            writer.option("parquet.enable.dictionary#id", "false").parquet(output)  # ids are random: none comes twice
        except BaseException:
            if _is_without_parts(session, output):
                register.withdraw(number)
            raise
        written = _written(session, output).count()
        register.complete(number, written)
    return Privatized(output, rows, written, rows - unread.total() - written, dict(unread), earlier)


def _is_without_parts(session: SparkSession, output: str) -> bool:
    """Whether no file of reports is left of a run that failed; False where that cannot be told."""
    try:
        path, files = _at(session, output)
        if not files.exists(path):
            return True
        inside = files.listFiles(path, True)
        while inside.hasNext():
            if inside.next().getPath().getName().startswith("part-"):
                return False
    except Exception:  # of Java, or of the way to it
        return False
    return True


def tally_files(session: SparkSession, design: Design, paths: Sequence[str], query: str | None = None) -> Tally:
    """The reports in files and folders, or in the rows of a query, counted.

    Raises:
        InvalidParameter: for what cannot be read.
    """
    with told():
        return spark.tally(rows_of(session, query) if query is not None else _reports(session, paths), design)


def _require_free(session: SparkSession, output: str, overwrite: bool) -> None:
    """Refuse an output that exists, or to overwrite one that holds anything but reports, such as the people's own rows.

    Spark overwrites by removing the whole folder first.
    """
    path, files = _at(session, output)
    if not files.exists(path):
        return
    if not overwrite:
        raise InvalidParameter(f"Spark cannot do it: {EXISTS}.")
    inside = [status.getPath().getName() for status in files.listStatus(path)]
    known = all(name.startswith(("part-", "_SUCCESS", "_temporary", ".")) for name in inside)
    written = known and any(name.startswith("part-") for name in inside)
    if not known or not files.isDirectory(path) or (written and _written(session, output).columns != COLUMNS.names):
        rule = "a folder of nothing but reports, if it is to be overwritten, for all in it is removed"
        raise invalid("privatize", "output", rule, output)


def _at(session: SparkSession, output: str) -> tuple[Any, Any]:
    """A path and its file system, as Java has them."""
    java: Any = session.sparkContext._jvm
    path = java.org.apache.hadoop.fs.Path(output)
    return path, path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())


def _written(session: SparkSession, output: str) -> DataFrame:
    return session.read.parquet(_PATTERN.sub(r"\\\g<0>", output))


def _read(session: SparkSession, path: str) -> DataFrame:
    """People's rows: CSV as texts, lines of JSON, else Parquet."""
    place, name = _place(path), path.lower()
    if name.endswith(_TEXTS):
        separator = "\t" if name.endswith((".tsv", ".tsv.gz")) else ","
        return session.read.csv(place, header=True, sep=separator, escape='"')
    return session.read.json(place) if name.endswith(_LINES) else session.read.parquet(place)


def _reports(session: SparkSession, paths: Sequence[str]) -> DataFrame:
    for path in paths:
        place = Path(path)
        if path.endswith(_LINES) and place.is_file():
            require_whole(place)
        elif place.exists():
            for file in place.rglob("*.parquet") if place.is_dir() else [place]:
                require_sizes(file)
    lines, others = ([_place(p) for p in paths if p.endswith(_LINES) == is_json] for is_json in (True, False))
    parts = []
    if lines:
        texts = session.read.text(lines, lineSep="\n").selectExpr("cast(value as binary) value")
        parts = [spark.mapped(texts, read_lines, SENT)]
    parts += [session.read.parquet(*others).select(*COLUMNS.names)] if others else []
    return parts[0] if len(parts) == 1 else parts[0].unionByName(parts[1])


def _place(path: str) -> str:
    """The path of a file that is there, and else a pattern: to Spark brackets and stars stand for other characters."""
    return _PATTERN.sub(r"\\\g<0>", path) if os.path.exists(path) else path
