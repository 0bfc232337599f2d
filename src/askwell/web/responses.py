"""Answers that several routes give alike."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Header, Request
from fastapi.responses import JSONResponse

from askwell.jobs.request import DEFAULT_PROJECT
from askwell.web.mounts import mount_of
from askwell.web.schemas.errors import ErrorBody, InvalidBody

Responses = dict[int | str, dict[str, Any]]


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
OUTDATED: Responses = {409: error_answer("It was made for what is no longer so")}
NOT_MODIFIED: Responses = {
    200: {"headers": _headers("ETag")},
    304: {"description": "It is as it was", "headers": _headers("ETag")},
}
STARTS_WORK: Responses = {
    202: {"headers": _headers("Location", "X-Request-ID")},
    429: error_answer("Too much is waiting", "Retry-After"),
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
