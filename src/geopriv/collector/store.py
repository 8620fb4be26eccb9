"""Reports and tokens in a database: SQLite or PostgreSQL, shared by processes."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from geopriv.collector import logs
from geopriv.collector.batches import Batch, await_turn, close_batches, list_batches, open_batch, today
from geopriv.collector.files import identities, make_private, path_of
from geopriv.collector.migrations import upgrade
from geopriv.collector.tables import ENDED, REJECTED, REPORTS, SURVEY, TOKENS
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.device.files import replacing
from geopriv.errors import InvalidParameter, Unavailable

_Item = TypeVar("_Item")
_PATIENCE = 30  # seconds to wait for another process on SQLite
_TRIAL = 1 << 18  # bytes: more than a transaction of reports takes
# Of each transaction on PostgreSQL, whatever its database is set to: on the disk before the answer, and nobody waits
# for who stalls, nor goes on when stalled.
_LIMITS = {
    "synchronous_commit": "on",
    "lock_timeout": "5s",
    "statement_timeout": "10s",
    "idle_in_transaction_session_timeout": "15s",
}
_LONG = {"statement_timeout": "1h", "idle_in_transaction_session_timeout": "1h"}  # of those that read all reports
_CLOSING = {"lock_timeout": "2s"}  # reports wait behind who waits to close batches
_COUNTING = {"lock_timeout": "100ms"}  # and behind what counts rejections, which can be done later
# seconds, and milliseconds, after which a server that is gone is taken for gone
_GONE = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_ROWS = 500  # in a statement
_AT_ONCE = 1 << 16  # rows that are read together
_READS = "geopriv_reads"  # an option of transactions that write nothing
_MOVED = (
    "The file of the database was moved or replaced while it was in use; what was sent since is not counted. Put it "
    "back, or stop the collector and start it again."
)


class Store:
    """The database of one survey.

    Args:
        url: as SQLAlchemy has it: "sqlite:///survey.sqlite", "postgresql+psycopg://…".
        new: whether a survey may be begun where there is none.

    Raises:
        InvalidParameter: for an address that is none, and for a database that holds no survey, or one of a newer
            version than this.
        Unavailable: where the database cannot be reached.
    """

    def __init__(self, url: str, new: bool = True) -> None:
        address = _driver(url)
        self._path = path_of(address) if address.get_backend_name() == "sqlite" else ""
        if self._path and not new and not Path(self._path).is_file():
            how = "Only geopriv serve makes one: where it is told to, with --new"
            raise InvalidParameter(f"The 'database' must be there. There is no file {str(address.database)!r}. {how}.")
        if self._path and new and address.query.get("mode", "rwc") == "rwc":
            make_private(self._path)
        self._file, *_ = identities(self._path)
        self._engine = sa.create_engine(address, **_settings(address))
        if self._engine.dialect.name == "sqlite":
            sa.event.listen(self._engine, "connect", self._opened)
            sa.event.listen(self._engine, "begin", _at_once)
        try:
            with _reachable():
                upgrade(self._engine, new)
        except BaseException:
            self.close()
            raise

    def begin(self, design: str, invited: bool) -> None:
        """Take a database for a design, or go on with it.

        Args:
            design: its hash.
            invited: whether a report needs a token.

        Raises:
            InvalidParameter: for a database of another design, or of another way to invite.
        """
        with self._transaction() as connection:
            self._insert(connection, SURVEY, [{"one": 1, "design": design, "invited": invited}])
            found = connection.execute(sa.select(SURVEY.c.design, SURVEY.c.invited)).one()
            risky = connection.dialect.name == "postgresql" and connection.scalar(sa.text("SHOW fsync")) == "off"
        _require_same(found.design, design)
        if found.invited != invited:
            how = "invites by tokens" if found.invited else "takes reports from anybody"
            raise InvalidParameter(f"The database must be asked for as it was begun: it {how}.")
        if risky:
            logs.LOGGER.warning(
                "the server of the database does not wait for its disk (fsync = off): what was acknowledged is lost "
                "where it loses power"
            )

    def require(self, design: str) -> None:
        """Refuse a database that was not begun for a design.

        Raises:
            InvalidParameter: saying of which it is.
        """
        with self._transaction(reads=True) as connection:
            found = connection.execute(sa.select(SURVEY.c.design)).scalar_one_or_none()
        if found is None:
            raise InvalidParameter("The database must be one that geopriv serve has used. It holds no survey.")
        _require_same(found, design)

    def invite(self, hashes: Iterable[bytes]) -> None:
        """Keep the hashes of new tokens, all of them or none."""
        with self._transaction() as connection:
            for part in _parts(hashes):
                self._insert(connection, TOKENS, [{"hash": one, "spent": False} for one in part])

    def take(self, sent: Sequence[Sent]) -> list[Verdict]:
        """Write reports, each with its token spent, in one transaction that is on the disk before this returns.

        Reports are written in the
        order of their ids, and tokens in that of their hashes, so that the transaction does not tell which belong
        together where there are several.

        Args:
            sent: reports that could have come from the design.
        """
        while (verdicts := self._taken(sent)) is None:
            pass  # each time at least one more is known
        return verdicts

    def _taken(self, sent: Sequence[Sent]) -> list[Verdict] | None:
        """Verdicts; None, and nothing is written, where another process wrote an id since it was looked for."""
        with self._transaction() as connection:
            await_turn(connection)
            tokens = self._tokens(connection, {one.token for one in sent if one.token is not None})
            known = self._known(connection, {one.id for one in sent})
            verdicts, fresh = _judged(sent, tokens, known)
            batch = open_batch(connection) if fresh else 0
            rows = [
                {"id": one.id, "batch": batch, "mechanism": one.mechanism, "group": one.group, "report": one.report}
                for one in sorted(fresh, key=lambda one: one.id)
            ]
            written = self._insert(connection, REPORTS, rows, returning=REPORTS.c.id)
            if len(written) < len(rows):
                connection.rollback()
                return None
            for part in _parts(sorted(one.token for one in fresh if one.token is not None)):
                connection.execute(sa.update(TOKENS).where(TOKENS.c.hash.in_(part)).values(spent=True))
        return verdicts

    def reject(self, reasons: Counter[Verdict]) -> None:
        """Count what was rejected."""
        with self._transaction(_COUNTING) as connection:
            for verdict, times in sorted(reasons.items(), key=lambda each: each[0].words):
                self._insert(connection, REJECTED, [{"reason": verdict.words, "times": 0}])
                counted = sa.update(REJECTED).where(REJECTED.c.reason == verdict.words)
                connection.execute(counted.values(times=REJECTED.c.times + times))

    def rejected(self) -> Counter[str]:
        """How many reports were rejected, by reason."""
        with self._transaction(reads=True) as connection:
            return Counter({row.reason: row.times for row in connection.execute(sa.select(REJECTED))})

    def counted(self) -> int:
        """How many reports there are."""
        with self._transaction(reads=True) as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(REPORTS)).scalar_one())

    def invitations(self) -> tuple[int, int]:
        """How many tokens there are, and how many of them are spent."""
        chosen = sa.select(sa.func.count(), sa.func.count().filter(TOKENS.c.spent)).select_from(TOKENS)
        with self._transaction(reads=True) as connection:
            total, spent = connection.execute(chosen).one()
        return int(total), int(spent)

    def batches(self) -> list[Batch]:
        """The batches of reports, in the order in which they were begun."""
        with self._transaction(reads=True) as connection:
            return list_batches(connection)

    def close_batches(self, numbers: Sequence[int]) -> None:
        """Let no report enter these batches any more: those that are being written are in them when this returns."""
        with self._transaction(_CLOSING) as connection:
            close_batches(connection, numbers)

    def end(self, seal: bytes) -> None:
        """Let an analyst's pass be good no more; those that have ended by themselves are forgotten."""
        with self._transaction() as connection:
            connection.execute(sa.delete(ENDED).where(ENDED.c.until < today()))
            self._insert(connection, ENDED, [{"seal": seal, "until": today() + timedelta(days=1)}])

    def has_ended(self, seal: bytes) -> bool:
        """Whether a pass is good no more."""
        with self._transaction(reads=True) as connection:
            return connection.scalar(sa.select(ENDED.c.seal).where(ENDED.c.seal == seal)) is not None

    def look(self) -> None:
        """Read one row: whether the database answers."""
        with self._transaction(reads=True) as connection:
            connection.execute(sa.select(SURVEY.c.one))

    def try_writing(self) -> None:
        """Write as much as reports take, and change nothing: whether the next reports could be written."""
        with self._transaction() as connection:
            connection.execute(sa.update(SURVEY).values(one=SURVEY.c.one))
        if self._path:
            # a failed transaction leaves room for a small one, so that this one may fit where reports do not
            with _reachable(), tempfile.TemporaryFile(dir=os.path.dirname(self._path)) as file:
                file.write(bytes(_TRIAL))
                file.flush()
                os.fsync(file.fileno())

    def reports(self, numbers: Sequence[int] | None = None) -> Iterator[Sequence[Any]]:
        """Reports as rows (id, mechanism, group, report), in the order of their ids, some at a time.

        Args:
            numbers: of batches; None for all.
        """
        chosen = sa.select(*REPORTS.c["id", "mechanism", "group", "report"]).order_by(REPORTS.c.id)
        chosen = chosen if numbers is None else chosen.where(REPORTS.c.batch.in_(numbers))
        with self._transaction(_LONG, reads=True) as connection:
            yield from connection.execution_options(yield_per=_AT_ONCE).execute(chosen).partitions()

    def counts(self) -> Iterator[Sequence[Any]]:
        """How often each report came in a batch, as rows (batch, mechanism, group, report, times), some at a time."""
        columns = REPORTS.c["batch", "mechanism", "group", "report"]
        chosen = sa.select(*columns, sa.func.count().label("times")).group_by(*columns)
        with self._transaction(_LONG, reads=True) as connection:
            yield from connection.execution_options(yield_per=_AT_ONCE).execute(chosen).partitions()

    def rewrite(self) -> None:
        """Write a file of SQLite's anew, in the order of its keys; before, it tells in which order reports came.

        Nobody else writes meanwhile. PostgreSQL keeps rows in the order in which they came, whatever is done.

        Raises:
            Unavailable: where it cannot be, and the order can still be read.
        """
        if self._path:
            with self._alone() as connection:
                connection.execute("VACUUM")
                (waits, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if waits:
                    raise Unavailable("Somebody reads the database for long, and its old pages are kept.")

    def copy_to(self, output: Path) -> None:
        """Write a copy of the database as it is now, in the order of its keys, which only its owner reads.

        Raises:
            InvalidParameter: for a database of PostgreSQL, and for a file that is there.
            Unavailable: where the database cannot be read, or the copy not be written. Nothing is left of it.
        """
        if not self._path:
            how = "umask 077; pg_dump --format=custom --file=copy.dump postgresql://…"
            raise InvalidParameter(f"The 'database' must be one of SQLite. PostgreSQL has a program for copies: {how}")
        if output.exists():
            raise InvalidParameter(f"There is {str(output)!r} already: name another file.")
        with replacing(output) as fresh, self._alone() as connection:
            fresh.chmod(0o600)
            connection.execute("VACUUM INTO ?", (str(fresh),))

    @contextmanager
    def _alone(self) -> Iterator[Any]:
        """A connection as SQLite has it, on which no transaction was begun."""
        with _reachable(), self._engine.connect() as connection:
            self._require_file(connection)
            yield connection.connection.driver_connection

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self, limits: Mapping[str, str] = {}, reads: bool = False) -> Iterator[sa.Connection]:
        """All that is done in it, or nothing. One that only reads keeps nobody from writing.

        Raises:
            Unavailable: for a database that is down, full or locked, or whose file is no longer where it was; without
                what was to be written.
        """
        with _reachable(), self._engine.connect() as connection:
            self._require_file(connection)
            with connection.execution_options(**{_READS: reads}).begin():
                if connection.dialect.name == "postgresql":
                    told = {**_LIMITS, **limits}.items()
                    connection.exec_driver_sql("; ".join(f"SET LOCAL {name} = '{value}'" for name, value in told))
                yield connection
            self._require_file(connection)  # what was written into another file is not acknowledged

    def _opened(self, connection: Any, record: Any) -> None:
        """A write-ahead log that is on the disk before a transaction is over; and the file that was opened is known."""
        if self._path and identities(self._path)[0] != self._file:
            raise Unavailable(_MOVED)
        connection.isolation_level = None  # transactions begin where `_at_once` says, and not where Python guesses
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE}")
        record.info["files"] = identities(self._path)

    def _require_file(self, connection: sa.Connection) -> None:
        """Refuse files that were moved away or replaced: SQLite would go on with them wherever they are."""
        if self._path:
            before, now = connection.info["files"], identities(self._path)
            if any(a != b for a, b in zip(before, now, strict=True) if a is not None):
                raise Unavailable(_MOVED)
            connection.info["files"] = now  # the log is made when it is first needed

    def _tokens(self, connection: sa.Connection, hashes: set[bytes]) -> dict[bytes, bool]:
        """Which tokens there are, and which of them are spent; nobody else can spend one until the end."""
        found: dict[bytes, bool] = {}
        for part in _parts(sorted(hashes)):  # sorted: two processes never wait for each other
            chosen = sa.select(TOKENS.c.hash, TOKENS.c.spent).where(TOKENS.c.hash.in_(part))
            rows = connection.execute(chosen.order_by(TOKENS.c.hash).with_for_update())
            found |= {bytes(row.hash): row.spent for row in rows}
        return found

    def _known(self, connection: sa.Connection, ids: set[bytes]) -> dict[bytes, tuple[int, int | None, str]]:
        found: dict[bytes, tuple[int, int | None, str]] = {}
        for part in _parts(sorted(ids)):
            for row in connection.execute(sa.select(REPORTS).where(REPORTS.c.id.in_(part))):
                found[bytes(row.id)] = row.mechanism, row.group, row.report
        return found

    def _insert(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]], returning: Any = None
    ) -> set[bytes]:
        """Insert those rows whose keys are not there yet; their keys, where they are asked for."""
        make = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert
        statement = make(table).on_conflict_do_nothing()
        if not rows:
            return set()
        if returning is None:
            connection.execute(statement, rows)
            return set()
        return set(map(bytes, connection.execute(statement.returning(returning), rows).scalars()))


