"""How clients follow a job: headers and parameters that the routes of all kinds share, results, events, and polls that
are answered before the framework looks at them.

Clients ask many times for one answer, and routing, dependencies and exit stacks cost several times what sending a
result does that is rendered already. Whatever is not a plain poll of a known job goes on to the routes: only they
decide what else is answered. A record that is away is not waited for twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query
from fastapi.params import Depends as DependsOn
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from askwell.access.caller import Caller
from askwell.errors import AskwellError, NotFound
from askwell.jobs.reading import LEAST_WAIT
from askwell.jobs.request import Lenient, ProjectId, one_project
from askwell.jobs.service import JobService
from askwell.web.deps import caller_in
from askwell.web.errors import askwell_error
from askwell.web.responses import EVENTS, NOT_FOUND
from askwell.web.sse import LastEventId, event_stream, last_event_id

if TYPE_CHECKING:
    from askwell.container import Container

# `wren_ui` is a web client that takes more for granted than others.
Compatibility = Literal["none", "wren_ui"]
Jobs = JobService[Any, Any]
# The longest that an answer to a poll is held back, in seconds.
MAX_WAIT = 30

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", pattern=r"^[\x21-\x7e]{1,255}$")]
Wait = Annotated[
    int, Query(ge=0, le=MAX_WAIT, description="Answer when the state changes, or after this many seconds.")
]


class StopBody(Lenient):
    """Stops an ask, only where it is of the project that is said."""

    status: Literal["stopped"]
    project_id: ProjectId | None = None


class OneProject:
    """For `wren_ui` all requests are of the project `default`: this client names one on some routes, none on others,
    and means the same. Plain ASGI."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = one_project.set(True)
        try:
            await self._app(scope, receive, send)
        finally:
            one_project.reset(token)


async def result_of(
    caller: Caller, jobs: Jobs, job_id: str, project_id: str | None = None, wait: float = 0
) -> Response:
    """The result of the caller's job. Raises `NotFound`."""
    await caller.require_job(jobs, job_id, project_id)
    # Already JSON: clients poll often, and validating our own output again would cost more than the poll.
    return Response(await jobs.result_json(job_id, wait or LEAST_WAIT), media_type="application/json")


async def status_of(status: Awaitable[Mapping[str, Any]]) -> Response:
    """The status of a change or a preparation, ready to be sent."""
    return JSONResponse(dict(await status))


async def or_failed(
    answer: Awaitable[Response], job_id: str, compatibility: Compatibility, code: str = "OTHERS"
) -> Response:
    """The answer; for `wren_ui` a job that is not known has failed, with the `code`: that client polls for ever where
    it gets a 404."""
    try:
        return await answer
    except NotFound as error:
        if compatibility == "none":
            raise
        problem = {"code": code, "message": error.message, "hint": error.hint}
        return JSONResponse({"status": "failed", "error": problem, "trace_id": job_id})


async def follow(jobs: Jobs, services: Container, job_id: str, last_seen: str | None) -> Response:
    """The events of a job, from the one behind `last_seen` (a `Last-Event-ID`) on."""
    after = last_event_id(last_seen)
    if after is not None and await jobs.ended_with(job_id, after):
        return Response(status_code=204)
    return event_stream(await jobs.events(job_id, after), services.ending)


def add_events(
    router: APIRouter,
    services: Container,
    jobs: Callable[[], Jobs],
    name: str,
    own_job: Callable[..., Awaitable[str]],
    path: str = "/{job_id}/events",
    dependencies: Sequence[DependsOn] = (),
) -> None:
    """The route for the events of one job, at `path`. `name` is what such a job is called."""

    @router.get(
        path,
        response_class=StreamingResponse,
        responses=NOT_FOUND | EVENTS,
        name=f"{name} events",
        dependencies=dependencies,
    )
    async def job_events(last_seen: LastEventId = None, job_id: str = Depends(own_job)) -> Response:
        """Everything that happens to it: `state` with the result so far, `delta` with a piece of text, and `done` or
        `error` with the whole result at the end. `Last-Event-ID` goes on behind that event; 204 behind the last one,
        which a browser's `EventSource` takes for the end."""
        return await follow(jobs(), services, job_id, last_seen)


@dataclass(frozen=True, slots=True)
class Poll:
    """The path of the route that it stands in for, as the log names it, and where the jobs are."""

    path: str
    jobs: Callable[[], Jobs]


class QuickPolls:
    """Plain ASGI. `polls` by the word before the id and what follows it (`"asks"`, `"/result"`); `prefix` stands before
    both."""

    def __init__(self, app: ASGIApp, polls: Mapping[tuple[str, str], Poll], prefix: str) -> None:
        self._app = app
        self._polls = polls
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._answer(scope) or self._app
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response | None:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["query_string"]:
            return None
        words = scope["path"].removeprefix(self._prefix).split("/", 3)
        if len(words) < 3:
            return None
        _, word, job_id, *after = words
        poll = self._polls.get((word, "".join(f"/{rest}" for rest in after)))
        if poll is None:
            return None
        scope["route"] = poll
        try:
            return await result_of(caller_in(scope), poll.jobs(), job_id)
        except NotFound:
            return None
        except AskwellError as error:
            return await askwell_error(Request(scope), error)
