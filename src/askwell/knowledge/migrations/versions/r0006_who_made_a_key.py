"""Who made a key.

Revision: 0006, after 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add who made a key."""
    op.add_column("api_keys", sa.Column("made_by", sa.Text(), nullable=True))
