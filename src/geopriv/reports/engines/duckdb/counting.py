"""Reports of a table that DuckDB can read, counted there: one GROUP BY, and only counts come back."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from geopriv.errors import InvalidParameter
from geopriv.reports.engines.duckdb.sql import (
    Sql,
    connected,
    literal,
    quoted,
    why,
)
from geopriv.reports.engines.reading import BROKEN, Reading
from geopriv.reports.files import COLUMNS, GROUPED, ID
from geopriv.reports.ids import LEAST, Sketch, Words, packed, words
from geopriv.reports.report_files import column_names, require_short_lines, require_sizes, require_whole
from geopriv.reports.strata import groups_of
from geopriv.reports.tallies import Tally, tally_of
from geopriv.surveys.design import Design

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_MIDDLE, _SPAN = 1 << 53, 1 << 54  # numbers of a report lie within ±2^53
_STRATA = 1 << 18  # that fit in 127 bits beside two numbers
_MOST = 1 << 20  # beyond mechanisms and groups
_TEXTS = ("VARCHAR", "JSON")
_NUMBER = r"\s*-?([0-9]+|[0-9]{1,18}\.0+)\s*"  # as lines of JSON are read: 138.0 is a whole number
_LIST = rf"\s*\[({_NUMBER}(,{_NUMBER})*|\s*)\]\s*"


def tally_rows(design: Design, sql: Sql) -> Tally:
    """The reports that a query gives, counted.

    Reports are judged as by `tally`, and ids are checked across all rows. Of several rows with one id the least counts
    (by mechanism, then report), since rows of a query have no order; the others are rejected as a "repeated id".

    Args:
        design: that the reports belong to.
        sql: a query with columns design, id, mechanism and report. Where a database has no lists, a report may be the
            text of one: "[3, -1]".

    Raises:
        InvalidParameter: where the query cannot be run, or its columns hold something else.
    """
    from duckdb import Error

    problem, settings = "", {"preserve_insertion_order": "false"}  # which would cost memory, and rows have no order
    with tempfile.TemporaryDirectory() as spill:
        try:
            with connected(sql, settings | {"temp_directory": spill}) as found:
                Reading(tuple(COLUMNS.names)).require("The query's result", found.columns)
                kinds = dict(zip(found.columns, map(str, found.types), strict=True))
                judged = _judged(kinds, design)
                table = _read_all(found, judged + _counted(design))
                kept = table.filter(pc.is_null(table["reason"]))
                n = pc.sum(kept["times"]).as_py() or 0
                sketch = Sketch(n, _least(found, judged, n))
        except (*BROKEN, Error) as error:
            if isinstance(error, InvalidParameter):
                raise
            problem = why(error)
    if problem:  # raised here and not while the error, which may quote rows, is being handled
        raise InvalidParameter(problem)
    rejected = Counter({row["reason"]: row["rows"] for row in table.to_pylist() if row["reason"] is not None})
    rejected["repeated id"] = (pc.sum(kept["rows"]).as_py() or 0) - n
    return tally_of(kept, design, +rejected, sketch)


def _read_all(found: DuckDBPyRelation, query: str) -> pa.Table:
    return pa.RecordBatchReader.from_stream(found.query("found", query)).read_all()


def _least(found: DuckDBPyRelation, judged: str, n: int) -> Words:
    """The first halves of the least of n ids: below a bound that few random ones are below, else of all."""
    last = (1 << 128) - 1
    ids: list[str] = []
    for bound in (min((2 * LEAST << 128) // max(n, 1), last), last):
        if len(ids) < min(n, LEAST):
            rule = f"WHERE reason IS NULL AND id <= '{bound:032x}' ORDER BY id LIMIT {LEAST}"
            ids = _read_all(found, f"{judged} SELECT DISTINCT id FROM judged {rule}")["id"].to_pylist()
    return np.unique(words(packed("".join(ids).encode())))


def reports_query(paths: Sequence[str | os.PathLike[str]]) -> Sql:
    """The query for files of reports: Parquet (".parquet"), else lines of JSON.

    Raises:
        InvalidParameter: for a file of lines whose last one was cut off, and for Parquet that would take much memory.
        FileNotFoundError: for a file that is not there.
    """
    files = [Path(path) for path in paths]
    for file in files:
        file.stat()
    tables = [file for file in files if file.suffix == ".parquet"]
    for file in tables:
        require_sizes(file)
    lines = [file for file in files if file.suffix != ".parquet"]
    told = any("group" in column_names(file) for file in tables)
    if not lines:
        names = ", ".join(f'"{name}"' for name in (GROUPED if told else COLUMNS).names)
        return Sql(f"SELECT {names} FROM {_tables(tables)}")
    for file in lines:
        require_whole(file)
        require_short_lines(file)
    keys = ", ".join(f"{names}" for names in (COLUMNS.names, GROUPED.names))
    whole = f"json_type(json) = 'OBJECT' AND list_sort(json_keys(json)) IN ({keys})"
    is_text = whole + " AND json_type(json, '$.{0}') = 'VARCHAR'"
    columns = [
        *(f"CASE WHEN {is_text.format(name)} THEN json ->> '$.{name}' END {name}" for name in ("design", "id")),
        *(f"CASE WHEN {whole} THEN (json -> '$.{name}')::VARCHAR END {name}" for name in ("mechanism", "report")),
        f"CASE WHEN {whole} THEN (json -> '$.group')::VARCHAR END \"group\"",
    ]
    query = f"SELECT {', '.join(columns)} FROM read_ndjson_objects({_names(lines)}, ignore_errors = true)"
    if tables:  # in which numbers become texts too
        group = '"group"::VARCHAR' if told else "NULL"
        query += f" UNION ALL SELECT design, id, mechanism::VARCHAR, report::VARCHAR, {group} FROM {_tables(tables)}"
    return Sql(query)


def _tables(files: list[Path]) -> str:
    # a folder "design=…" is a part of a path here, and no column in the place of the file's own
    return f"read_parquet({_names(files)}, union_by_name = true, hive_partitioning = false)"


def _names(files: list[Path]) -> str:
    return "[" + ", ".join(quoted(literal(str(file))) for file in files) + "]"


def _judged(kinds: dict[str, str], design: Design) -> str:
    """Rows judged: a report, or the reason why it is none."""
    fits = []
    for k, mechanism in enumerate(design.mechanisms):
        ranges = [f"r[{i}] >= {low} AND r[{i}] < {high}" for i, (low, high) in enumerate(mechanism.ends, 1)]
        ranges += [f"r[{less + 1}] <= r[{more + 1}]" for less, more in mechanism.ordered]
        fits.append(f"(m = {k} AND len(r) = {len(mechanism.ends)} AND {' AND '.join(ranges)})")
    told = "g IS NULL" if design.groups is None else f"g IS NOT NULL AND g BETWEEN 0 AND {len(design.groups) - 1}"
    group = _index("group", kinds["group"]) if "group" in kinds else "NULL::BIGINT"
    given = '"group" IS NOT NULL' if "group" in kinds else "false"
    return f"""
        WITH typed AS (
            SELECT design::VARCHAR AS design, id::VARCHAR AS id,
                {_index("mechanism", kinds["mechanism"])} AS m, {_list(kinds["report"])} AS r, {group} AS g,
                {given} AS told
            FROM found
        ), judged AS (
            SELECT id, m * {groups_of(design)} + coalesce(g, 0) AS s, r, CASE
                WHEN design IS NULL OR id IS NULL OR m IS NULL OR r IS NULL OR list_count(r) < len(r)
                    OR (told AND g IS NULL) OR NOT regexp_full_match(id, '{ID.pattern}') THEN 'malformed'
                WHEN design <> '{design.hash}' THEN 'wrong design'
                WHEN NOT ({told}) THEN 'wrong group'
                WHEN NOT ({" OR ".join(fits)}) THEN 'out of range'
            END AS reason
            FROM typed
        )"""


def _counted(design: Design) -> str:
    """Of each id the least row that is a report; then how often each report came."""
    key, stratum, report = _key(design)
    size = groups_of(design)
    return f""", persons AS (
            SELECT reason, min(CASE WHEN reason IS NULL THEN {key} END) AS kept, count(*) AS rows
            FROM judged GROUP BY reason, CASE WHEN reason IS NULL THEN id END
        ), counted AS (
            SELECT reason, kept, count(*) AS times, sum(rows)::BIGINT AS rows FROM persons GROUP BY reason, kept
        )
        SELECT reason, times, rows, ({stratum} // {size})::INTEGER AS mechanism, {report} AS report,
            ({stratum} % {size})::INTEGER AS "group"
        FROM counted
    """


def _key(design: Design) -> tuple[str, str, str]:
    """Stratum and report in one number, whose order is theirs, and how to get them back.

    Up to two numbers a report fit in 127 bits, and the least of them is kept on disk where there are many ids. Three do
    not, nor two with very many strata: then a structure is kept, in memory, some 90 bytes for each id.
    """
    size = groups_of(design)
    axes = [mechanism.limits[0] for mechanism in design.mechanisms]
    if max(axes) > 2 or len(axes) * size > _STRATA:
        return "{'s': s, 'r': r}", "kept.s", "kept.r::BIGINT[]"
    numbers = [f"(kept // {_SPAN}::HUGEINT % {_SPAN} - {_MIDDLE})::BIGINT", f"(kept % {_SPAN} - {_MIDDLE})::BIGINT"]
    index = f"kept // ({_SPAN}::HUGEINT * {_SPAN})"
    pairs = ", ".join(str(k) for k, d in enumerate(axes) if d == 2)
    which = index if size == 1 else f"{index} // {size}"
    single = f"[{numbers[0]}]"
    report = f"CASE WHEN {which} IN ({pairs}) THEN [{', '.join(numbers)}] ELSE {single} END" if pairs else single
    key = f"(s::HUGEINT * {_SPAN} + r[1] + {_MIDDLE}) * {_SPAN} + coalesce(r[2], 0) + {_MIDDLE}"
    return key, index, report


def _index(name: str, kind: str) -> str:
    """A mechanism or a group as a whole number; -1 where it is too large for one."""
    column = f'"{name}"'
    if kind in _INTEGERS:
        return _read(column, f"{column} IS NOT NULL", "BIGINT", "-1", _MOST)
    if kind in _TEXTS:
        return _read(column, rf"regexp_full_match({column}, '{_NUMBER}')", "BIGINT", "-1", _MOST)
    raise InvalidParameter(f"The query's column '{name}' must hold whole numbers; it holds {_named(kind)}.")


def _named(kind: str) -> str:
    """A type without its parts, whose names may be values."""
    return kind.split("(", maxsplit=1)[0]


def _list(kind: str) -> str:
    """The report as a list of whole numbers, which may be too large for a report; an empty one where it cannot be."""
    if kind in (f"{name}[]" for name in _INTEGERS):
        return _read("report", "report IS NOT NULL", "BIGINT[]", "[]")
    if kind in _TEXTS:
        return _read("report", f"regexp_full_match(report, '{_LIST}')", "HUGEINT[]", "[]")
    raise InvalidParameter(f"The query's column 'report' must hold lists of whole numbers; it holds {_named(kind)}.")


def _read(column: str, rule: str, kind: str, otherwise: str, most: int | None = None) -> str:
    value = f"coalesce(TRY_CAST({column} AS {kind}), {otherwise})"
    if most is not None:  # so that strata do not overflow; what is cut off is no index either way
        value = f"least(greatest({value}, -1), {most})"
    return f"CASE WHEN {rule} THEN {value} END"