def _judged(
    sent: Sequence[Sent], tokens: dict[bytes, bool], known: dict[bytes, tuple[int, int | None, str]]
) -> tuple[list[Verdict], list[Sent]]:
    """What becomes of each report, and those that are to be written.

    Of a token only its own state is told: nothing joins it with its report, so whoever shows one could else ask of any
    report whether it was counted. A token that was not spent counts one report, under another id where its own is
    taken; one that was spent is of a report that was counted, whatever comes with it now.
    """
    verdicts: list[Verdict] = []
    fresh: list[Sent] = []
    for one in sent:
        spent = tokens.get(one.token) if one.token is not None else False
        if spent is None:
            verdicts.append(Verdict.UNKNOWN_TOKEN)
        elif spent:
            verdicts.append(Verdict.AGAIN)
        elif one.token is None and one.id in known:
            verdicts.append(Verdict.AGAIN if known[one.id] == one.row else Verdict.REPEATED_ID)
        else:
            verdicts.append(Verdict.COUNTED)
            kept = replace(one, id=os.urandom(16)) if one.id in known else one
            fresh.append(kept)
            known[kept.id] = kept.row  # for what comes later in the same transaction
            if kept.token is not None:
                tokens[kept.token] = True
    return verdicts, fresh


def _require_same(found: str, design: str) -> None:
    if found != design:
        raise InvalidParameter(f"The database must be of this design, {design[:12]}…. It is of {found[:12]}….")


