"""What each person has spent, in a file that survives crashes and is shared by processes.

A row is written, with the report, in one transaction that is on the disk before the report is handed out. So a crash
before it means that nothing was spent and nothing was sent; a crash after it means that the same report is sent later.
Two processes take turns. No private value is ever written, and rows are found by person and survey, never by value: an
account kept by value would show when a value changed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING

from geopriv.device.ownership import create, own_file, own_path
from geopriv.device.texts import NAME, plain
from geopriv.errors import BudgetExhausted, InvalidParameter, Refused

if TYPE_CHECKING:
    import sqlite3

_TABLE = """CREATE TABLE IF NOT EXISTS spent (
    person TEXT NOT NULL, survey TEXT NOT NULL, design TEXT NOT NULL,
    epsilon REAL NOT NULL, unit TEXT, report TEXT NOT NULL,
    PRIMARY KEY (person, survey))"""
_PATIENCE = 60.0  # seconds to wait for another process
_ONE_CREATES = Lock()  # closing a new file would take away locks that another thread has on it by then


class Ledger:
    """The account, in one unit, of all people who use a device.

    Args:
        path: of an SQLite file, made if there is none. It must be the user's own, and its folder too
            (`geopriv.device.ownership`).
        unit: of distance. All rows are in it, so that they can be added up.
        total: the most ε that one person may spend over all surveys, per unit.

    Raises:
        InvalidParameter: for a file or folder that others could read or change.
        Refused: for a ledger in another unit, or in several.
    """

    def __init__(self, path: str | os.PathLike[str], unit: str | None, total: float | Fraction) -> None:
        self._path, self._unit, self._total = own_path(path), unit, total
        with _ONE_CREATES:
            create(self._path)
        with self._connected() as connection:
            connection.execute(_TABLE)
            self._require_unit(connection)

    def once(self, person: str, survey: str, design: str, epsilon: float, make: Callable[[], str]) -> str:
        """The report of a person to a survey: made and written now, or the one that was made before.

        Guarantee: the reports made for a person cost at most the total, whatever the surveys are called.

        Args:
            person: who answers.
            survey: what is answered once.
            design: its hash.
            epsilon: what it costs, in the unit of the ledger.
            make: makes the report.

        Raises:
            BudgetExhausted: where the survey was answered by another design, and where ε would exceed the total.
            InvalidParameter: for a person who is no text, or one that cannot be printed.
        """
        if not plain(person, NAME):
            raise InvalidParameter(f"The 'person' parameter must be a text of 1 to {NAME} printable characters.")
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                report = self._known(connection, person, survey, design)
                if report is None:
                    self._require_unit(connection)  # another process may have begun the ledger since
                    self._afford(connection, person, epsilon)
                    report = make()
                    row = (person, survey, design, epsilon, self._unit, report)
                    connection.execute("INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?)", row)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return report

    def has(self, person: str, survey: str, design: str) -> bool:
        """Whether there is a report of a person to a survey by a design, which is the one that is given again."""
        if not plain(person, NAME):
            return False
        query = "SELECT 1 FROM spent WHERE person = ? AND survey = ? AND design = ?"
        with self._connected() as connection:
            return connection.execute(query, (person, survey, design)).fetchone() is not None

    def spent(self, person: str) -> Fraction:
        """What a person has spent over all surveys, exactly."""
        with self._connected() as connection:
            return self._sum(connection, person)

    def _known(self, connection: sqlite3.Connection, person: str, survey: str, design: str) -> str | None:
        query = "SELECT design, report FROM spent WHERE person = ? AND survey = ?"
        row = connection.execute(query, (person, survey)).fetchone()
        if row is None:
            return None
        if row[0] != design:
            raise BudgetExhausted("This person has answered this survey already, by another design.")
        return str(row[1])

    def _afford(self, connection: sqlite3.Connection, person: str, epsilon: float) -> None:
        if self._sum(connection, person) + Fraction(epsilon) > Fraction(self._total):
            most = f"the total of {float(self._total)!r}"
            raise BudgetExhausted(f"One more report of {epsilon!r} would exceed {most} over all surveys.")

    def _require_unit(self, connection: sqlite3.Connection) -> None:
        if connection.execute("SELECT 1 FROM spent WHERE unit IS NOT ? LIMIT 1", (self._unit,)).fetchone():
            ours = "none" if self._unit is None else ascii(self._unit)
            raise Refused(f"The ledger must be in one unit, {ours}; it has rows in another. Take one ledger a unit.")

    def _sum(self, connection: sqlite3.Connection, person: str) -> Fraction:
        costs = [row[0] for row in connection.execute("SELECT epsilon FROM spent WHERE person = ?", (person,))]
        if not all(isinstance(cost, float) and cost > 0 for cost in costs):
            raise OSError(errno.EIO, "The ledger holds rows that no device wrote", self._path)
        return sum(map(Fraction, costs), Fraction(0))

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        try:
            before = own_file(own_path(self._path))
            # no transaction but our own; EXTRA waits for the disk, the folder of the journal included
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)) as connection:
                if own_file(self._path) != before:
                    raise OSError(errno.ESTALE, "The ledger was replaced while it was opened", self._path)
                connection.execute("PRAGMA synchronous = EXTRA")
                connection.execute("PRAGMA fullfsync = ON")  # macOS: waits for the disk itself; nothing elsewhere
                yield connection
        except sqlite3.Error as error:
            raise OSError(errno.EIO, f"The ledger cannot be used ({error})", self._path) from None
