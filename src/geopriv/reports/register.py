"""A register of what was privatised, so that nobody gives a second report without a word.

It knows surveys, not people: names would be private, and whoever is in two runs is known to the operator alone. So a
second run of a survey is refused until the operator says that it is meant. What is kept is public or coarse: the
survey's name, the design's hash, the day and how many reports there were; no path, no value, no name of a person.

A row is written before the reports get their name, and marked as complete afterwards. A run that is killed before has
no row, since nobody can have seen its reports. One that is killed between the two has a row that says so: whether its
reports are there cannot be known here, and a second run is to be said aloud as well.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from geopriv.device.ownership import own_path
from geopriv.errors import InvalidParameter
from geopriv.surveys.design import Design

if TYPE_CHECKING:
    from sqlite3 import Connection

_TABLE = (
    "CREATE TABLE IF NOT EXISTS runs (number INTEGER PRIMARY KEY, survey TEXT NOT NULL, design TEXT NOT NULL, "
    "day TEXT NOT NULL, reports INTEGER, complete INTEGER NOT NULL)"
)
_SECONDS = 30  # that another process may take for a row
_LOCK = Lock()  # a process that closes a file loses the locks that its other threads have on it


@dataclass(frozen=True)
class Run:
    """A run that is in the register.

    Args:
        number: of its row.
        day: on which it was, in UTC.
        reports: how many there were; None where nobody counted them.
        complete: whether the reports are known to have got their name.
    """

    number: int
    day: str
    reports: int | None
    complete: bool

    def __str__(self) -> str:
        many = "reports" if self.reports is None else f"{self.reports:,} report{'' if self.reports == 1 else 's'}"
        return f"{many} on {self.day}{'' if self.complete else ' (interrupted while they were written)'}"


@dataclass(frozen=True)
class Register:
    """Runs of surveys by one operator: a file of SQLite that only its owner can read.

    Args:
        path: of the file; it is made where it is missing.
        named: by somebody, whose folder is then not made: a misspelt one would begin an empty register.
    """

    path: Path
    named: bool = True

    @classmethod
    def of(cls, path: str | os.PathLike[str] | None = None) -> Register:
        """The register at a path; by default $GEOPRIV_REGISTER, else geopriv/register.sqlite in $XDG_STATE_HOME."""
        named = os.environ.get("GEOPRIV_REGISTER", "") if path is None else os.fspath(path)
        if named:
            return cls(Path(named).absolute())
        state = os.environ.get("XDG_STATE_HOME", "")
        try:
            folder = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
        except RuntimeError:
            raise InvalidParameter(
                "There is no home folder for the register: set GEOPRIV_REGISTER to a file."
            ) from None
        return cls(folder / "geopriv" / "register.sqlite", named=False)

    def require_new(self, design: Design, again: bool) -> int:
        """How many runs of the design's survey there were before.

        Raises:
            InvalidParameter: if there was one and another is not said to be meant, and for a register that cannot be
                read or written.
        """
        with self._opened() as connection:
            return _require_new(connection, design, again)

    def begin(self, design: Design, again: bool, reports: int | None = None) -> int:
        """Write down that reports are about to be given out; the number of the row.

        Of two runs at the same time one comes first, and the other is refused.

        Raises:
            InvalidParameter: as `require_new` does.
        """
        with self._opened() as connection:
            _require_new(connection, design, again)
            day = datetime.now(UTC).date().isoformat()
            values = (_plain(design.survey), design.hash, day, reports)
            row = connection.execute(
                "INSERT INTO runs (survey, design, day, reports, complete) VALUES (?, ?, ?, ?, 0)", values
            )
            assert row.lastrowid is not None
            return row.lastrowid

    def complete(self, number: int, reports: int | None = None) -> None:
        """Write down that the reports are there.

        They are, so a register that cannot be written now is no error: the run stays in it as an interrupted one.
        """
        with suppress(InvalidParameter), self._opened() as connection:
            change = "UPDATE runs SET complete = 1, reports = coalesce(?, reports) WHERE number = ?"
            connection.execute(change, (reports, number))

    def withdraw(self, number: int) -> None:
        """Forget a run of which nobody can have seen a report; one that cannot be forgotten stays as interrupted."""
        with suppress(InvalidParameter), self._opened() as connection:
            connection.execute("DELETE FROM runs WHERE number = ?", (number,))

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        """One transaction, on the disk when it is over; others wait for it."""
        import sqlite3

        try:
            with _LOCK:
                self._require_own()
                with closing(sqlite3.connect(self.path, timeout=_SECONDS, isolation_level=None)) as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    connection.execute(_TABLE)
                    yield connection
                    connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise InvalidParameter(
                f"The register {str(self.path)!r}, which tells whether people have reported before, cannot be used: "
                f"{why}. Set GEOPRIV_REGISTER to a file that can be."
            ) from None

    def _require_own(self) -> None:
        """Make the file, or refuse one that is a link, of another user, or open to others, or that they can remove."""
        if not self.named:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        own_path(self.path, "register")  # who can remove it can hide the same
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        found = self.path.lstat()
        # where files have no owner and no modes, the system's own lists say who may read one
        others = hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & 0o077)
        if others or not stat.S_ISREG(found.st_mode):
            raise InvalidParameter(
                f"The register {str(self.path)!r} must be a file of your own that nobody else may read or write (chmod "
                "600), and no link: who can change it can hide that people have reported before."
            )


def _require_new(connection: Connection, design: Design, again: bool) -> int:
    rows = connection.execute(
        "SELECT number, day, reports, complete FROM runs WHERE survey = ? OR design = ? ORDER BY number",
        (_plain(design.survey), design.hash),
    ).fetchall()
    if rows and not again:
        last, many = Run(*rows[-1]), len(rows)
        when = f"before: {last}" if many == 1 else f"{many} times before, the last time {last}"
        raise InvalidParameter(
            f"The survey {design.survey!r} was privatised {when}. Another run gives everybody who is in both a "
            "second report, also where it replaces the first file, and budgets add up: whoever sees all learns as "
            f"much as from one report at {many + 1} times \u03b5. For other people, or where that is "
            "meant, say so: --again (again=True)."
        )
    return len(rows)


def _plain(name: str) -> str:
    """A name without what looks the same to people: case, width, spaces, and characters that nobody sees."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isprintable() or c.isspace())
    return " ".join(seen.split())
