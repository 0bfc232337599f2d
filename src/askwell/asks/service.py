"""The ask service: accepts questions, runs them as jobs, answers polls, stops them, and finds them again."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from askwell.asks.events import AskEvent, recorded_end, recorded_events
from askwell.asks.ledger import Ledger
from askwell.asks.observation import count_end, traced
from askwell.asks.request import AskRequest
from askwell.asks.result import render
from askwell.asks.run import AskRun, AskTools, Superseded
from askwell.asks.states import (
    AskError,
    AskState,
    Correcting,
    EndState,
    Failed,
    Finished,
    LiveState,
    Queued,
    Stopped,
    is_end,
    status_name,
)
from askwell.asks.status_store import Entry, MemoryStatusStore, TextStream, result_bytes
from askwell.errors import AskwellError, InvalidRequest, NotFound, RecordUnavailable
from askwell.jobs.runner import JobRunner
from askwell.knowledge.asks import AcceptedAsk, IdempotencyConflict
from askwell.knowledge.record import Record
from askwell.observability.logging import ask_scope
from askwell.observability.metrics import Metrics
from askwell.observability.tracing import Tracing
from askwell.services.projects import ProjectModels

logger = logging.getLogger(__name__)

# A crash may be the ask's own doing: it runs again once, and no more.
MAX_ATTEMPTS = 2


class AskService:
    """Every accepted ask is in the record before its id is told, and ends there: finished, failed or stopped.

    `now` gives the present moment (timezone-aware).
    """

    def __init__(
        self,
        *,
        record: Record,
        store: MemoryStatusStore,
        runner: JobRunner,
        projects: ProjectModels,
        tools: AskTools,
        metrics: Metrics,
        tracing: Tracing,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._record = record
        self._store = store
        self._runner = runner
        self._projects = projects
        self._tools = tools
        self._metrics = metrics
        self._tracing = tracing
        self._now = now

    # -- accepting --------------------------------------------------------------------------------------------------

    async def start(self, request: AskRequest, idempotency_key: str | None = None) -> str:
        """Accept a question and return the ask's id. Raises `Busy`, `ShuttingDown`, and `InvalidRequest` when
        the idempotency key was used for another request or an option is not allowed here."""
        if request.session_properties and not self._tools.settings.allow_session_properties:
            raise InvalidRequest(
                "session_properties are not allowed by this service's configuration.",
                "Leave session_properties out of the request, or set settings.allow_session_properties.",
            )
        self._runner.require_room()
        accepted = AcceptedAsk(
            id=uuid.uuid4().hex,
            project_id=request.project_id,
            request=request.to_json(),
            idempotency_key=idempotency_key,
            body_hash=request.body_hash(),
            accepted_at=self._now(),
        )
        stored = await self._record.accept_ask(accepted)
        if isinstance(stored, IdempotencyConflict):
            raise InvalidRequest(
                "This Idempotency-Key was used for another request.", "Use a new key for a new question."
            )
        if stored.id == accepted.id:
            self._enqueue(stored)
        return stored.id

    async def resume(self) -> int:
        """Take up what was accepted before a restart. Returns how many asks run again."""
        unfinished = await self._record.unfinished_asks()
        for ask in unfinished:
            self._enqueue(ask)
        return len(unfinished)

    def _enqueue(self, ask: AcceptedAsk) -> None:
        entry = self._store.add(ask.id, ask.project_id)
        # Room was checked before the ask was written down: once it is in the record it is never turned away.
        self._runner.submit(ask.id, lambda: self._work(ask, entry))

    # -- running ----------------------------------------------------------------------------------------------------

    async def _work(self, ask: AcceptedAsk, entry: Entry) -> None:
        with ask_scope(ask.id), traced(self._tracing, entry, ask.request["query"]):
            try:
                end = await self._attempt(ask, entry)
                await self._end(entry, end)
            except Superseded:
                logger.info("ask was stopped")

    async def _attempt(self, ask: AcceptedAsk, entry: Entry) -> EndState:
        request = AskRequest.from_json(ask.request)
        ledger = Ledger(self._metrics, self._tools.clock)
        run: AskRun | None = None

        def failed(error: AskError) -> EndState:
            return run.failed(error) if run else Failed(error, account=ledger.account())

        deadline = float(self._tools.settings.ask_deadline)
        try:
            async with asyncio.timeout(deadline):
                attempts = await self._record.start_attempt(ask.id)
                if attempts == 0:
                    raise Superseded  # it has ended in the record
                if attempts > MAX_ATTEMPTS:
                    return failed(_GAVE_UP)
                project = await self._projects.get(request.project_id, request.mdl_hash)
                if project is None:
                    return failed(_no_model(request))
                run = AskRun(
                    request,
                    project,
                    self._tools,
                    now=self._now().astimezone(ZoneInfo(request.timezone)),
                    ledger=ledger,
                    stream=entry.stream,
                    advance=lambda state: self._advance(entry, state),
                )
                return await run.answer()
        except TimeoutError:
            return failed(_late(deadline))
        except Superseded:
            raise
        except AskwellError as error:
            logger.warning("ask failed", extra={"error": error.code})
            return failed(AskError("OTHERS", error.message, error.hint))
        except Exception as error:
            # An accepted ask always ends. The message may hold a prompt or a row: only the class is logged by default.
            logger.error("ask failed unexpectedly", extra={"error": type(error).__name__}, exc_info=error)
            return failed(_UNEXPECTED)

    def _advance(self, entry: Entry, state: LiveState) -> None:
        if not self._store.advance(entry.ask_id, entry.state, state):
            raise Superseded
        if isinstance(state, Correcting):
            self._metrics.statement_corrected()

    async def _end(self, entry: Entry, end: EndState) -> None:
        """The record first, then whoever polls: an end that a client has seen survives a crash. One end only: a stop
        and the ask's own end wait for each other, and the second one leaves things as they are."""
        async with entry.ending:
            if is_end(entry.state):
                return
            try:
                await self._record.end_ask(entry.ask_id, status_name(end), _kept(entry, end))
            except RecordUnavailable as error:
                if isinstance(end, Stopped):
                    raise
                # The client still hears the answer; after a restart the ask would run again.
                logger.error("the end of an ask could not be recorded", extra={"error": error.code})
            self._store.advance(entry.ask_id, entry.state, end)
        count_end(self._metrics, end, time.monotonic() - entry.since)
        logger.info("ask ended", extra={"status": status_name(end), **_facts(end)})

    # -- reading ----------------------------------------------------------------------------------------------------

    async def result_json(self, ask_id: str) -> bytes:
        """The result object of API.md as JSON bytes, rendered once a state: polls are many. Raises `NotFound`."""
        entry = self._store.get(ask_id)
        if entry is not None:
            return entry.result_json()
        return result_bytes((await self._recorded(ask_id))["result"])

    async def stream(self, ask_id: str) -> AsyncIterator[str]:
        """The text being written for the ask, from its beginning. Raises `NotFound` before anything is read."""
        entry = self._store.get(ask_id)
        stream = entry.stream if entry else TextStream((await self._recorded(ask_id))["text"], closed=True)
        return stream.read()

    async def events(self, ask_id: str, after: int | None = None) -> AsyncIterator[AskEvent]:
        """What happens to the ask, from the event that follows the id `after` until its end. Raises `NotFound` before
        anything is read."""
        entry = self._store.get(ask_id)
        if entry is not None:
            return entry.events.read(after)
        kept = await self._recorded(ask_id)
        return recorded_events(kept["result"], kept["text"], kept.get("events", {}), after)

    async def ended_with(self, ask_id: str, event_id: int) -> bool:
        """Whether this event is the ask's last, so that nothing follows it. Raises `NotFound`."""
        entry = self._store.get(ask_id)
        if entry is not None:
            return entry.events.ended_with(event_id)
        kept = await self._recorded(ask_id)
        return event_id >= recorded_end(kept.get("events", {}))

    async def _recorded(self, ask_id: str) -> Mapping[str, Any]:
        """What the record keeps of an ended ask, for as long as ends stay readable."""
        oldest = self._now() - timedelta(seconds=self._tools.settings.ask_ttl)
        stored = await self._record.find_ask(ask_id)
        if stored is None or stored.result is None or stored.finished_at is None or stored.finished_at < oldest:
            raise NotFound(
                f"There is no ask {ask_id[:64]}.", "Ids are kept for a while after the ask ends; start it again."
            )
        return stored.result

    # -- stopping ---------------------------------------------------------------------------------------------------

    async def stop(self, ask_id: str) -> None:
        """Stop an ask: no model or database call of it starts after this returns. An ended ask stays as it is."""
        entry = self._store.get(ask_id)
        if entry is None:
            await self._recorded(ask_id)
            return
        await self._end(entry, Stopped())
        await self._runner.cancel(ask_id)

    @property
    def running(self) -> int:
        """Asks accepted and not ended."""
        return self._runner.depth

    async def close(self, seconds: float = 10.0) -> None:
        """Take no more asks and give the running ones `seconds` to end. What does not end stays in the record and runs
        again after a restart, as often as a service is stopped: only a crash counts against it."""
        begun = {ask_id for ask_id in await self._runner.drain(seconds) if self._has_begun(ask_id)}
        for ask_id in begun:
            try:
                await self._record.hand_back_ask(ask_id)
            except RecordUnavailable as error:
                logger.error("an ask could not be handed back", extra={"error": error.code})

    def _has_begun(self, ask_id: str) -> bool:
        entry = self._store.get(ask_id)
        return entry is not None and not isinstance(entry.state, Queued)


