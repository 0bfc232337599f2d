"""An engine whose queries run in query processes: what files and servers have in common."""

from __future__ import annotations

import asyncio
import logging
import signal
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from askwell.child_process.pool import ChildDied, ChildKind, ChildPool, Reply
from askwell.errors import EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import (
    ALL_ROWS,
    ANY_TERMS,
    CallableFunctions,
    EngineLimits,
    ForeignKey,
    PhysicalColumn,
    PhysicalSchema,
    PhysicalTable,
    QueryFailure,
    QueryRows,
    QueryTerms,
    ResultColumn,
    StreamEnd,
    TakeRows,
)

logger = logging.getLogger(__name__)

_CATALOGUE_TIMEOUT = 30.0
# Seconds for which a query waits for others to end; the deadline of an ask is usually nearer.
_LONGEST_WAIT = 120.0


class ChildEngine(ABC):
    """A database behind a pool of query processes. Nothing is started before the first question.

    `settings` are for the child's session (see `worker.child`), `imports` what it has to be able to import. `dialect`
    is sqlglot's name, `data_source` the manifest's, and `name` what people call the database. `grace_seconds` is how
    long a process may take to stop its query before it is killed; 0 where killing it stops the query.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        imports: tuple[str, ...],
        limits: EngineLimits,
        *,
        dialect: str,
        data_source: str,
        name: str,
        grace_seconds: float = 0.0,
        callable_functions: CallableFunctions | None = None,
    ) -> None:
        self.dialect = dialect
        self.data_source = data_source
        self._name = name
        bounds = {
            "memory_mb": limits.memory_mb,
            "threads": limits.threads,
            "byte_limit": limits.byte_limit,
            "functions": sorted(callable_functions(dialect)) if callable_functions is not None else None,
        }
        self._pool = ChildPool(
            ChildKind(
                "askwell.providers.engine.worker.child",
                "to run queries in",
                imports=imports,
                settings={**settings, **bounds},
                size=limits.pool_size,
                idle_seconds=limits.idle_seconds,
                grace_seconds=grace_seconds,
                unavailable=EngineUnavailable,
                busy_hint="Ask again in a while, or let more queries run at once: pool_size of the data source.",
            )
        )
        self._functions: frozenset[str] | None = None

    @abstractmethod
    def _unavailable(self, reason: str, detail: str) -> EngineUnavailable:
        """The words for a reason that the child reports, with what to do next."""

    async def functions(self) -> frozenset[str]:
        """Lower-case names of the functions the engine itself has. Asked once, then remembered."""
        if self._functions is None:
            self._functions = frozenset(await self._catalogue("functions"))
        return self._functions

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        """Prove that the database accepts `sql` without running it. `timeout` in seconds, without waiting."""
        outcome = await self._ask({"op": "check", "sql": sql, **_as_json(terms)}, timeout)
        return outcome if isinstance(outcome, QueryFailure) else None

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        """Run `sql` and return at most `row_limit` rows, and no more than the byte limit.

        `timeout` in seconds, without waiting for a free process: that is up to two minutes more, and then
        `EngineUnavailable`. Cancelling the call kills the process that runs the query.
        """
        outcome = await self._ask({"op": "query", "sql": sql, "row_limit": row_limit, **_as_json(terms)}, timeout)
        if isinstance(outcome, QueryFailure):
            return outcome
        end = _end_of(outcome)
        return QueryRows(end.columns, tuple(map(tuple, outcome.rows)), end.truncated)

    async def stream(
        self, sql: str, take: TakeRows, *, timeout: float, terms: QueryTerms = ANY_TERMS, row_limit: int = ALL_ROWS
    ) -> StreamEnd | QueryFailure:
        """Run `sql` and give at most `row_limit` rows to `take`, some at a time. `timeout` in seconds, for all of it.

        The byte limit holds for each row alone. Waiting and cancelling are as for `execute`.
        """
        request = {"op": "query", "sql": sql, "row_limit": row_limit, "streamed": True, **_as_json(terms)}
        outcome = await self._ask(request, timeout, take)
        return outcome if isinstance(outcome, QueryFailure) else _end_of(outcome)

    async def introspect(self) -> PhysicalSchema:
        """Tables, views, columns, keys and foreign keys, as the database declares them."""
        found = await self._catalogue("introspect")
        # Of a thousand tables this is a tenth of a second.
        schema = await asyncio.to_thread(_physical_schema, found)
        for view in schema.unreadable:
            logger.warning("a view cannot be read, and is left out", extra={"database": self._name, "view": view})
        return schema

    async def close(self) -> None:
        """Kill the query processes and wait for their end. Safe to call twice."""
        await self._pool.close()

    async def _catalogue(self, operation: str) -> Any:
        outcome = await self._ask({"op": operation}, _CATALOGUE_TIMEOUT)
        if isinstance(outcome, QueryFailure):
            raise EngineUnavailable(
                *say("engine.catalogue_unreadable", name=self._name, message=outcome.message),
                outcome.message,
            )
        return outcome.fields["value"]

    async def _ask(self, request: dict[str, Any], timeout: float, take: TakeRows | None = None) -> Reply | QueryFailure:
        """One request. A process that was killed from outside is replaced once, with the whole time again, unless rows
        may have been taken already."""
        try:
            try:
                return await self._ask_once(request, timeout, take)
            except ChildDied as death:
                if death.signal_number not in (signal.SIGKILL, signal.SIGTERM) or take is not None:
                    raise
                return await self._ask_once(request, timeout)
        except TimeoutError:
            return QueryFailure("timeout", f"The statement did not finish within {timeout:g} seconds.")
        except ChildDied as death:
            return _failure_of(death)

    async def _ask_once(
        self, request: dict[str, Any], timeout: float, take: TakeRows | None = None
    ) -> Reply | QueryFailure:
        # A child that can stop itself does so just before it would be killed, and lives on.
        request = {**request, "timeout": timeout * 0.95}
        reply = await self._pool.ask(request, timeout, take=take, longest_wait=_LONGEST_WAIT)
        if "unusable" in reply.fields:
            raise self._unavailable(*reply.fields["unusable"])
        return QueryFailure(*reply.fields["failure"]) if "failure" in reply.fields else reply


def _end_of(reply: Reply) -> StreamEnd:
    columns = tuple(ResultColumn(name, type_name) for name, type_name in reply.fields["columns"])
    return StreamEnd(columns, reply.fields["truncated"])


def _as_json(terms: QueryTerms) -> dict[str, Any]:
    tables = None if terms.tables is None else sorted(terms.tables)
    return {"tables": tables, "timezone": terms.timezone, "hides_rows": terms.hides_rows, "role": terms.role}


def _failure_of(death: ChildDied) -> QueryFailure:
    if death.signal_number == signal.SIGXCPU:
        return QueryFailure("timeout", "The statement used more processor time than it may.")
    return QueryFailure(
        "resources", "The statement brought down the process that ran it: it needs more than it may use."
    )


def _physical_schema(found: list[dict[str, Any]]) -> PhysicalSchema:
    broken = [table for table in found if "unreadable" in table]
    return PhysicalSchema(
        tuple(_physical_table(table) for table in found if "unreadable" not in table),
        unreadable=tuple(f"{table['name']} ({table['unreadable']})" for table in broken),
    )


def _physical_table(table: dict[str, Any]) -> PhysicalTable:
    return PhysicalTable(
        name=table["name"],
        schema=table["schema"],
        columns=tuple(PhysicalColumn(*column) for column in table["columns"]),
        primary_key=tuple(table["primary_key"]),
        foreign_keys=tuple(
            ForeignKey(tuple(columns), to_table, tuple(to_columns), *to_schema)
            for columns, to_table, to_columns, *to_schema in table["foreign_keys"]
        ),
        is_view=table["is_view"],
        comment=table["comment"],
    )
