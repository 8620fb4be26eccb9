"""What each person has spent, in a file that survives crashes and is shared by processes.

A row is written, with the report, in one transaction that is on the disk before the report is handed out. So a crash
before it means that nothing was spent and nothing was sent; a crash after it means that the same report is sent later.
Two processes take turns. No private value is ever written, and rows are found by person and survey, never by value: an
account kept by value would show when a value changed.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from geopriv.errors import BudgetExhausted, InvalidParameter

if TYPE_CHECKING:
    import sqlite3

_TABLE = """CREATE TABLE IF NOT EXISTS spent (
    person TEXT NOT NULL, survey TEXT NOT NULL, design TEXT NOT NULL,
    epsilon REAL NOT NULL, unit TEXT, report TEXT NOT NULL,
    PRIMARY KEY (person, survey))"""
_PATIENCE = 60.0  # seconds to wait for another process


class Ledger:
    """The account of all people who use a device.

    Args:
        path: of an SQLite file, made if there is none, readable by its owner only.
        limit: the most ε that one person may spend over all surveys, per unit of distance; None for no limit.

    Raises:
        InvalidParameter: for a limit that is not a positive number.
    """

    def __init__(self, path: str | os.PathLike[str], limit: float | None = None) -> None:
        if limit is not None and not 0 < limit < math.inf:
            raise InvalidParameter(f"The 'limit' parameter of Ledger must be a positive number. Got {limit!r} instead.")
        self._path, self._limit = os.fspath(path), limit
        os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        with self._connected() as connection:
            connection.execute(_TABLE)

    def once(
        self, person: str, survey: str, design: str, epsilon: float, unit: str | None, make: Callable[[], str]
    ) -> str:
        """The report of a person to a survey: made and written now, or the one that was made before.

        Args:
            person: who answers.
            survey: what is answered once.
            design: its hash.
            epsilon: what it costs.
            unit: of distance.
            make: makes the report.

        Raises:
            BudgetExhausted: where the survey was answered by another design, and where ε would exceed the limit.
        """
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                report = self._found(connection, person, survey, design)
                if report is None:
                    self._afford(connection, person, epsilon, unit)
                    report = make()
                    row = (person, survey, design, epsilon, unit, report)
                    connection.execute("INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?)", row)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return report

    def spent(self, person: str, unit: str | None) -> Fraction:
        """What a person has spent in a unit, exactly."""
        with self._connected() as connection:
            return _total(connection, person, unit)

    def _found(self, connection: sqlite3.Connection, person: str, survey: str, design: str) -> str | None:
        query = "SELECT design, report FROM spent WHERE person = ? AND survey = ?"
        row = connection.execute(query, (person, survey)).fetchone()
        if row is None:
            return None
        if row[0] != design:
            raise BudgetExhausted("This person has answered this survey already, by another design.")
        return str(row[1])

    def _afford(self, connection: sqlite3.Connection, person: str, epsilon: float, unit: str | None) -> None:
        if self._limit is not None and _total(connection, person, unit) + Fraction(epsilon) > Fraction(self._limit):
            raise BudgetExhausted(f"One more report of {epsilon!r} would exceed the limit of {self._limit!r}.")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        try:
            # no transaction but our own; EXTRA waits for the disk, the folder of the journal included
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")
                yield connection
        except sqlite3.Error as error:
            raise OSError(errno.EIO, f"The ledger cannot be used ({error})", self._path) from None


def _total(connection: sqlite3.Connection, person: str, unit: str | None) -> Fraction:
    rows = connection.execute("SELECT epsilon FROM spent WHERE person = ? AND unit IS ?", (person, unit))
    return sum((Fraction(row[0]) for row in rows), Fraction(0))
