"""Which questions were asked of reports after they were collected, in a small file beside them.

Every interval has its chance of an error, and who asks often enough sees one that errs. So each question is written
down before its answer is shown, once, whatever it is called, and answers say how many there were. The file is JSON that
people can read; it holds questions, which are public, and nothing of the reports. It is replaced whole, and whoever
writes to it waits for who does so now: a lock of SQLite in an empty file beside it, which ends with its process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from geopriv.answers.asked import Asked
from geopriv.device.files import canonical, digest, replacing
from geopriv.errors import InvalidParameter
from geopriv.queries.questions import Question
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design
from geopriv.surveys.later import identity

_VERSION = 1
_SECONDS = 30  # that another process may take to write
_KEYS = {"day", "digest", "kind", "name", "times"}


def log_beside(path: str | os.PathLike[str], design: Design) -> Path:
    """Where questions about reports, or about a tally of them, are kept: in the same folder, one file a design.

    >>> from geopriv import Line, Table, Threshold
    >>> design = Design("income", (Table.calibrate(Threshold(1e5, 16_000, Line("USD")), "1 per 8,000 USD"),))
    >>> log_beside("wave/reports.parquet", design).name == f"asked-{design.hash[:16]}.json"
    True
    """
    return Path(path).parent / f"asked-{design.hash[:16]}.json"


def note(
    design: Design,
    questions: Sequence[Question],
    confidence: float,
    simultaneous: bool,
    of: int | None,
    log: str | os.PathLike[str] | None,
) -> Asked:
    """Write down that questions are asked, and say how many there were.

    Args:
        design: of the reports.
        questions: that are asked now, as they were given, so that a reach counts that was chosen by who asks; they were
            settled: nothing that may fail comes after.
        confidence: of the answers.
        simultaneous: whether they are to hold at once.
        of: how many, in all; None for those that were asked so far.
        log: the file; None to count only these.

    Raises:
        InvalidParameter: for fewer in all than were asked, and for a log that cannot be read or written.
    """
    if of is not None and not simultaneous:
        raise invalid("estimate", "of", "given with simultaneous intervals", of)
    rows = [_row(question) for question in questions]

    def made(before: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], Asked]:
        known = {row["digest"] for row in before}
        all_ = [*before, *{row["digest"]: row for row in rows if row["digest"] not in known}.values()]
        so_far = sum(row["times"] for row in all_)
        return all_, Asked(so_far, (so_far if of is None else of) if simultaneous else None, confidence)

    if log is None:
        return made([])[1]
    path = Path(log)
    with _turn(path):
        found, asked = made(_read(path, design))
        _write(path, design, found)
    return asked


def _row(question: Question) -> dict[str, Any]:
    """A question as the log keeps it; several quantiles are several answers, a curve or map has one band."""
    return {
        "day": datetime.now(UTC).date().isoformat(),
        "digest": digest(identity(question)),
        "kind": question.form,
        "name": question.name,
        "times": len(getattr(question, "levels", (0,))),
    }


def _read(path: Path, design: Design) -> list[dict[str, Any]]:
    """The rows of a log; none where there is no file yet."""
    if not path.exists():
        return []
    try:
        found = json.loads(path.read_bytes())
        rows = found["questions"]
        whole = found["type"] == "Asked" and found["version"] == _VERSION and isinstance(found["design"], str)
        whole = whole and all(set(row) == _KEYS and isinstance(row["digest"], str) for row in rows)
        whole = whole and all(type(row["times"]) is int and row["times"] > 0 for row in rows)
    except (ValueError, TypeError, KeyError, RecursionError):
        whole = False
    if not whole:
        raise InvalidParameter(
            f"The log of questions {str(path)!r} is damaged, so nobody knows how many were asked of these reports. "
            "Restore it, or name another file (--log, log=) and say that earlier questions are not counted."
        )
    if found["design"] != design.hash:
        raise InvalidParameter(
            f"The log of questions {str(path)!r} is of the design {found['design'][:12]}…, and these reports are of "
            f"{design.hash[:12]}…: name another file (--log, log=)."
        )
    return list(rows)


def _write(path: Path, design: Design, rows: Sequence[dict[str, Any]]) -> None:
    document = {"type": "Asked", "version": _VERSION, "design": design.hash, "questions": list(rows)}
    with replacing(path) as fresh:
        fresh.write_bytes(canonical(document) + b"\n")


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Wait until nobody else writes the log.

    Raises:
        InvalidParameter: where it cannot be written.
    """
    import sqlite3

    try:
        lock = path.with_name(f".{path.name}.lock")
        with closing(sqlite3.connect(lock, timeout=_SECONDS, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield
            connection.execute("COMMIT")
    except (sqlite3.Error, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InvalidParameter(
            f"The log of questions {str(path)!r} cannot be written: {why}. Questions that nobody counts would make "
            "every answer look surer than it is: name a file that can be (--log, log=)."
        ) from None
