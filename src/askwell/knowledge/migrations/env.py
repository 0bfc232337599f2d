"""What Alembic runs to take steps and to write one: on the connection, and in the transaction, of the caller."""

from __future__ import annotations

from alembic import context

from askwell.knowledge.migrations import STEPS
from askwell.knowledge.migrations.running import render
from askwell.knowledge.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=STEPS,
    render_item=render,
    compare_type=True,
)
context.run_migrations()
