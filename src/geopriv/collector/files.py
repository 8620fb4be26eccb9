"""The file of a database of SQLite's: its owner's alone."""

from __future__ import annotations

import os
from contextlib import suppress
from urllib.parse import unquote, urlsplit

import sqlalchemy as sa


def make_private(address: sa.URL) -> None:
    """Make a file that only its owner reads, if there is none yet; what SQLite writes beside it is as private.

    Args:
        address: of a database of SQLite's.
    """
    path = _path(address)
    if path:
        with suppress(OSError):  # it is there, or cannot be made: SQLite says so
            # where a link leads to, as SQLite takes it
            os.close(os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _path(address: sa.URL) -> str:
    """The file that SQLite makes where there is none; empty where it makes none.

    >>> forms = "a.db", "file:a%20b.db?uri=true", "file:a.db?uri=true&mode=ro"
    >>> [_path(sa.make_url(f"sqlite:///{form}")) for form in forms]
    ['a.db', 'a b.db', '']
    """
    found = address.database or ""
    if found.startswith(":"):
        return ""
    if not (found.startswith("file:") and "uri" in address.query):
        return found
    return unquote(urlsplit(found).path) if address.query.get("mode", "rwc") == "rwc" else ""
