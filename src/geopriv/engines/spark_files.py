"""Files in, files out, by Spark: what the command line does with `--engine spark`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from geopriv.checks import invalid
from geopriv.design import Design
from geopriv.engines import spark
from geopriv.errors import GeoprivError, InvalidParameter
from geopriv.privatization import Privatized
from geopriv.reports import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from geopriv.tallies import Tally

_LINES = (".ndjson", ".jsonl", ".json")
_REPORT = "design string, id string, mechanism bigint, report array<bigint>"


def privatize_files(
    session: SparkSession,
    design: Design,
    data: str | None,
    output: str,
    *,
    query: str | None = None,
    person: str | None = None,
    overwrite: bool = False,
) -> Privatized:
    """Reports of the people in files, or in the rows of a query, written to a folder of Parquet files.

    The key is drawn for this run and is gone with it.

    Raises:
        InvalidParameter: for what cannot be read, and for an output that exists.
    """
    if output.endswith(_LINES):
        raise invalid("privatize", "output", "a folder of Parquet files, which is what Spark writes here", output)
    with _told():
        people = session.sql(query) if data is None and query is not None else _read(session, str(data))
        rows, unread = spark.count_rows(people, design, person=person)
        reports = spark.privatize(people, design, person=person).write.mode("overwrite" if overwrite else "error")
        reports.option("parquet.enable.dictionary#id", "false").parquet(output)  # ids are random: none comes twice
        written = _reports(session, [output]).count()
    return Privatized(Path(output), rows, written, rows - unread.total() - written, dict(unread))


def tally_files(session: SparkSession, design: Design, paths: Sequence[str], query: str | None = None) -> Tally:
    """The reports in files and folders, or in the rows of a query, counted.

    Raises:
        InvalidParameter: for what cannot be read.
    """
    with _told():
        return spark.tally(session.sql(query) if query is not None else _reports(session, paths), design)


def _read(session: SparkSession, path: str) -> DataFrame:
    """People's rows: CSV as texts, lines of JSON, else Parquet."""
    if path.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz")):
        return session.read.csv(path, header=True, sep="\t" if ".tsv" in path else ",")
    return session.read.json(path) if path.endswith(_LINES) else session.read.parquet(path)


def _reports(session: SparkSession, paths: Sequence[str]) -> DataFrame:
    lines, others = ([p for p in paths if p.endswith(_LINES) == is_json] for is_json in (True, False))
    parts = [session.read.schema(_REPORT).json(lines)] if lines else []
    parts += [session.read.parquet(*others).select(*COLUMNS.names)] if others else []
    return parts[0] if len(parts) == 1 else parts[0].unionByName(parts[1])


@contextmanager
def _told() -> Iterator[None]:
    """What Spark says in one sentence: of its own words only those about names, since others may quote rows."""
    from pyspark.errors import AnalysisException, PySparkException

    problem = ""
    try:
        yield
    except GeoprivError:
        raise
    except AnalysisException as error:
        problem = str(error).splitlines()[0]
        if error.getCondition() == "PATH_ALREADY_EXISTS":
            problem = (
                "the output exists already. Another run gives every person a second report, and whoever sees both "
                "learns twice as much. Choose another name for other people only, or overwrite it"
            )
    except PySparkException as error:
        problem = f"it stopped with a {type(error).__name__}; its own log says where"
    except Exception as error:
        # errors of Java, which quote what they like
        if not type(error).__module__.startswith("py4j"):
            raise
        problem = "it stopped with an error of Java; its own log says where"
    if problem:
        raise InvalidParameter(f"Spark cannot do it: {problem}.") from None
