"""An engine whose statements are counted, by what came of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from askwell.observability.metrics import Metrics
from askwell.providers.engine.base import (
    ANY_TERMS,
    Engine,
    PhysicalSchema,
    QueryFailure,
    QueryRows,
    QueryTerms,
    StreamingEngine,
    TakeRows,
)

Outcome = TypeVar("Outcome", bound=QueryRows | QueryFailure | None)


def metered(engine: Engine, metrics: Metrics) -> Engine:
    """The engine, counted. One that plans over the model itself (it has `with_manifest`) stays one, as does one that
    streams."""
    if hasattr(engine, "with_manifest"):
        return _MeteredPlanningEngine(engine, metrics)
    return (_MeteredStreamingEngine if isinstance(engine, StreamingEngine) else _MeteredEngine)(engine, metrics)


class _MeteredEngine:
    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self._engine = engine
        self._metrics = metrics

    @property
    def dialect(self) -> str:
        return self._engine.dialect

    @property
    def data_source(self) -> str:
        return self._engine.data_source

    async def functions(self) -> frozenset[str]:
        return await self._engine.functions()

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        proving = self._engine.dry_run(sql, timeout=timeout, terms=terms)
        return await self._counted("dry_run", proving)

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        running = self._engine.execute(sql, row_limit=row_limit, timeout=timeout, terms=terms)
        return await self._counted("execute", running)

    async def introspect(self) -> PhysicalSchema:
        return await self._engine.introspect()

    async def close(self) -> None:
        await self._engine.close()

    async def _counted(self, operation: str, answer: Awaitable[Outcome]) -> Outcome:
        outcome = "unavailable"
        try:
            answered = await answer
            outcome = answered.kind if isinstance(answered, QueryFailure) else "ok"
            return answered
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            self._metrics.statement_sent(operation, outcome)


class _MeteredStreamingEngine(_MeteredEngine):
    async def stream(
        self, sql: str, take: TakeRows, *, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryFailure | None:
        streaming: Any = self._engine
        return await self._counted("execute", streaming.stream(sql, take, timeout=timeout, terms=terms))


class _MeteredPlanningEngine(_MeteredEngine):
    def with_manifest(self, manifest: Mapping[str, Any]) -> Engine:
        planning: Any = self._engine
        return _MeteredEngine(planning.with_manifest(manifest), self._metrics)
