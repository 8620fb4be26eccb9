"""DuckDB's extensions for other databases, as the development tools bring them: it would fetch them itself."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import duckdb


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
