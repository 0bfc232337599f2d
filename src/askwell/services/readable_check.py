"""Whether all that a database file holds can be read: one that was cut off opens, and fails once it is asked."""

from __future__ import annotations

import time

from askwell.mdl.importers.imported import quoted
from askwell.providers.engine.base import Engine, PhysicalSchema, PhysicalTable, QueryFailure

# For all tables together. A gigabyte takes some seconds; what is not read by then is taken as it is.
_SECONDS = 60.0
# Columns of one statement: what SQLite takes, and quick to plan.
_AT_ONCE = 500
# What has to look at each value, and keeps none.
_LOOKS = {"duckdb": "bit_xor(hash({0}))", "sqlite": "max({0})"}


async def check_readable(engine: Engine, schema: PhysicalSchema) -> None:
    """Read each value of each table once. Raises `EngineUnavailable` where the file is damaged; statements that fail
    for other reasons, such as a module that is not there, say nothing about it."""
    ends = time.monotonic() + _SECONDS
    for table in schema.tables:
        for sql in [] if table.is_view else _statements(table, _LOOKS[engine.dialect]):
            left = ends - time.monotonic()
            outcome = await engine.execute(sql, row_limit=1, timeout=max(left, 0.1))
            if left < 0 or (isinstance(outcome, QueryFailure) and outcome.kind == "timeout"):
                return


def _statements(table: PhysicalTable, look: str) -> list[str]:
    place = ".".join(quoted(part) for part in (table.schema, table.name) if part)
    names = [quoted(column.name) for column in table.columns]
    return [
        f"SELECT {', '.join(look.format(name) for name in names[start : start + _AT_ONCE])} FROM {place}"
        for start in range(0, len(names), _AT_ONCE)
    ]
