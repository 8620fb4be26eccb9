"""Batches: reports that came on one day, in UTC. What was published is closed, and no report enters it any more.

In PostgreSQL who writes reports and who closes batches take turns by locks on the table of batches, before any other:
many may write at once, and who closes waits for them and keeps new ones waiting. In SQLite only one writes at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from geopriv.collector.tables import BATCHES, REPORTS


@dataclass(frozen=True)
class Batch:
    """Reports that came on one day.

    Args:
        number: from 1 on.
        day: on which its reports came, in UTC.
        closed: whether it was published.
        reports: how many it has.
    """

    number: int
    day: date
    closed: bool
    reports: int


def await_turn(connection: sa.Connection, closing: bool = False) -> None:
    """Wait for who closes batches; to close some, for who writes reports too. It comes before every other lock."""
    if connection.dialect.name == "postgresql":
        mode = "SHARE ROW EXCLUSIVE" if closing else "ROW EXCLUSIVE"
        connection.execute(sa.text(f"LOCK TABLE batches IN {mode} MODE"))


def open_batch(connection: sa.Connection) -> int:
    """The number of the batch that takes today's reports; a new one where there is none, or it is closed."""
    day = today()
    chosen = sa.select(sa.func.max(BATCHES.c.number)).where(BATCHES.c.day == day, ~BATCHES.c.closed)
    insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert
    while (found := connection.execute(chosen).scalar_one()) is None:
        last = connection.execute(sa.select(sa.func.max(BATCHES.c.number))).scalar_one() or 0
        # another process may make it at the same moment: then this waits for it, and takes what that made
        row = {"number": last + 1, "day": day, "closed": False}
        connection.execute(insert(BATCHES).values(row).on_conflict_do_nothing())
    return int(found)


def close_batches(connection: sa.Connection, numbers: Sequence[int]) -> None:
    """Let no report enter these any more."""
    await_turn(connection, closing=True)
    connection.execute(sa.update(BATCHES).where(BATCHES.c.number.in_(numbers)).values(closed=True))


def list_batches(connection: sa.Connection) -> list[Batch]:
    """All batches that have reports, in the order of their numbers."""
    times = sa.func.count().label("times")
    chosen = sa.select(*BATCHES.c, times).join(REPORTS, REPORTS.c.batch == BATCHES.c.number)
    rows = connection.execute(chosen.group_by(*BATCHES.c).order_by(BATCHES.c.number))
    return [Batch(row.number, row.day, row.closed, row.times) for row in rows]


def today() -> date:
    """The day in UTC: the only time that the database has."""
    return datetime.now(UTC).date()
