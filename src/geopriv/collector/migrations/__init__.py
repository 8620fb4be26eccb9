"""Brings the tables of a collector's database from the version they have to today's."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from geopriv.errors import InvalidParameter

_TURN = 7_083_460_915  # of all who would migrate a PostgreSQL database at once: any number that nobody else takes


def upgrade(engine: sa.Engine, new: bool) -> None:
    """Change the tables, or make them, in one transaction; who comes at the same time waits.

    Args:
        engine: of the database.
        new: whether tables may be made where there are none.

    Raises:
        InvalidParameter: for a database that is empty and may not be, and for one of a newer version than this.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    known = {one.revision for one in ScriptDirectory.from_config(config).walk_revisions()}
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TURN)))
        version = MigrationContext.configure(connection).get_current_revision()
        if version is None and not new:
            how = "Only geopriv serve begins one: where it is told to, with --new"
            raise InvalidParameter(
                f"The 'database' must be one that geopriv serve has begun. It holds no survey. {how}."
            )
        if version is not None and version not in known:
            have = f"It has version {version[:20]!r}, and this program knows those up to {max(known)!r}"
            raise InvalidParameter(f"The 'database' must be of this version of geopriv, or an older one. {have}.")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
