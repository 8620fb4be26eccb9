"""Brings the tables of a collector's database from the version they have to today's."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

_TURN = 7_083_460_915  # of all who would migrate a PostgreSQL database at once: any number that nobody else takes


def upgrade(engine: sa.Engine) -> None:
    """Make or change the tables, in one transaction; who comes at the same time waits."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TURN)))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
