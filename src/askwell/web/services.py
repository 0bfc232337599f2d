"""What the routes need from the rest of the program. `container.Container` fits; tests bring fakes that fit too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from askwell.asks.events import AskEvent
from askwell.asks.request import AskRequest
from askwell.observability.metrics import Metrics


class Asks(Protocol):
    """Questions on their way to an answer. Every method raises `NotFound` for an id it does not know."""

    async def start(self, request: AskRequest, idempotency_key: str | None = None) -> str:
        """Accept a question and return the ask's id. Raises `Busy`, `ShuttingDown`, and `InvalidRequest` on a
        reused key."""
        ...

    async def result_json(self, ask_id: str) -> bytes:
        """The result object of API.md as JSON."""
        ...

    async def stop(self, ask_id: str) -> None:
        """Stop an ask; an ended one stays as it is."""
        ...

    async def stream(self, ask_id: str) -> AsyncIterator[str]:
        """The words being written for an ask, from their beginning until they end."""
        ...

    async def events(self, ask_id: str, after: int | None = None) -> AsyncIterator[AskEvent]:
        """What happens to an ask, from the event that follows the id `after` until its end."""
        ...

    async def ended_with(self, ask_id: str, event_id: int) -> bool:
        """Whether this event is the ask's last, so that nothing follows it."""
        ...


class Preparation(Protocol):
    """Semantic models on their way into the index."""

    async def start(self, project_id: str, mdl: str | Mapping[str, Any], label: str | None = None) -> str:
        """Accept a model (JSON text or the object) and return the label to poll it by: the client's, or one made from
        the content. Raises `Busy` and `ShuttingDown`."""
        ...

    async def status(self, project_id: str, label: str) -> Mapping[str, Any]:
        """`{status, error?, progress?, warnings?}`. Raises `NotFound`."""
        ...

    async def delete(self, project_id: str) -> None:
        """Remove the project's model and index, and nothing else."""
        ...


class Knowledge(Protocol):
    """SQL pairs and instructions, of which every change is an event whose status can be polled; and keyword rules."""

    async def save_sql_pairs(self, project_id: str, pairs: Sequence[Mapping[str, Any]]) -> str:
        """Store pairs `{id, sql, question}` and return the event's id."""
        ...

    async def delete_sql_pairs(self, project_id: str, ids: Sequence[str]) -> str: ...

    async def sql_pairs(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of the pairs, in the order of saving; and how many there are."""
        ...

    async def save_instructions(self, project_id: str, instructions: Sequence[Mapping[str, Any]]) -> str:
        """Store instructions `{id, instruction, questions, is_default, scope}` and return the event's id."""
        ...

    async def delete_instructions(self, project_id: str, ids: Sequence[str]) -> str: ...

    async def instructions(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of the instructions, in the order of saving; and how many there are."""
        ...

    async def save_keywords(self, project_id: str, keywords: Sequence[Mapping[str, Any]]) -> Sequence[str]:
        """Store rules `{id, pattern, tables}`; warnings, where the model has no such tables. Raises `InvalidRequest`
        for too many."""
        ...

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None: ...

    async def keywords(self, project_id: str) -> Sequence[Mapping[str, Any]]:
        """The rules as they were saved."""
        ...

    async def event(self, event_id: str, kind: Literal["sql_pair", "instruction"]) -> Mapping[str, Any]:
        """`{event_id, status, error, trace_id, warnings?}`. Raises `NotFound`, for an event of another kind too."""
        ...


class Services(Protocol):
    """The service container as the web sees it."""

    @property
    def asks(self) -> Asks: ...

    @property
    def preparation(self) -> Preparation: ...

    @property
    def knowledge(self) -> Knowledge: ...

    @property
    def metrics(self) -> Metrics: ...

    @property
    def ending(self) -> asyncio.Event:
        """Set when the service is about to end: streams that are open then have to end too."""
        ...

    async def start(self) -> None:
        """Open what has to be open before the first request; take up unfinished work."""
        ...

    async def stop(self) -> None:
        """Drain and let go of everything. Safe to call twice."""
        ...

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        """Each dependency by name: `{ok, message}`."""
        ...
