"""Errors as clients see them: one body, `{code, message, hint, request_id}`, whatever went wrong."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwell.errors import AskwellError, Busy, InvalidModel, ShuttingDown, Unauthorized, http_status
from askwell.messages import say
from askwell.web.responses import PREFIX

logger = logging.getLogger(__name__)

_HTTP_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "TOO_LARGE", 422: "INVALID_REQUEST"}
# Where clients of OpenAI look for an object `error`.
OPENAI_PATHS = ("/chat/completions", "/models")
# What FastAPI raises for bytes that are not text, numbers of absurd length and nesting without end.
_UNREADABLE = "There was an error parsing the body"


def install_error_handlers(app: FastAPI) -> None:
    """Every error of the tree, of validation and of routing answers with the shared body."""
    app.add_exception_handler(AskwellError, askwell_error)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _invalid_body)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _http_error)  # type: ignore[arg-type]


def error_response(
    request_id: str,
    status: int,
    code: str,
    message: str,
    hint: str = "",
    *,
    headers: dict[str, str] | None = None,
    more: dict[str, Any] | None = None,
) -> JSONResponse:
    """The shared body with a status."""
    body = {"code": code, "message": message, "hint": hint, "request_id": request_id, **(more or {})}
    return JSONResponse(body, status_code=status, headers=headers)


def unexpected_response(request_id: str) -> JSONResponse:
    """What a client hears of a defect: nothing but where to look."""
    return error_response(request_id, 500, "OTHERS", *say("service.defect"))


def request_id_of(request: Request) -> str:
    """The id that the request log gave to this request."""
    return str(request.scope.get("askwell.request_id", ""))


async def askwell_error(request: Request, error: AskwellError) -> JSONResponse:
    """What a client hears of an error of the tree."""
    status = http_status(error)
    if status >= 500:
        logger.warning("a request could not be served", extra={"error": error.code})
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, Busy | ShuttingDown) else None
    if isinstance(error, Unauthorized):
        headers = {"WWW-Authenticate": 'Bearer realm="askwell"'}
    more = {"problems": list(error.problems)} if isinstance(error, InvalidModel) else None
    return error_response(
        request_id_of(request), status, error.code, error.message, error.hint, headers=headers, more=more
    )


async def _invalid_body(request: Request, error: RequestValidationError) -> JSONResponse:
    """FastAPI's list of field errors beside the shared keys; what was sent is not sent back."""
    detail = [_field_error(found) for found in error.errors()]
    return error_response(
        request_id_of(request),
        422,
        "INVALID_REQUEST",
        _in_a_sentence(detail),
        _hint(request, detail),
        more={"detail": detail},
    )


def _field_error(found: dict[str, Any]) -> dict[str, Any]:
    location = [part[:64] if isinstance(part, str) else part for part in found["loc"] if not _is_choice(part)]
    message = _WORDS.get(found["type"], found["msg"])
    if found["type"] == "string_type" and type(found.get("input")) in (int, float):
        message = 'has to be text: send the number as text, in quotes, such as "7"'
    return {"type": found["type"], "loc": location, "msg": message.removeprefix("Value error, ")}


def _is_choice(part: str | int) -> bool:
    """Whether Pydantic names one of several types that a field may have, and no place in the body."""
    return isinstance(part, str) and part.startswith(("function-after[", "dict["))


# What Pydantic says in words of Python.
_WORDS = {
    "json_invalid": "The body is not valid JSON.",
    "model_attributes_type": "has to be a JSON object",
    "dict_type": "has to be a JSON object",
    "string_type": "has to be text",
    "string_too_short": "is too short, or empty",
}


def _in_a_sentence(detail: Sequence[dict[str, Any]]) -> str:
    first = detail[0]
    where = ".".join(str(part) for part in first["loc"][1:]) if first["type"] != "json_invalid" else ""
    message = f"{where or 'The body'}: {first['msg']}" if first["type"] != "json_invalid" else str(first["msg"])
    others = len(detail) - 1
    return message if not others else f"{message} ({others} more in `detail`)"


def _hint(request: Request, detail: Sequence[dict[str, Any]]) -> str:
    if not request.headers.get("content-type", "").startswith("application/json"):
        return "Send a JSON body with the header `Content-Type: application/json`."
    if detail[0]["type"] == "json_invalid":
        return f"The JSON breaks off near character {detail[0]['loc'][-1]}."
    return "Correct the fields listed in `detail`; the OpenAPI page at /docs describes them."


async def _http_error(request: Request, error: HTTPException) -> JSONResponse:
    status, headers = error.status_code, dict(error.headers or {})
    if status == 400 and error.detail == _UNREADABLE:
        status = 422
    if status == 405:
        headers["Allow"] = ", ".join(_methods_taken(request))
    message, hint = _HTTP_WORDS.get(status, (str(error.detail), ""))
    if status == 413 and error.detail != HTTPException(413).detail:
        message = str(error.detail)
    code = _HTTP_CODES.get(status, "INVALID_REQUEST" if status < 500 else "OTHERS")
    more = {"detail": [{"type": "json_invalid", "loc": ["body"], "msg": message}]} if status == 422 else None
    return error_response(request_id_of(request), status, code, message, hint, headers=headers, more=more)


def _methods_taken(request: Request) -> list[str]:
    """Of all routes at this address; Starlette names those of the first one only."""
    routes = request.app.router.routes
    scopes = ({**request.scope, "method": method} for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"))
    return [scope["method"] for scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in routes)]


_HTTP_WORDS = {
    404: ("There is nothing at this address.", "The OpenAPI page at /docs lists every route."),
    405: ("This route does not take this method.", "The `Allow` header names the methods it takes."),
    413: ("The body of the request is too large.", "Send less at once; the limit of each route is in docs/api.md."),
    422: ("The body is not JSON that can be read.", "Send JSON as UTF-8 text, with numbers and nesting within reason."),
}


class OpenAIErrors:
    """Adds `error: {message, type, code, param}` to the bodies of errors at `OPENAI_PATHS`. Clients that try again by
    themselves are told not to, but where `Retry-After` says when: each try would begin another run. Plain ASGI."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].removeprefix(PREFIX) not in OPENAI_PATHS:
            await self._app(scope, receive, send)
            return
        started: Message | None = None
        body = b""

        async def send_with_error(message: Message) -> None:
            nonlocal started, body
            if message["type"] == "http.response.start" and message["status"] >= 400:
                started = message
            elif started is not None and message["type"] == "http.response.body":
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _send_error(started, body, send)
            else:
                await send(message)

        await self._app(scope, receive, send_with_error)


async def _send_error(started: Message, body: bytes, send: Send) -> None:
    headers = MutableHeaders(scope=started)
    if headers.get("Content-Type", "").startswith("application/json") and body:
        found = json.loads(body)
        message = f"{found['message']} {found['hint']}".strip()
        kind = "invalid_request_error" if started["status"] < 500 else "server_error"
        found["error"] = {"message": message, "type": kind, "code": found["code"], "param": None}
        body = json.dumps(found, ensure_ascii=False).encode()
        headers["Content-Length"] = str(len(body))
    if "Retry-After" not in headers:
        headers["X-Should-Retry"] = "false"
    await send(started)
    await send({"type": "http.response.body", "body": body})
