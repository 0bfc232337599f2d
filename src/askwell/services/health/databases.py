"""The databases that are asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

from askwell.config import DataSourceConfig, address, kind_of, whereabouts
from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import Engine, QueryFailure
from askwell.providers.engine.worker.database_file import file_state, lock_holder
from askwell.providers.engine.worker.outcomes import Unusable
from askwell.services.health.finding import Finding, failed, ok, warning
from askwell.services.health.network import connection_problem

_STATEMENT_SECONDS = 5.0


@runtime_checkable
class WithRoles(Protocol):
    """An engine whose database knows what the role that it signs in with may do."""

    async def rights(self) -> str:
        """What the role may do besides reading, in words; empty for nothing."""
        ...


async def database_answers(make: Callable[[], Engine], source: DataSourceConfig) -> Finding:
    """Whether the database can be asked, and how many tables there are to see."""
    engine = make()
    try:
        return await _asked(engine, whereabouts(source))
    except EngineUnavailable as error:
        holder = await asyncio.to_thread(_holder, source.path) if source.path else ""
        if holder:
            return failed(f"{whereabouts(source)}: {error.message} It is held by {holder}.", "Close it there.")
        return failed(f"{whereabouts(source)}: {error.message}", error.hint)
    finally:
        await engine.close()


async def _asked(engine: Engine, place: str) -> Finding:
    answer = await engine.execute("SELECT 1", row_limit=1, timeout=_STATEMENT_SECONDS)
    if isinstance(answer, QueryFailure):
        return failed(f"{place}: SELECT 1 does not run. {answer.message}", "Look into the database's own log.")
    tables = len((await engine.introspect()).tables)
    if not tables:
        return warning(f"{place}: it answers, and shows no tables.", "Let this user read the tables to ask about.")
    told = f"{place}: answers, and shows {tables} {'table' if tables == 1 else 'tables'}"
    troubles, hints = [], []
    if isinstance(engine, WithRoles) and (rights := await engine.rights()):
        troubles.append(f"The role {rights}")
        hints.append("Statements run in read-only transactions; a role that may only read is safer still.")
    if engine.dialect == "mysql" and await _lacks_time_zones(engine):
        troubles.append("The server knows no time zones by name: what is asked in one gets that zone's present offset")
        hints.append("Load its time zone tables with mysql_tzinfo_to_sql.")
    if troubles:
        return warning(". ".join((told, *troubles)), " ".join(hints))
    return ok(told)


async def _lacks_time_zones(engine: Engine) -> bool:
    sql = "SELECT CONVERT_TZ('2024-01-01', 'UTC', 'Europe/Berlin') IS NULL"
    answer = await engine.execute(sql, row_limit=1, timeout=_STATEMENT_SECONDS)
    return not isinstance(answer, QueryFailure) and bool(answer.rows[0][0])


def _holder(path: Path) -> str:
    try:
        return lock_holder(file_state(str(path)))
    except Unusable:
        return ""


async def database_is_there(source: DataSourceConfig) -> Finding:
    """The same for everybody, cheap and in nobody's way: a file is not opened, a server is not signed in to, and no
    connection of an engine is taken for it. Where the database is stays untold."""
    if source.path is not None:
        if await asyncio.to_thread(os.access, source.path, os.R_OK):
            return ok(f"{source.engine} file, readable")
        return failed(f"The {source.engine} file is missing or may not be read by this user.", "")
    kind, server = kind_of(source), address(source)
    if server is None:
        return ok(f"{kind}; not looked at before it is asked")
    if problem := await connection_problem(*server):
        return failed(f"The server ({kind}) cannot be reached: {problem}.", "")
    return ok(f"{kind}, reachable")
