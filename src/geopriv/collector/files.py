"""The file of a database of SQLite's: its owner's alone, and the one that stands under its name."""

from __future__ import annotations

import os
from contextlib import suppress
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa


def path_of(address: sa.URL) -> str:
    """The file of a database, as it is named; empty where it is in memory.

    >>> forms = "/a.db", "file:/a%20b.db?uri=true", ":memory:"
    >>> [path_of(sa.make_url(f"sqlite:///{form}")) for form in forms]
    ['/a.db', '/a b.db', '']
    """
    named = address.database or ""
    if named.startswith("file:") and "uri" in address.query:
        named = unquote(urlsplit(named).path)
    return "" if not named or named.startswith(":") else os.path.abspath(named)


def make_private(path: str) -> None:
    """Make a file that only its owner reads, if there is none yet; what SQLite writes beside it is as private."""
    with suppress(OSError):  # it is there, or cannot be made: SQLite says so
        # where a link leads to, as SQLite takes it
        os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def identities(path: str) -> tuple[tuple[int, int] | None, ...]:
    """Which files stand under the name of a database, and beside it: device and inode of each.

    Beside it are the write-ahead log, and the index of that, which holds the locks: a process that made another index
    would write over what others wrote.
    """
    found: list[tuple[int, int] | None] = []
    real = os.path.realpath(path)
    for name in (path, f"{real}-wal", f"{real}-shm"):
        try:
            told = os.stat(name)
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((told.st_dev, told.st_ino))
    return tuple(found)
