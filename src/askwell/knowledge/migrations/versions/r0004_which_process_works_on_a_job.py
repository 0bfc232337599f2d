"""Which process works on a job.

Revision: 0004, after 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the processes that share a record, which of them has a job, and until when a job waits."""
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("host", sa.Text()),
        sa.Column("version", sa.Text()),
    )
    op.add_column("jobs", sa.Column("worker", sa.Text()))
    op.add_column("jobs", sa.Column("parked_until", sa.BigInteger()))
    still_open = sa.text("finished_at IS NULL")
    op.create_index("open_jobs", "jobs", ["kind", "accepted_at"], postgresql_where=still_open, sqlite_where=still_open)
