"""${message}

Revision: ${up_revision}, after ${down_revision}
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "${up_revision}"
down_revision = "${down_revision}"


def upgrade() -> None:
    """${message}."""
    ${"\n".join(line for line in upgrades.splitlines() if not line.strip().startswith("# ###")).strip()}
