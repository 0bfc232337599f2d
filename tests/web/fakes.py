"""Services that fit the web's doors and do what a test tells them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from askwell.asks.events import AskEvent
from askwell.asks.request import AskRequest
from askwell.errors import InvalidRequest, NotFound
from askwell.observability.metrics import Metrics


class FakeAsks:
    """Remembers what was asked; every ask is finished at once. `fails_with` is raised by the next call."""

    def __init__(self) -> None:
        self.requests: dict[str, AskRequest] = {}
        self.keys: dict[str, tuple[str, str]] = {}
        self.stopped: list[str] = []
        self.words: list[str] = ["Count ", "the\norders ", "by day — ok"]
        self.fails_with: Exception | None = None
        self.stream_closed = asyncio.Event()
        self.pause_before_last_word = 0.0

    async def start(self, request: AskRequest, idempotency_key: str | None = None) -> str:
        self._fail()
        if idempotency_key is not None and idempotency_key in self.keys:
            ask_id, body = self.keys[idempotency_key]
            if body != request.body_hash():
                raise InvalidRequest("This Idempotency-Key was used for another request.", "Use a new key.")
            return ask_id
        ask_id = f"ask-{len(self.requests) + 1}"
        self.requests[ask_id] = request
        if idempotency_key is not None:
            self.keys[idempotency_key] = (ask_id, request.body_hash())
        return ask_id

    async def result_json(self, ask_id: str) -> bytes:
        self._known(ask_id)
        sql = "SELECT count(*) FROM orders"
        return json.dumps({"status": "finished", "response": [{"sql": sql, "type": "llm"}]}).encode()

    async def stop(self, ask_id: str) -> None:
        self._known(ask_id)
        self.stopped.append(ask_id)

    async def stream(self, ask_id: str) -> AsyncIterator[str]:
        self._known(ask_id)
        return self._words()

    async def events(self, ask_id: str, after: int | None = None) -> AsyncIterator[AskEvent]:
        self._known(ask_id)
        return self._end()

    async def ended_with(self, ask_id: str, event_id: int) -> bool:
        self._known(ask_id)
        return event_id >= 1

    async def _end(self) -> AsyncIterator[AskEvent]:
        yield AskEvent(1, "done", {"status": "finished"})

    async def _words(self) -> AsyncIterator[str]:
        try:
            for number, word in enumerate(self.words, 1):
                if number == len(self.words):
                    await asyncio.sleep(self.pause_before_last_word)
                yield word
        finally:
            self.stream_closed.set()

    def _known(self, ask_id: str) -> None:
        self._fail()
        if ask_id not in self.requests:
            raise NotFound("There is no such ask.", "Start it again.")

    def _fail(self) -> None:
        if self.fails_with is not None:
            error, self.fails_with = self.fails_with, None
            raise error


class FakePreparation:
    def __init__(self) -> None:
        self.started: list[tuple[str, Any, str]] = []
        self.deleted: list[str] = []
        self.fails_with: Exception | None = None

    async def start(self, project_id: str, mdl: str | Mapping[str, Any], label: str | None = None) -> str:
        if self.fails_with is not None:
            raise self.fails_with
        label = label or "made-from-content"
        self.started.append((project_id, mdl, label))
        return label

    async def status(self, project_id: str, label: str) -> Mapping[str, Any]:
        if not any((project_id, label) == (project, known) for project, _, known in self.started):
            raise NotFound("No such preparation.", "Start it first.")
        return {"status": "finished"}

    async def delete(self, project_id: str) -> None:
        self.deleted.append(project_id)


class FakeKnowledge:
    def __init__(self) -> None:
        self.calls: list[tuple[str, str, list[Any]]] = []

    async def save_sql_pairs(self, project_id: str, pairs: Sequence[Mapping[str, Any]]) -> str:
        return self._event("save_sql_pairs", project_id, pairs)

    async def delete_sql_pairs(self, project_id: str, ids: Sequence[str]) -> str:
        return self._event("delete_sql_pairs", project_id, ids)

    async def sql_pairs(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        saved = self._saved("save_sql_pairs", project_id)
        return saved[offset : offset + limit], len(saved)

    async def save_instructions(self, project_id: str, instructions: Sequence[Mapping[str, Any]]) -> str:
        return self._event("save_instructions", project_id, instructions)

    async def delete_instructions(self, project_id: str, ids: Sequence[str]) -> str:
        return self._event("delete_instructions", project_id, ids)

    async def instructions(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        saved = self._saved("save_instructions", project_id)
        return saved[offset : offset + limit], len(saved)

    async def save_keywords(self, project_id: str, keywords: Sequence[Mapping[str, Any]]) -> Sequence[str]:
        self.calls.append(("save_keywords", project_id, list(keywords)))
        return ["a warning"]

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None:
        self.calls.append(("delete_keywords", project_id, list(ids)))

    async def keywords(self, project_id: str) -> Sequence[Mapping[str, Any]]:
        return self._saved("save_keywords", project_id)

    async def event(self, event_id: str, kind: str) -> Mapping[str, Any]:
        of_kind = {f"event-{n}" for n, (what, _, _) in enumerate(self.calls, 1) if what.endswith(f"{kind}s")}
        if event_id not in of_kind:
            raise NotFound("No such event.", "Start it first.")
        return {"event_id": event_id, "status": "finished"}

    def _saved(self, how: str, project_id: str) -> list[Mapping[str, Any]]:
        calls = (items for what, of, items in self.calls if (what, of) == (how, project_id))
        return list({one["id"]: one for items in calls for one in items}.values())

    def _event(self, what: str, project_id: str, items: Sequence[Any]) -> str:
        self.calls.append((what, project_id, list(items)))
        return f"event-{len(self.calls)}"


class FakeServices:
    """A service container of fakes."""

    def __init__(self) -> None:
        self.asks = FakeAsks()
        self.preparation = FakePreparation()
        self.knowledge = FakeKnowledge()
        self.metrics = Metrics()
        self.ending = asyncio.Event()
        self.checks: dict[str, dict[str, Any]] = {"record": {"ok": True, "message": "open"}}
        self.life: list[str] = []

    async def start(self) -> None:
        self.life.append("started")

    async def stop(self) -> None:
        self.life.append("stopped")

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        return self.checks
