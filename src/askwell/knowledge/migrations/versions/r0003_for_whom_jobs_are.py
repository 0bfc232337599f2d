"""For whom jobs are.

Revision: 0003, after 0002
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, Column, Text, inspect

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the owner and the person of jobs, where an Askwell that did not count its steps has not done so."""
    there = {column["name"] for column in inspect(op.get_bind()).get_columns("jobs")}
    for column in (Column("owner", Text), Column("person", JSON)):
        if column.name not in there:
            op.add_column("jobs", column)
