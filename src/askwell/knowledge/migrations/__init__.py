"""What a record is at, and the steps of `versions/` that bring it up to date.

A step only goes forwards, and within one version of the record it only adds: tables, indexes, and columns that may be
null. So an Askwell that does not know the step goes on beside one that does. What is not used any more is taken away
later, by a step that also raises `SCHEMA_VERSION`, once no Askwell is left that used it.

Nothing of Alembic is loaded where there is no step to take: it would be half as much again of a start.
"""

from __future__ import annotations

import logging
import re
from functools import cache
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, func, inspect, select, text

from askwell.knowledge.schema import SCHEMA_VERSION, metadata, record_version

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
# Where it is counted which steps were taken. Alembic's usual name may be another program's in the same database.
STEPS = "askwell_steps"
_NAME = re.compile(r"r(\d{4})_\w+\.py")
# Alembic's own, with the column that it looks for.
_steps = Table(STEPS, MetaData(), Column("version_num", String(32), primary_key=True))
_EXPORT = "Start the Askwell that wrote it and save each project with `askwell project export`"
# Two that open a record at once are not to take the same steps. The lock is the transaction's.
_TAKE_TURNS = text(
    f"SELECT pg_advisory_xact_lock({int.from_bytes(b'askm')}, hashtext('steps of ' || coalesce(current_schema(), '')))"
)


@cache
def step_numbers() -> list[str]:
    """The numbers of the steps, in order, by the names of the files."""
    names = (path.name for path in (FOLDER / "versions").iterdir())
    return sorted(found[1] for name in names if (found := _NAME.fullmatch(name)))


def refusal(connection: Connection) -> tuple[str, str] | None:
    """Why this Askwell cannot use a record, and what to do; None for one that it can, or where there is none yet."""
    if not inspect(connection).has_table(record_version.name):
        return None
    version = connection.scalar(select(record_version.c.version))
    if (version or 0) > SCHEMA_VERSION:
        return (
            f"has version {version}; this Askwell reads version {SCHEMA_VERSION}",
            "Start the newer Askwell that wrote it",
        )
    if (version or 0) < SCHEMA_VERSION or step_of(connection) < step_numbers()[0]:
        return "is of a development version, from before Askwell's first release", _EXPORT
    return None


def step_of(connection: Connection) -> str:
    """The number of the last step that was taken; empty where none was."""
    if not inspect(connection).has_table(_steps.name):
        return ""
    return connection.scalar(select(func.max(_steps.c.version_num))) or ""


def is_complete(connection: Connection) -> bool:
    """Whether all steps that this Askwell knows were taken, and perhaps more of a newer one."""
    return step_of(connection) >= step_numbers()[-1]


def bring_up_to_date(connection: Connection) -> None:
    """Make a record of this version out of one that an earlier Askwell wrote, or of nothing. One that is complete is
    left as it is, also where it is ahead of us: within a version, steps only add. Of several that open it at once, one
    does the work and the others wait. Few questions are asked: a server that cuts connections again and again has to
    leave time for all of it."""
    if is_complete(connection):
        return
    if connection.dialect.name == "postgresql":
        connection.execute(_TAKE_TURNS)
    last = step_numbers()[-1]
    if not inspect(connection).has_table(record_version.name):
        metadata.create_all(connection, checkfirst=False)
        _steps.create(connection)
        connection.execute(record_version.insert().values(version=SCHEMA_VERSION))
        connection.execute(_steps.insert().values(version_num=last))
    elif not is_complete(connection):
        from askwell.knowledge.migrations.running import take_steps

        logger.info("the record is brought up to date", extra={"from": step_of(connection), "to": last})
        take_steps(connection)
