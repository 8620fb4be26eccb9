"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Reports, tokens, rejections, batches and the survey."""
    op.create_table(
        "reports",
        sa.Column("id", sa.LargeBinary(16), primary_key=True),
        sa.Column("batch", sa.Integer, nullable=False, index=True),
        sa.Column("mechanism", sa.Integer, nullable=False),
        sa.Column("group", sa.Integer),
        sa.Column("report", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tokens",
        sa.Column("hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("spent", sa.Boolean, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rejected",
        sa.Column("reason", sa.String(40), primary_key=True),
        sa.Column("times", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "batches",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
    )
    op.create_table(
        "survey",
        sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("design", sa.String(64), nullable=False),
        sa.Column("invited", sa.Boolean, nullable=False),
    )