def _kept(entry: Entry, state: AskState) -> dict[str, Any]:
    """What the record keeps of an end: the result as clients see it, the text that was streamed, and where the events
    stood."""
    return {"result": render(entry.ask_id, state), "text": entry.stream.text(), "events": entry.events.record()}


def _facts(end: EndState) -> dict[str, Any]:
    if isinstance(end, Finished | Failed):
        return {"llm_calls": end.account.usage.llm_calls, "ms": round(sum(ms for _, ms in end.account.timings))}
    return {}


def _no_model(request: AskRequest) -> AskError:
    if request.mdl_hash:
        message = f"No semantic model named {request.mdl_hash[:64]} has been prepared for project {request.project_id}."
        hint = "Prepare it with POST /v1/semantics-preparations, or leave mdl_hash out to use the current model."
    else:
        message = f"Project {request.project_id} has no semantic model yet."
        hint = "Prepare one with POST /v1/semantics-preparations, and ask again when its status is finished."
    return AskError("OTHERS", message, hint, nl2sql_code="3003")


def _late(deadline: float) -> AskError:
    return AskError(
        "OTHERS",
        f"The question was not answered within {deadline:g} seconds.",
        "Ask a narrower question, or raise settings.ask_deadline.",
        nl2sql_code="3002",
    )


_GAVE_UP = AskError(
    "OTHERS",
    "The service was interrupted twice while answering this question, and has given up on it.",
    "Ask it again; if the service stops once more, look into its log for the reason.",
)
_UNEXPECTED = AskError(
    "OTHERS",
    "Something unexpected went wrong inside the service.",
    "Ask again; if it happens again, report it with this ask's trace_id.",
)
