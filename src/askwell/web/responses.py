"""Answers that several routes give alike."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse

from askwell.web.mounts import mount_of
from askwell.web.schemas.errors import ErrorBody, InvalidBody

Responses = dict[int | str, dict[str, Any]]


def error_answer(description: str, *headers: str) -> dict[str, Any]:
    return {"model": ErrorBody, "description": description, "headers": _headers(*headers)}


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"description": _HEADERS[name], "schema": {"type": "string"}} for name in names}


_HEADERS = {
    "Location": "Where to poll.",
    "Retry-After": "Seconds to wait before another try, where that helps.",
    "X-Request-ID": "The request's id, the caller's own where it sent one.",
}
_LATER: Responses = {503: error_answer("Something is down, or about to be, or there is too much of it.", "Retry-After")}
_TOO_LARGE: Responses = {413: error_answer("The body is too large")}

# Of every route, whatever it does.
ANYWHERE: Responses = {
    400: error_answer("Not a request of HTTP/1.1 with one host"),
    403: error_answer("For another host, or of a page of another origin"),
    500: error_answer("A defect"),
    **_LATER,
}
ERRORS: Responses = {422: {"model": InvalidBody}}
CHANGES: Responses = {408: error_answer("The body did not come in time"), **_TOO_LARGE, **ERRORS}
NOT_FOUND: Responses = {404: error_answer("Nothing has this id"), **ERRORS}
CONFLICTS: Responses = {409: error_answer("Nothing is awaited, or something else")}
STARTS_WORK: Responses = {
    202: {"headers": _headers("Location", "X-Request-ID")},
    429: error_answer("Too much is waiting", "Retry-After"),
    **CHANGES,
}
CREATES: Responses = {201: {"headers": _headers("Location")}}
STREAM: Responses = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}

EVENTS: Responses = STREAM | {204: {"description": "Nothing follows"}}


def started(request: Request, body: dict[str, str], poll_at: str) -> JSONResponse:
    """202 with where to poll, under the mount the client used."""
    return JSONResponse(body, status_code=202, headers={"Location": f"{mount_of(request.scope)}{poll_at}"})
