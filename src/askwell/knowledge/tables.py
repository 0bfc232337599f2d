"""What a record is at: its version, and which steps of `migrations/` it has taken."""

from __future__ import annotations

import logging

from sqlalchemy import Column, Connection, MetaData, String, Table, func, inspect, select, text

from askwell.knowledge.migrations import STEPS, head
from askwell.knowledge.schema import SCHEMA_VERSION, metadata, record_version

logger = logging.getLogger(__name__)

# Alembic's own, with the column that it looks for.
_steps = Table(STEPS, MetaData(), Column("version_num", String(32), primary_key=True))
# Two that open a record at once are not to take the same steps. The lock is the transaction's.
_TAKE_TURNS = text(
    f"SELECT pg_advisory_xact_lock({int.from_bytes(b'askm')}, hashtext('steps of ' || coalesce(current_schema(), '')))"
)


def version_of(connection: Connection) -> int | None:
    """None where there is no record yet."""
    if not inspect(connection).has_table(record_version.name):
        return None
    return connection.scalar(select(record_version.c.version))


def is_complete(connection: Connection) -> bool:
    """Whether all steps that this Askwell knows were taken, and perhaps more of a newer one."""
    return _step_of(connection) >= head()


def bring_up_to_date(connection: Connection) -> None:
    """Make a record of this version out of one that an earlier Askwell wrote, or of nothing. One that is complete is
    left as it is, also where it is ahead of us: within a version, steps only add. Of several that open it at once, one
    does the work and the others wait. Few questions are asked: a server that cuts connections again and again has to
    leave time for all of it."""
    if is_complete(connection):
        return
    if connection.dialect.name == "postgresql":
        connection.execute(_TAKE_TURNS)
    if not inspect(connection).has_table(record_version.name):
        metadata.create_all(connection, checkfirst=False)
        _steps.create(connection)
        connection.execute(record_version.insert().values(version=SCHEMA_VERSION))
        connection.execute(_steps.insert().values(version_num=head()))
    elif not is_complete(connection):
        # Half as much again of a start is loading this, and most records have nothing to do.
        from askwell.knowledge.migrations.running import take_steps

        logger.info("the record is brought up to date", extra={"from": _step_of(connection) or "none", "to": head()})
        take_steps(connection)


def _step_of(connection: Connection) -> str:
    """The number of the last step that was taken; empty where none was."""
    if not inspect(connection).has_table(_steps.name):
        return ""
    return connection.scalar(select(func.max(_steps.c.version_num))) or ""
