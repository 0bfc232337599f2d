"""Bodies have a size that each route states; a larger one is refused before it is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message

Handler = Callable[[Request], Awaitable[Response]]


def body_limit(size: int) -> type[APIRoute]:
    """A route class whose requests may carry at most `size` bytes, announced or not; more answers 413.

    FastAPI's own `max_body_size` answers announced ones in plain text, and errors here share one body.
    """

    class LimitedRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Any]:
            handle: Handler = super().get_route_handler()

            async def limited(request: Request) -> Response:
                if request.method in ("GET", "HEAD"):
                    return await handle(request)
                announced = request.headers.get("content-length", "0")
                if announced.isdecimal() and int(announced) > size:
                    raise HTTPException(413)
                return await handle(Request(request.scope, _counting(request, size)))

            return limited

    return LimitedRoute


def _counting(request: Request, size: int) -> Callable[[], Awaitable[Message]]:
    received = 0

    async def receive() -> Message:
        nonlocal received
        message: Message = await request.receive()
        received += len(message.get("body", b""))
        if received > size:
            raise HTTPException(413)
        return message

    return receive
