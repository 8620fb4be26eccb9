"""Reports are counted in the order of an index that has all that is counted."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """A wider index in place of that of batches."""
    op.drop_index("ix_reports_batch", "reports")
    op.create_index("ix_reports_counts", "reports", ["batch", "mechanism", "group", "report"])
