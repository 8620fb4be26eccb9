"""A register of what was privatised, so that nobody gives a second report without a word.

It knows surveys, not people: names would be private, and whoever is in two runs is known to the operator alone. So a
second run of a survey is refused until the operator says that it is meant. A survey is known by its name, by its
design, and by what it asks, whatever it is called and promises. What is kept is public or coarse: the survey's name,
the hashes of the design and of the questions, the promise, the day and how many reports there were; no path, no value,
no name of a person.

A row is written before the reports get their name, and marked as complete afterwards. A run that is killed before has
no row, since nobody can have seen its reports. One that is killed between the two has a row that says so: whether its
reports are there cannot be known here, and a second run is to be said aloud as well.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import file_digest, sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from geopriv.device.files import canonical
from geopriv.device.ownership import own_path
from geopriv.errors import InvalidParameter
from geopriv.spaces.rounding import above
from geopriv.surveys.design import Design

if TYPE_CHECKING:
    from sqlite3 import Connection

_TABLE = (
    "CREATE TABLE IF NOT EXISTS runs (number INTEGER PRIMARY KEY, survey TEXT NOT NULL, design TEXT NOT NULL, "
    "day TEXT NOT NULL, reports INTEGER, complete INTEGER NOT NULL)"
)
_SINCE = ("epsilon", "unit", "metric", "questions")  # columns of texts that older registers do not have
# keys of questions: what they are called, and what may go with ε (of maps also how many points they have)
_BY_PLAN = ("name", "width", "bandwidth", "reach", "columns", "rows")
_SECONDS = 30  # that another process may take for a row
_NOBODY = {  # SHA-256 and length of tables of made-up people: of init's examples, and of the quickstart
    "8bae122d2b00328c3a85aea26e2494eca9df261235930182349506c083b7edd8": 129_764,
    "3bb6a6361decb02d144f9d10b330044b40d818aa2791ae12381522277b92f25d": 375_546,
    "3a53a1c3dd9397c66e28ae9ffd3f70cc1c1f04b5580ec5be9d9fa11bddfe2596": 265_110,
    "bfd739653111ef8b8de4a7594db6b617fd1d9b1790f6ff31b3d76ed79190d8e9": 519_400,
}
_LOCK = Lock()  # a process that closes a file loses the locks that its other threads have on it


Promise = tuple[Fraction, str | None, str]
"""ε, unit and metric."""


@dataclass(frozen=True)
class Run:
    """A run that is in the register.

    Args:
        number: of its row.
        day: on which it was, in UTC.
        reports: how many there were; None where nobody counted them.
        complete: whether the reports are known to have got their name.
        survey: its name, as names are compared.
        promise: ε as a fraction, unit and metric; None where an older register did not keep them.
    """

    number: int
    day: str
    reports: int | None
    complete: bool
    survey: str
    promise: Promise | None

    def __str__(self) -> str:
        many = "reports" if self.reports is None else f"{self.reports:,} report{'' if self.reports == 1 else 's'}"
        return f"{many} on {self.day}{'' if self.complete else ' (interrupted while they were written)'}"


@dataclass(frozen=True)
class Register:
    """Runs of surveys by one operator: a file of SQLite that only its owner can read.

    Args:
        path: of the file; it is made where it is missing. None for one that forgets: of people who are nobody.
        named: by somebody, whose folder is then not made: a misspelt one would begin an empty register.
    """

    path: Path | None
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

    @classmethod
    def of_run(cls, people: Any, path: str | os.PathLike[str] | None = None) -> Register:
        """The register that a run on these people is written into; one that forgets where they are a made-up example.

        Only a file is an example, and only if each of its bytes is.
        """
        try:
            example = os.path.isfile(people) and os.path.getsize(people) in _NOBODY.values()
        except (TypeError, ValueError):  # no path
            example = False
        if example:
            with open(people, "rb") as file:
                if file_digest(file, "sha256").hexdigest() in _NOBODY:
                    return cls(None)
        return cls.of(path)

    def require_new(self, design: Design, again: bool) -> tuple[Run, ...]:
        """The runs of the design's survey that there were before.

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
            epsilon, unit, metric = _promise(design)
            values = (_plain(design.survey), design.hash, day, reports, str(epsilon), unit, metric)
            row = connection.execute(
                "INSERT INTO runs (survey, design, day, reports, epsilon, unit, metric, questions, complete) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
                (*values, questions_of(design)),
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
                place = ":memory:" if self.path is None else self._own(self.path)
                with closing(sqlite3.connect(place, timeout=_SECONDS, isolation_level=None)) as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    connection.execute(_TABLE)
                    columns = {row[1] for row in connection.execute("PRAGMA table_info(runs)")}
                    for column in _SINCE:
                        if column not in columns:
                            connection.execute(f"ALTER TABLE runs ADD COLUMN {column} TEXT")
                    yield connection
                    connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise InvalidParameter(
                f"The register {str(self.path)!r}, which tells whether people have reported before, cannot be used: "
                f"{why}. Set GEOPRIV_REGISTER to a file that can be."
            ) from None

    def _own(self, path: Path) -> Path:
        """Make the file, or refuse one that is a link, of another user, or open to others, or that they can remove."""
        if not self.named:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        own_path(path, "register")  # who can remove it can hide the same
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        found = path.lstat()
        # where files have no owner and no modes, the system's own lists say who may read one
        others = hasattr(os, "geteuid") and (found.st_uid != os.geteuid() or found.st_mode & 0o077)
        if others or not stat.S_ISREG(found.st_mode):
            raise InvalidParameter(
                f"The register {str(path)!r} must be a file of your own that nobody else may read or write (chmod "
                "600), and no link: who can change it can hide that people have reported before."
            )
        return path


def _require_new(connection: Connection, design: Design, again: bool) -> tuple[Run, ...]:
    name = _plain(design.survey)
    rows = connection.execute(
        "SELECT number, day, reports, complete, survey, design, epsilon, unit, metric FROM runs "
        "WHERE survey = ? OR design = ? OR questions = ? ORDER BY number",
        (name, design.hash, questions_of(design)),
    ).fetchall()
    runs: list[Run] = []
    for number, day, reports, complete, survey, by, epsilon, unit, metric in rows:
        kept = _promise(design) if by == design.hash else None  # the same design promises the same
        promise = (_read_epsilon(epsilon), unit, metric) if epsilon else kept
        runs.append(Run(number, day, reports, complete, survey, promise))
    if runs and not again:
        named = any(run.survey == name for run in runs)
        what = f"The survey {design.survey!r}" if named else f"What {design.survey!r} asks"
        when = "before" if len(runs) == 1 else f"{len(runs)} times before"
        when += ("" if named else ", as another survey") + (": " if len(runs) == 1 else ", the last time ")
        raise InvalidParameter(
            f"{what} was privatised {when}{runs[-1]}. Another run gives everybody who is in both a "
            "second report, also where it replaces the first file, and budgets add up: whoever sees all learns as "
            f"much as from one report at {spent(runs, design)}. For other people, or where that is "
            "meant, say so: --again (again=True)."
        )
    return tuple(runs)


def _read_epsilon(text: str) -> Fraction:
    try:
        epsilon = Fraction(text)
    except (ValueError, ZeroDivisionError, TypeError):
        epsilon = Fraction()
    if epsilon <= 0:
        raise InvalidParameter(
            "The register, which tells whether people have reported before, is damaged: it keeps an ε that is no "
            "fraction above 0. Set GEOPRIV_REGISTER to a copy of it that is whole."
        )
    return epsilon


def _plain(name: str) -> str:
    """A name without what looks the same to people: case, width, spaces, and characters that nobody sees."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isprintable() or c.isspace())
    return " ".join(seen.split())


def spent(runs: Sequence[Run], design: Design) -> str:
    """What the reports of earlier runs and of one by this design cost together, in words; "" where there were none.

    Reference: basic composition, in exact fractions: it holds in each metric, and only for one unit of distance.
    """
    if not runs:
        return ""
    promises = [run.promise for run in runs] + [_promise(design)]
    costs: dict[tuple[str | None, str], Counter[Fraction]] = {}
    for promise in promises:
        if promise is not None:
            costs.setdefault(promise[1:], Counter())[promise[0]] += 1
    parts = []
    for (unit, metric), counted in costs.items():
        total = sum((times * epsilon for epsilon, times in counted.items()), Fraction())
        each = " + ".join(f"{times} × {_said(one)}" if times > 1 else _said(one) for one, times in counted.items())
        words = f"{_said(total)} per {unit or 'unit'}" + ("" if metric == "distance" else f" of {metric}")
        if total.denominator > 1:
            words += f" ({above(float(total), 6):g})"
        if counted.total() == len(promises) and len(counted) == 1:
            return f"{len(promises)} times ε, {words}"
        parts.append(f"ε = {words}" if each == _said(total) else f"ε = {each} = {words}")
    told = " and ".join(parts) + (", which do not add up to one number" if len(parts) > 1 else "")
    if unknown := promises.count(None):
        many = f"{unknown} run{'' if unknown == 1 else 's'}"
        told += f" and what {many} cost of which an older register did not keep ε"
    return told


def _promise(design: Design) -> Promise:
    """What a report of the design costs: ε as the simplest fraction that is read as the same float."""
    promise = design.guarantee
    exact = Fraction(repr(promise.epsilon))
    near = (exact.limit_denominator(10**k) for k in range(18))
    simplest = next((one for one in near if float(one) == promise.epsilon), exact)
    return simplest, promise.unit, promise.metric


def _said(fraction: Fraction) -> str:
    return f"{fraction.numerator:,}" + (f"/{fraction.denominator:,}" if fraction.denominator > 1 else "")


def questions_of(design: Design) -> str | None:
    """SHA-256 of what a design asks, in any order: without names, and what a plan may choose by ε; None for nothing."""

    def asked(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: asked(value) for key, value in part.items() if key not in _BY_PLAN}
        return [asked(value) for value in part] if isinstance(part, list) else part

    questions = sorted(canonical(asked(question)) for question in design.document.get("questions", []))
    return sha256(b"\n".join(questions)).hexdigest() if questions else None
