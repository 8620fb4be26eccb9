"""Passes of analysts that have logged out."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """A table of them."""
    op.create_table(
        "ended",
        sa.Column("seal", sa.LargeBinary(32), primary_key=True),
        sa.Column("until", sa.Date, nullable=False),
    )
