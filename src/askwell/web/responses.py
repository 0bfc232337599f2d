"""Answers that several routes give alike."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse

from askwell.web.schemas.errors import ErrorBody, InvalidBody

Responses = dict[int | str, dict[str, Any]]
_ERROR: dict[str, Any] = {"model": ErrorBody}

ERRORS: Responses = {422: {"model": InvalidBody}, 503: _ERROR}
CHANGES: Responses = {413: _ERROR, **ERRORS}
NOT_FOUND: Responses = {404: _ERROR, **ERRORS}
STARTS_WORK: Responses = {413: _ERROR, 429: _ERROR, **ERRORS}


def started(request: Request, body: dict[str, str], poll_at: str) -> JSONResponse:
    """202 with where to poll, under the mount the client used."""
    path: str = request.scope["path"]
    mount = "/v1" if path.startswith("/v1/") else ""
    return JSONResponse(body, status_code=202, headers={"Location": f"{mount}{poll_at}"})
