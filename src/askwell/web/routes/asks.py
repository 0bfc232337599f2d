"""Questions: start, poll, stop, and read along."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from askwell.web.body_limit import body_limit
from askwell.web.responses import NOT_FOUND, STARTS_WORK, started
from askwell.web.schemas.asks import AskBody, AskStarted, StopBody
from askwell.web.schemas.result import AskResult
from askwell.web.services import Services
from askwell.web.sse import LastEventId, ServerEvent, event_stream, last_event_id, message_stream

# A hundred turns of history with long SQL still fit.
MAX_BODY = 2 * 1024 * 1024

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", pattern=r"^[\x21-\x7e]{1,255}$")]


def routes(services: Services) -> APIRouter:
    """The routes under /asks."""
    router = APIRouter(prefix="/asks", tags=["asks"], route_class=body_limit(MAX_BODY))

    @router.post("", status_code=202, response_model=AskStarted, responses=STARTS_WORK)
    async def start_ask(request: Request, body: AskBody, idempotency_key: IdempotencyKey = None) -> JSONResponse:
        """Accept a question. `Location` says where to poll its result."""
        ask_id = await services.asks.start(body.to_request(), idempotency_key)
        return started(request, {"query_id": ask_id}, f"/asks/{ask_id}/result")

    @router.get("/{query_id}/result", response_model=AskResult, responses=NOT_FOUND)
    async def ask_result(query_id: str) -> Response:
        """How far the question is, and its answer. Fields that are not known yet are absent."""
        # Already JSON: clients poll often, and validating our own output again would cost more than the poll.
        return Response(await services.asks.result_json(query_id), media_type="application/json")

    @router.patch("/{query_id}", response_model=AskStarted, responses=NOT_FOUND)
    async def stop_ask(query_id: str, body: StopBody) -> JSONResponse:
        """Stop a question. One that has ended stays as it is."""
        await services.asks.stop(query_id)
        return JSONResponse({"query_id": query_id})

    @router.get(
        "/{query_id}/streaming-result",
        response_class=StreamingResponse,
        responses=NOT_FOUND | {200: {"content": {"text/event-stream": {}}}},
    )
    async def ask_words(query_id: str) -> StreamingResponse:
        """The words of an answer, or of the reasoning plan, while they are written: `data: {"message": chunk}`."""
        return message_stream(await services.asks.stream(query_id), services.ending)

    @router.get(
        "/{query_id}/events",
        response_class=StreamingResponse,
        responses=NOT_FOUND | {200: {"content": {"text/event-stream": {}}}, 204: {"description": "Nothing follows"}},
    )
    async def ask_events(query_id: str, last_seen: LastEventId = None) -> Response:
        """Everything that happens to a question: `state` with the result so far, `delta` with a piece of text, and
        `done` or `error` with the whole result at the end. `Last-Event-ID` goes on behind that event; 204 behind the
        last one, which a browser's `EventSource` takes for the end."""
        after = last_event_id(last_seen)
        if after is not None and await services.asks.ended_with(query_id, after):
            return Response(status_code=204)
        events = await services.asks.events(query_id, after)
        frames = (ServerEvent(event.id, event.kind, event.data) async for event in events)
        return event_stream(frames, services.ending)

    return router
