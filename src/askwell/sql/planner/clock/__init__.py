"""The clock of a plan: whatever asks the database what time it is gets the ask's own time instead.

"Today" is a day where the asker is, so the present moment becomes local time there, without a zone, as most databases
store theirs. Only where seconds are counted, a zone is asked for, or it meets a column that knows its zone does it stay
a moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlglot import exp

from askwell.sql.context import QueryContext
from askwell.sql.planner.clock import duckdb, mysql, postgres, sqlite
from askwell.sql.planner.clock.moments import Clock, note_kind

__all__ = ["note_kind", "pin_clock"]

_PINS: Mapping[str, Callable[[exp.Expr, Clock], None]] = {
    "duckdb": duckdb.pin,
    "sqlite": sqlite.pin,
    "postgres": postgres.pin,
    "mysql": mysql.pin,
}


def pin_clock(tree: exp.Query, context: QueryContext, dialect: str) -> None:
    """Replace the current date and time in `tree`, in place, by literals of `context.now` in `context.timezone`.

    On DuckDB, SQLite, PostgreSQL and MySQL or MariaDB; other databases keep their own clock.
    """
    pin = _PINS.get(dialect)
    if pin is None:
        return
    local: datetime = context.now.astimezone(ZoneInfo(context.timezone))
    clock = Clock(local, context.timezone)
    for node in list(tree.walk()):
        pin(node, clock)
