"""The tables of a collector's database. Nothing in them joins a report with a token or a time of day.

Reports are keyed by their random ids and tokens by their hashes, in tables that are kept in the order of these keys
where the database can (SQLite), so that the order of rows says nothing of who came when.
"""

from __future__ import annotations

import sqlalchemy as sa

METADATA = sa.MetaData()

REPORTS = sa.Table(
    "reports",
    METADATA,
    sa.Column("id", sa.LargeBinary(16), primary_key=True),
    sa.Column("batch", sa.Integer, nullable=False),
    sa.Column("mechanism", sa.Integer, nullable=False),
    sa.Column("group", sa.Integer),
    sa.Column("report", sa.Text, nullable=False),  # "[3, -1]", as DuckDB reads it
    sa.Index("ix_reports_counts", "batch", "mechanism", "group", "report"),  # counted without a look at the rows
    sqlite_with_rowid=False,
)
TOKENS = sa.Table(
    "tokens",
    METADATA,
    sa.Column("hash", sa.LargeBinary(32), primary_key=True),
    sa.Column("spent", sa.Boolean, nullable=False),
    sqlite_with_rowid=False,
)
REJECTED = sa.Table(
    "rejected",
    METADATA,
    sa.Column("reason", sa.String(40), primary_key=True),
    sa.Column("times", sa.BigInteger, nullable=False),
)
BATCHES = sa.Table(
    "batches",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("day", sa.Date, nullable=False),  # of its reports, in UTC
    sa.Column("closed", sa.Boolean, nullable=False),  # it was published, and takes no more reports
)
ENDED = sa.Table(
    "ended",
    METADATA,
    sa.Column("seal", sa.LargeBinary(32), primary_key=True),  # the hash of an analyst's pass that is good no more
    sa.Column("until", sa.Date, nullable=False),  # a day in UTC after which it would have ended, and is forgotten
)
SURVEY = sa.Table(
    "survey",
    METADATA,
    sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),  # always 1: a database is of one design
    sa.Column("design", sa.String(64), nullable=False),
    sa.Column("invited", sa.Boolean, nullable=False),  # whether a report needs a token
)
