"""What each person has spent, in a file that survives crashes and is shared by processes.

A row is written, with the report, in one transaction that is on the disk before the report is handed out. So a crash
before it means that nothing was spent and nothing was sent; a crash after it means that the same report is sent later.
Two processes take turns. Rows are found by person and survey, never by value: an account kept by value would show when
a value changed. A private value is written where noise walks (theory T15), and nowhere else: the next report needs the
exact value of the last one. Without it, or where anything of it was changed, nothing more is reported of that walk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from threading import Lock
from typing import TYPE_CHECKING

from geopriv.device.files import canonical
from geopriv.device.ownership import create, own_file, own_path
from geopriv.device.policy import SURVEYS
from geopriv.device.texts import NAME, plain
from geopriv.device.walks import Walked
from geopriv.errors import BudgetExhausted, InvalidParameter, Refused

if TYPE_CHECKING:
    import sqlite3

_TABLE = """CREATE TABLE IF NOT EXISTS spent (
    person TEXT NOT NULL, survey TEXT NOT NULL, design TEXT NOT NULL,
    epsilon REAL NOT NULL, unit TEXT, report TEXT NOT NULL,
    PRIMARY KEY (person, survey))"""
_WALKS = """CREATE TABLE IF NOT EXISTS walks (
    person TEXT NOT NULL, survey TEXT NOT NULL, state TEXT NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (person, survey))"""
_PATIENCE = 60.0  # seconds to wait for another process
Step = Callable[[Walked | None], tuple[str, Walked]]
_ONE_CREATES = Lock()  # closing a new file would take away locks that another thread has on it by then


class Ledger:
    """The account, in one unit, of all people who use a device.

    Args:
        path: of an SQLite file, made if there is none. It must be the user's own, and its folder too
            (`geopriv.device.ownership`).
        unit: of distance. All rows are in it, so that they can be added up.
        total: the most ε that one person may spend over all surveys, per unit.
        surveys: the most that one person may answer.

    Raises:
        InvalidParameter: for a file or folder that others could read or change.
        Refused: for a ledger in another unit, or in several.
    """

    def __init__(
        self, path: str | os.PathLike[str], unit: str | None, total: float | Fraction, surveys: int = SURVEYS
    ) -> None:
        self._path, self._unit, self._total, self._surveys = own_path(path), unit, total, surveys
        with _ONE_CREATES:
            create(self._path)
        with self._connected() as connection:
            connection.execute(_TABLE)
            connection.execute(_WALKS)
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
            BudgetExhausted: where the survey was answered by another design, and where ε would exceed the total, or
                the surveys their greatest number.
            InvalidParameter: for a person who is no text, or one that cannot be printed.
        """
        with self._turn(person) as connection:
            report = self._known(connection, person, survey, design)
            if report is None:
                self._afford(connection, person, epsilon)
                report = make()
                self._write(connection, person, survey, design, epsilon, report)
        return report

    def walk(self, person: str, survey: str, design: str, epsilon: float, round_: int, make: Step) -> str:
        """The report of a person to a round of a walk: made and written now, or the last one if it is of this round.

        Guarantee: ε is spent once, before the first report; report and state are on the disk, in one transaction,
        before a report is handed out, so that no two reports are made of one state.

        Args:
            person: who answers.
            survey: the walk.
            design: its hash.
            epsilon: what it costs, per unit of D (theory T15).
            round_: which one it is.
            make: makes the report of the state so far, which is None at first, and the new state.

        Raises:
            BudgetExhausted: where the survey was answered by another design, where ε would exceed the total or the
                surveys their greatest number, where a later round was answered, and where the state is lost or is not
                the one that was written.
            InvalidParameter: for a person who is no text, or one that cannot be printed.
        """
        with self._turn(person) as connection:
            report = self._known(connection, person, survey, design)
            last = self._walked(connection, person, survey, design, report)
            if report is not None and last is not None and last.round == round_:
                return report
            if last is None:
                self._afford(connection, person, epsilon)
            elif last.round > round_:
                raise BudgetExhausted(f"Round {round_} of this walk is over for this person: round {last.round} came.")
            report, walked = make(last)
            self._write(connection, person, survey, design, epsilon, report)
            row = (person, survey, walked.text, _seal(person, survey, design, report, walked.text))
            connection.execute("INSERT OR REPLACE INTO walks VALUES (?, ?, ?, ?)", row)
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

    @contextmanager
    def _turn(self, person: str) -> Iterator[sqlite3.Connection]:
        """One transaction, alone with the ledger; what is written in it is there whole or not at all."""
        if not plain(person, NAME):
            raise InvalidParameter(f"The 'person' parameter must be a text of 1 to {NAME} printable characters.")
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._require_unit(connection)  # another process may have begun the ledger since
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _write(
        self, connection: sqlite3.Connection, person: str, survey: str, design: str, epsilon: float, report: str
    ) -> None:
        row = (person, survey, design, epsilon, self._unit, report)
        connection.execute("INSERT OR REPLACE INTO spent VALUES (?, ?, ?, ?, ?, ?)", row)

    def _walked(
        self, connection: sqlite3.Connection, person: str, survey: str, design: str, report: str | None
    ) -> Walked | None:
        """How far a walk has come; None where it has not begun.

        Who answered and has no state, or has a state and answered nothing, or has another one than was sealed, may not
        go on: a fresh start would be a second report of the value itself, which nothing was charged for.
        """
        query = "SELECT state, seal FROM walks WHERE person = ? AND survey = ?"
        row = connection.execute(query, (person, survey)).fetchone()
        if row is None and report is None:
            return None
        if row is None or report is None or row[1] != _seal(person, survey, design, report, str(row[0])):
            raise BudgetExhausted("The state of this person's walk is lost or was changed: it ends here.")
        return Walked.parse(row[0])

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
        query = "SELECT COUNT(*) FROM spent WHERE person = ?"
        if connection.execute(query, (person,)).fetchone()[0] >= self._surveys:
            raise BudgetExhausted(
                f"This person has answered {self._surveys:,} surveys, the most that the policy allows."
            )

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
                connection.execute("PRAGMA secure_delete = ON")  # of a value that is walked on from nothing is kept
                connection.execute("PRAGMA fullfsync = ON")  # macOS: waits for the disk itself; nothing elsewhere
                yield connection
        except sqlite3.Error as error:
            raise OSError(errno.EIO, f"The ledger cannot be used ({error})", self._path) from None


def _seal(person: str, survey: str, design: str, report: str, state: str) -> str:
    """What shows that a state is the one that was written with a report. It is no secret: the file is the user's."""
    from hashlib import sha256

    return sha256(canonical([person, survey, design, report, state])).hexdigest()
