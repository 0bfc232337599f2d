"""How clients follow a job: headers and parameters that the routes of all kinds share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse

from askwell.web.responses import EVENTS, NOT_FOUND
from askwell.web.services import JobDoor, Services
from askwell.web.sse import LastEventId, ServerEvent, event_stream, last_event_id

# The longest that an answer to a poll is held back, in seconds.
MAX_WAIT = 30

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", pattern=r"^[\x21-\x7e]{1,255}$")]
Wait = Annotated[
    int, Query(ge=0, le=MAX_WAIT, description="Answer when the state changes, or after this many seconds.")
]


async def follow(door: JobDoor, services: Services, job_id: str, last_seen: str | None) -> Response:
    """The events of a job, from the one behind `last_seen` (a `Last-Event-ID`) on."""
    after = last_event_id(last_seen)
    if after is not None and await door.ended_with(job_id, after):
        return Response(status_code=204)
    events = await door.events(job_id, after)
    frames = (ServerEvent(event.id, event.kind, event.json) async for event in events)
    return event_stream(frames, services.ending)


def add_events(
    router: APIRouter, services: Services, door: Callable[[], JobDoor], name: str, dependencies: Sequence[Any] = ()
) -> None:
    """The route for the events of one job, under its id. `name` is what such a job is called."""

    @router.get(
        "/{job_id}/events",
        response_class=StreamingResponse,
        responses=NOT_FOUND | EVENTS,
        dependencies=list(dependencies),
        name=f"{name} events",
    )
    async def job_events(job_id: str, last_seen: LastEventId = None) -> Response:
        """Everything that happens to it: `state` with the result so far, `delta` with a piece of text, and `done` or
        `error` with the whole result at the end. `Last-Event-ID` goes on behind that event; 204 behind the last one."""
        return await follow(door(), services, job_id, last_seen)
