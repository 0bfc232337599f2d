"""The first step: the tables, keys and indexes of the first release. Steps of lower numbers were those of development
versions, and are no longer taken.

Revision: 0006, after none
"""

from __future__ import annotations

import re

from alembic import op

from askwell.resources import text_of

revision = "0006"
down_revision: str | None = None

_OF_SQLITE = {"SERIAL": "INTEGER", "BIGSERIAL": "INTEGER", "BYTEA": "BLOB"}


def upgrade() -> None:
    """Create all tables, as they were then."""
    script = text_of("askwell.knowledge.migrations.versions", "r0006_first.sql")
    if op.get_bind().dialect.name == "sqlite":
        script = re.sub(r"\b(?:BIG)?SERIAL\b|\bBYTEA\b", lambda kind: _OF_SQLITE[kind[0]], script)
    for statement in script.split(";")[:-1]:
        op.execute(statement)
