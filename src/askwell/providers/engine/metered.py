"""An engine whose statements are counted, by what came of them, and traced."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from askwell.observability.metrics import Metrics
from askwell.observability.operations import statement
from askwell.observability.tracing import calling
from askwell.privacy.current import is_decided, masked_statement
from askwell.providers.engine.base import (
    ALL_ROWS,
    ANY_TERMS,
    Engine,
    PhysicalSchema,
    QueryFailure,
    QueryRows,
    QueryTerms,
    StreamEnd,
    StreamingEngine,
    TakeRows,
)

Outcome = TypeVar("Outcome", bound=QueryRows | StreamEnd | QueryFailure | None)


def metered(engine: Engine, metrics: Metrics, *, keeps_values: bool) -> Engine:
    """The engine, counted. One that plans over the model itself (it has `with_manifest`) stays one, as does one that
    streams. Where values of any project are kept (`keeps_values`), a statement of which nobody has said whose it is
    is not traced."""
    if hasattr(engine, "with_manifest"):
        return _MeteredPlanningEngine(engine, metrics, keeps_values)
    made = _MeteredStreamingEngine if isinstance(engine, StreamingEngine) else _MeteredEngine
    return made(engine, metrics, keeps_values)


class _MeteredEngine:
    def __init__(self, engine: Engine, metrics: Metrics, keeps_values: bool) -> None:
        self._engine = engine
        self.dialect = engine.dialect
        self.data_source = engine.data_source
        self._keeps_values = keeps_values
        self._metrics = metrics

    async def functions(self) -> frozenset[str]:
        return await self._engine.functions()

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        proving = self._engine.dry_run(sql, timeout=timeout, terms=terms)
        return await self._counted("dry_run", sql, proving)

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        running = self._engine.execute(sql, row_limit=row_limit, timeout=timeout, terms=terms)
        return await self._counted("execute", sql, running)

    async def introspect(self) -> PhysicalSchema:
        return await self._engine.introspect()

    async def close(self) -> None:
        await self._engine.close()

    async def _counted(self, operation: str, sql: str, answer: Awaitable[Outcome]) -> Outcome:
        outcome = "unavailable"
        try:
            with calling(statement(operation, self.dialect), given=lambda: self._shown(sql)) as call:
                answered = await answer
                if isinstance(answered, QueryFailure):
                    outcome = call.error = answered.kind
                else:
                    outcome = "ok"
                return answered
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            self._metrics.statement_sent(operation, outcome)

    def _shown(self, sql: str) -> str | None:
        return None if self._keeps_values and not is_decided() else masked_statement(sql)


class _MeteredStreamingEngine(_MeteredEngine):
    async def stream(
        self, sql: str, take: TakeRows, *, timeout: float, terms: QueryTerms = ANY_TERMS, row_limit: int = ALL_ROWS
    ) -> StreamEnd | QueryFailure:
        streaming: Any = self._engine
        running = streaming.stream(sql, take, timeout=timeout, terms=terms, row_limit=row_limit)
        return await self._counted("execute", sql, running)


class _MeteredPlanningEngine(_MeteredEngine):
    def with_manifest(self, manifest: Mapping[str, Any]) -> Engine:
        planning: Any = self._engine
        return _MeteredEngine(planning.with_manifest(manifest), self._metrics, self._keeps_values)
