"""Answers that several routes give: as the OpenAPI document describes them, files, and work for a client that waits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Coroutine
from typing import IO, Annotated, Any
from urllib.parse import quote

from fastapi import Header, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel
from starlette.types import ASGIApp, Receive, Scope, Send

from askwell.errors import ShuttingDown
from askwell.jobs.request import DEFAULT_PROJECT
from askwell.messages import say

Responses = dict[int | str, dict[str, Any]]
BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_PIECE = 1 << 18
# What stays of a name: no folders, no quotes, nothing that a shell or Windows takes for something else.
_NOT_SAFE = re.compile(r"[^\w .()+,-]+")
_LONGEST = 120
# As nginx calls it; nobody reads it but the log.
_CLIENT_CLOSED_REQUEST = 499


def file_form(**fields: dict[str, Any]) -> dict[str, Any]:
    """What the OpenAPI document says of a form with a file, and perhaps these fields."""
    properties = {"file": BINARY["schema"], **fields}
    return {"schema": {"type": "object", "required": ["file"], "properties": properties}}


class ErrorBody(BaseModel):
    """What every error answers: a stable code, what happened, what to do next, and the request's id."""

    code: str
    message: str
    hint: str
    request_id: str


class FieldError(BaseModel):
    """One field that does not suit, in FastAPI's form."""

    type: str
    loc: list[str | int]
    msg: str


class InvalidBody(ErrorBody):
    """A request that cannot be served as it is; `detail` lists the fields at fault, when they can be named."""

    detail: list[FieldError] = []


def error_answer(description: str, *headers: str) -> dict[str, Any]:
    return {"model": ErrorBody, "description": description, "headers": _headers(*headers)}


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"description": _HEADERS[name], "schema": {"type": "string"}} for name in names}


_HEADERS = {
    "ETag": "Names this content, for `If-None-Match`.",
    "Location": "Where to poll.",
    "Retry-After": "Seconds to wait before another try, where that helps.",
    "WWW-Authenticate": "How to say who calls.",
    "X-Request-ID": "The request's id, the caller's own where it sent one.",
}
_LATER: Responses = {503: error_answer("Something is down, or about to be, or there is too much of it.", "Retry-After")}
_TOO_LARGE: Responses = {413: error_answer("The body is too large")}

# Of every route, whatever it does.
ANYWHERE: Responses = {
    400: error_answer("Not a request of HTTP/1.1 with one host"),
    401: error_answer("It is not known who calls (docs/access.md)", "WWW-Authenticate"),
    403: error_answer("For another host, of a page of another origin, or for another role"),
    429: error_answer("Too much at once, or too much for one caller", "Retry-After"),
    500: error_answer("A defect"),
    **_LATER,
}
ERRORS: Responses = {422: {"model": InvalidBody}}
CHANGES: Responses = {408: error_answer("The body did not come in time"), **_TOO_LARGE, **ERRORS}
NOT_FOUND: Responses = {404: error_answer("Nothing has this id"), **ERRORS}
CONFLICTS: Responses = {409: error_answer("Nothing is awaited, or something else")}
OUTDATED: Responses = {409: error_answer("It was made for an earlier state")}
NOT_MODIFIED: Responses = {
    200: {"headers": _headers("ETag")},
    304: {"description": "It is as it was", "headers": _headers("ETag")},
}
BUSY: Responses = {429: error_answer("Too much is waiting", "Retry-After")}
STARTS_WORK: Responses = {
    202: {"headers": _headers("Location", "X-Request-ID")},
    **BUSY,
    **CHANGES,
}
CREATES: Responses = {201: {"headers": _headers("Location")}}
STREAM: Responses = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}

EVENTS: Responses = STREAM | {204: {"description": "Nothing follows"}}


IfNoneMatch = Annotated[str | None, Header(description="What `ETag` said: 304 where it still says so.")]


def is_known(tag: str, known: str | None) -> bool:
    """Whether `If-None-Match` names this entity tag (RFC 9110, 13.1.2)."""
    listed = [one.strip().removeprefix("W/") for one in (known or "").split(",")]
    return tag in listed or listed == ["*"]


def preparing(request: Request, project_id: str, label: str, body: dict[str, str]) -> JSONResponse:
    """202 with where to poll the preparation of a project's model by its label."""
    where = f"/semantics-preparations/{quote(label, safe='')}/status"
    if project_id != DEFAULT_PROJECT:
        where += f"?project_id={quote(project_id, safe='')}"
    return started(request, body, where)


def started(request: Request, body: dict[str, str], poll_at: str) -> JSONResponse:
    """202 with where to poll, under the mount the client used."""
    return JSONResponse(body, status_code=202, headers={"Location": f"{mount_of(request.scope)}{poll_at}"})


def file_answer(file: IO[bytes], media_type: str, name: str) -> StreamingResponse:
    """The file as a download, from its beginning; it is closed when it has been sent. `name` is as `safe_name`."""
    ascii_name = name.encode("ascii", "replace").decode().replace("?", "_")
    headers = {
        "Content-Disposition": f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Length": str(file.seek(0, 2)),
    }
    return StreamingResponse(_pieces(file), media_type=media_type, headers=headers)


def safe_name(wanted: str, ending: str) -> str:
    """A name for a file as near to the wanted one as any system takes; `ending` has no dot."""
    bare = wanted[: -len(ending) - 1] if wanted.lower().endswith(f".{ending}") else wanted
    kept = _NOT_SAFE.sub("_", bare)[:_LONGEST].strip(" .")
    return f"{kept or 'result'}.{ending}"


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        file.seek(0)
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


async def disconnected(request: Request) -> None:
    """Returns when the client is gone. The body has to have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def while_connected(request: Request, work: Coroutine[Any, Any, Response], ending: asyncio.Event) -> Response:
    """What the work comes to, which is cancelled where the client goes away. Raises `ShuttingDown` where the service is
    `ending` before."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(disconnected(request))
    over = asyncio.ensure_future(ending.wait())
    try:
        await asyncio.wait({working, gone, over}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        working.cancel()
        await asyncio.wait({working})
        if over.done():
            raise ShuttingDown(*say("service.shutting_down"))
        return Response(status_code=_CLIENT_CLOSED_REQUEST)
    finally:
        for task in (working, gone, over):
            task.cancel()


PREFIX = "/v1"


class AtTheRoot:
    """Takes a path that begins with one of `words` for the same path under the prefix. Plain ASGI. Routes that stand in
    the application twice would take twice as long to build, at every start, and be looked through twice."""

    def __init__(self, app: ASGIApp, words: Collection[str]) -> None:
        self._app = app
        self._words = words

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            _, word, *_ = f"{scope['path']}/".split("/", 2)
            if word in self._words:
                scope["askwell.mount"] = ""
                scope["path"] = f"{PREFIX}{scope['path']}"
        await self._app(scope, receive, send)


def mount_of(scope: Scope) -> str:
    """What stands before the routes' own paths in the address that the client used."""
    mount: str = scope.get("askwell.mount", PREFIX)
    return mount
