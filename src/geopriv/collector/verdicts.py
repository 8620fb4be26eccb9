"""What becomes of a report that was sent, by name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

from geopriv.reports.reader import why_rejected
from geopriv.reports.report_files import parse_line
from geopriv.surveys.design import Design


class Verdict(Enum):
    """What became of a report: its name is what is said and counted, its status that of the answer."""

    COUNTED = "counted", 201
    AGAIN = "counted before", 200  # a report under this token; of anybody, this report
    MALFORMED = "malformed", 400
    TOO_LARGE = "too large", 413
    WRONG_DESIGN = "wrong design", 409
    WRONG_GROUP = "wrong group", 422
    OUT_OF_RANGE = "out of range", 422
    REPEATED_ID = "repeated id", 409
    NO_TOKEN = "no token", 401
    UNKNOWN_TOKEN = "unknown token", 403
    OTHER_SITE = "other site", 403
    TOO_FAST = "too fast", 429
    TOO_SLOW = "too slow", 408

    def __init__(self, words: str, status: int) -> None:
        self.words, self.status = words, status

    @property
    def settled(self) -> Verdict:
        """What became of it, which nothing changes any more."""
        return self

    @property
    def waiting(self) -> tuple[Sent, ...]:
        """Nothing that could be written."""
        return ()

    @property
    def kept(self) -> bool:
        """Whether the report is among those that are counted."""
        return self in (Verdict.COUNTED, Verdict.AGAIN)


BY_REASON = {verdict.words: verdict for verdict in Verdict}


@dataclass(frozen=True)
class Sent:
    """A report that could have come from the design, and the hash of the token that came with it.

    Args:
        id: of the report, 16 bytes.
        mechanism: that was answered.
        group: that was told; None where none is asked for.
        report: its whole numbers, as text.
        token: None where reports need none.
    """

    id: bytes
    mechanism: int
    group: int | None
    report: str
    token: bytes | None

    @property
    def settled(self) -> Verdict | None:
        """Not before the store has seen it."""
        return None

    @property
    def waiting(self) -> tuple[Sent, ...]:
        """Itself, to be written."""
        return (self,)

    @property
    def row(self) -> tuple[int, int | None, str]:
        """What it says."""
        return self.mechanism, self.group, self.report


def read(design: Design, line: bytes, token: bytes | None) -> Sent | Verdict:
    """A report to a design, or why it is none.

    Args:
        design: that it must belong to.
        line: as it was sent: a line of NDJSON, with its end or without.
        token: the hash of the token that came with it, if any.
    """
    row = parse_line(line)
    reason = row if isinstance(row, str) else why_rejected(design, row)
    return _sent(row, token) if reason is None else BY_REASON[reason]


def _sent(row: Any, token: bytes | None) -> Sent:
    return Sent(bytes.fromhex(row["id"]), row["mechanism"], row.get("group"), json.dumps(row["report"]), token)
