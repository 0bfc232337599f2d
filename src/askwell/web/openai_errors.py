"""Errors for OpenAI's clients: beside the shared fields they find the object `error` that they look for."""

from __future__ import annotations

import json

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwell.web.mounts import PREFIX

PATHS = ("/chat/completions", "/models")


class OpenAIErrors:
    """Adds `error: {message, type, code, param}` to the bodies of errors at `PATHS`. Clients that try again by
    themselves are told not to, but where `Retry-After` says when: each try would begin another run. Plain ASGI."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].removeprefix(PREFIX) not in PATHS:
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
