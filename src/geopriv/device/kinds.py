"""What a file is by its look, so that a survey where a design belongs is called a survey. Standard library only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from geopriv.errors import InvalidParameter

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOOKED_AT = 1 << 14  # bytes at either end of a file
# what each is called, and the command that makes or takes it
KINDS = {
    "survey": ("a survey", "geopriv plan makes a design of it"),
    "design": ("a design", "geopriv plan wrote it"),
    "estimates": ("estimates", "geopriv estimate wrote them"),
    "reports": ("reports", "geopriv estimate counts them, with their design"),
    "page": ("a page", "geopriv estimate wrote it, beside the estimates.json"),
    "places": ("GeoJSON", "a survey names such a file under 'file'"),
    "parquet": ("a Parquet file", "geopriv privatize takes people from one, geopriv estimate reports"),
}
_FILES = {
    "survey": "a survey, a text as survey.toml",
    "design": "a design, as design.json",
    "estimates": "estimates, as estimates.json",
    "reports": "reports, as reports.parquet or .ndjson",
    "people": "a table of people, as people.csv or .parquet",
}


def kind_of(first: bytes, last: bytes) -> str | None:
    """What a file is by its first and last bytes; None where nothing tells.

    >>> kind_of(b'name = "Incomes"', b'[[query]]'), kind_of(b'{', b',"type":"Design","version":1}'), kind_of(b'x', b'')
    ('survey', 'design', None)
    """
    import re  # which json imports too

    head = first.lstrip(b"\xef\xbb\xbf \t\r\n")
    for mark, kind in ((b"PAR1", "parquet"), (b"<!doctype html", "page"), (b"<!DOCTYPE html", "page")):
        if head.startswith(mark):
            return kind
    if head.startswith(b"{"):
        for name, kind in ((b"Design", "design"), (b"Answers", "estimates")):
            if b'"type":"' + name + b'","version":' in last:
                return kind
        line = head.partition(b"\n")[0]
        if all(name in line for name in (b'"design"', b'"id"', b'"mechanism"', b'"report"')):
            return "reports"
        return "places" if re.search(rb'"type"\s*:\s*"(Feature|Polygon|MultiPolygon)', head) else None
    table = rb"^\s*(\[\[?\s*(query|space|groups|prior)\s*\]|(epsilon|per|people|space|query)\s*=)"
    return "survey" if re.search(table, first + b"\n" + last, re.MULTILINE) else None


def kind_of_file(path: str | os.PathLike[str]) -> str | None:
    """The same of a file; None for one that is not there."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        first = file.read(_LOOKED_AT)
        file.seek(max(0, os.path.getsize(path) - _LOOKED_AT))
        return kind_of(first, file.read())


def require_kind(path: str | os.PathLike[str], wanted: str, also: Iterable[str] = ()) -> None:
    """Refuse a folder where a file belongs, and a file that is known for something else than what is wanted.

    Args:
        path: of the file.
        wanted: a key of what is said to be expected: "survey", "design", "estimates", "reports" or "people".
        also: other kinds that may hold it.

    Raises:
        InvalidParameter: saying what it is, what is expected and which command goes with it.
    """
    if os.path.isdir(path):
        raise InvalidParameter(f"{os.fspath(path)!a} is a folder; expected is {_FILES[wanted]}.")
    known = kind_of_file(path)
    if known is not None and known not in (wanted, *also):
        what, advice = KINDS[known]
        name = os.fspath(path)
        raise InvalidParameter(f"{name!a} holds {what} ({advice}); expected is {_FILES[wanted]}.")
