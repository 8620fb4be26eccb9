"""Files in, files out, by Spark."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geopriv.errors import InvalidParameter
from geopriv.reports.drawing import Order, Privatized
from geopriv.reports.engines.base import KINDS
from geopriv.reports.engines.spark import frames
from geopriv.reports.engines.spark.told import EXISTS
from geopriv.reports.engines.spark.work import SENT, read_lines
from geopriv.reports.engines.stops import require_plausible
from geopriv.reports.files import COLUMNS, GROUPED, MANIFEST
from geopriv.reports.register import spent
from geopriv.reports.report_files import column_names, require_sizes, require_whole
from geopriv.reports.tallies import require_reports
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LINES = (".ndjson", ".jsonl", ".json")
TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
_PATTERN = re.compile(r"[\[\]{}*?\\]")


def write_reports(session: SparkSession, people: DataFrame, order: Order) -> Privatized:
    """Reports of a frame of people, written to a folder of Parquet files. The key is drawn for this run."""
    design, output, register = order.design, order.output, order.register
    _require_free(session, output, order.overwrite)
    earlier = register.require_new(design, order.again)
    draw = frames.prepared(people, design, person=order.person)
    rows, unread, suspicions = frames.inspected(people, design, order.person)
    require_plausible(rows, unread, suspicions, order)
    reports = draw()
    number = register.begin(design, order.again)
    try:
        writer = reports.write.mode("overwrite" if order.overwrite else "error")
        writer.option("parquet.enable.dictionary#id", "false").parquet(output)  # ids are random: none comes twice
    except BaseException:
        if _is_without_parts(session, output):
            register.withdraw(number)
        raise
    written = _written(session, output).count()
    register.complete(number, written)
    repeated = rows - unread.total() - written
    return Privatized(output, rows, written, repeated, dict(unread), len(earlier), spent(earlier, design))


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
    sent = (COLUMNS.names, GROUPED.names)
    if not known or not files.isDirectory(path) or (written and _written(session, output).columns not in sent):
        rule = "a folder of nothing but reports, if it is to be overwritten, for all in it is removed"
        raise invalid("privatize", "output", rule, output)


def _at(session: SparkSession, output: str) -> tuple[Any, Any]:
    """A path and its file system, as Java has them."""
    java: Any = session.sparkContext._jvm
    path = java.org.apache.hadoop.fs.Path(output)
    return path, path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())


def _written(session: SparkSession, output: str) -> DataFrame:
    return session.read.parquet(_PATTERN.sub(r"\\\g<0>", output))


def people_in(session: SparkSession, path: str) -> DataFrame:
    """People's rows: CSV as texts, lines of JSON, else Parquet."""
    place, name = _place(path), path.lower()
    if name.endswith(TEXTS):
        separator = "\t" if name.endswith((".tsv", ".tsv.gz")) else ","
        return session.read.csv(place, header=True, sep=separator, escape='"')
    return session.read.json(place) if name.endswith(LINES) else session.read.parquet(place)


def reports_in(session: SparkSession, paths: Sequence[str]) -> DataFrame:
    """The reports of files and folders.

    Raises:
        InvalidParameter: for a file of counts, for lines that were cut off, and for Parquet that takes much memory.
    """
    for given in map(Path, paths):
        for file in given.rglob("*.parquet") if given.is_dir() else [given] if given.is_file() else []:
            require_reports(file)
    paths = [part for path in paths for part in _parts(path)]
    for path in paths:
        place = Path(path)
        if path.endswith(LINES) and place.is_file():
            require_whole(place)
        elif place.exists():
            for file in place.rglob("*.parquet") if place.is_dir() else [place]:
                require_sizes(file)
    lines, others = ([p for p in paths if p.endswith(LINES) == is_json] for is_json in (True, False))
    parts = []
    if lines:
        lines = [_place(path) for path in lines]
        texts = session.read.text(lines, lineSep="\n").selectExpr("cast(value as binary) value")
        parts = [frames.mapped(texts, read_lines, SENT)]
    for tells in (True, False):  # Spark reads all files by the columns of one of them
        if alike := [_place(path) for path in others if _tells(path) == tells]:
            found = session.read.parquet(*alike)
            parts.append(found.select(*(GROUPED.names if "group" in found.columns else COLUMNS.names)))
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)


def _parts(path: str) -> list[str]:
    """A path as it is, or the files of a folder where not all are Parquet."""
    if not Path(path).is_dir():
        return [path]
    inside = [part for part in Path(path).iterdir() if part.suffix in KINDS]
    alike = all(part.suffix == ".parquet" for part in inside) and len({_tells(str(part)) for part in inside}) < 2
    alike &= not any(Path(path).glob(f"*{MANIFEST}"))  # which Spark would read as reports
    return [path] if alike else [str(part) for part in sorted(inside)]


def _tells(path: str) -> bool:
    """Whether reports in a file, or in the first one of a folder, carry groups; False where it is not on this disk."""
    place = Path(path)
    files = sorted(place.rglob("*.parquet")) if place.is_dir() else [place]
    return bool(files) and files[0].is_file() and "group" in column_names(files[0])


def _place(path: str) -> str:
    """The path of a file that is there, and else a pattern: to Spark brackets and stars stand for other characters."""
    return _PATTERN.sub(r"\\\g<0>", path) if os.path.exists(path) else path