def _driver(url: str) -> sa.URL:
    """The address of a database, by the driver that comes with the collector."""
    try:
        found = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise InvalidParameter("The 'database' must be an address such as sqlite:///survey.sqlite.") from None
    names = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
    found = found.set(drivername=names.get(found.drivername, found.drivername))
    if found.get_backend_name() not in ("sqlite", "postgresql"):
        raise InvalidParameter("The 'database' must be one of SQLite or PostgreSQL.")
    return found


def _settings(address: sa.URL) -> dict[str, Any]:
    # parameters of statements are reports: they never stand in an error
    shared: dict[str, Any] = {"hide_parameters": True, "pool_pre_ping": True}
    if address.get_backend_name() == "sqlite":
        return shared | {"connect_args": {"timeout": _PATIENCE}}
    told = {name: value for name, value in _GONE.items() if name not in address.query}
    return shared | {"pool_timeout": _PATIENCE, "connect_args": told}


@contextmanager
def _reachable() -> Iterator[None]:
    try:
        yield
    except (sa.exc.DBAPIError, sa.exc.TimeoutError, sqlite3.Error, OSError):
        raise Unavailable("The database cannot be used now; nothing was written. Try again.") from None


def _at_once(connection: sa.Connection) -> None:
    """Take the turn to write at the beginning, so that nothing that was read can change before it is written."""
    connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get(_READS) else "BEGIN IMMEDIATE")


def _parts(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Some at a time, as many as a statement takes."""
    rest = iter(items)
    while part := list(islice(rest, _ROWS)):
        yield part
