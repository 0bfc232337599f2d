"""Routers: every route states its role and the size of its bodies, and one that states no role is refused.

Bodies that are too large, or hold more parts than any route needs, are refused before they are read. A large one is
read on a thread.

A connection that ends with its answer is read on for a while before a body is refused: ended with bytes unread it would
be reset, and many clients would not see the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Message

from askwell.errors import Forbidden
from askwell.heap import many_objects
from askwell.mdl.json_source import crowded
from askwell.messages import say
from askwell.web.deps import Access, require, role_of

# Read in some milliseconds, and not worth a thread.
_SMALL = 256 * 1024
# What is read on and dropped of a body that is too large.
_MOST_DROPPED = 512 * 1024 * 1024

Handler = Callable[[Request], Awaitable[Response]]
# Of routes that take no body, or a few fields.
SMALL_BODY = 1024 * 1024


def router(
    prefix: str = "", *, tag: str, role: Access | None = None, most_bytes: int | Callable[[], int] = SMALL_BODY
) -> APIRouter:
    """A router whose routes take the role, and may each require a higher one; without `role` each states its own.
    Bodies have at most so many bytes, announced or not; more answers 413."""
    stated = [] if role is None else [Depends(require(role))]
    return APIRouter(prefix=prefix, tags=[tag], dependencies=stated, route_class=_secured(most_bytes))


class SecuredRoute(APIRoute):
    """A route with a role and a limit for its bodies. One that states no role is refused to everybody.

    FastAPI's own `max_body_size` answers announced ones in plain text, and errors here share one body."""

    most_bytes: int | Callable[[], int] = SMALL_BODY

    @property
    def role(self) -> Access | None:
        """Who may use the route; None where it does not say."""
        return role_of(self.dependant)

    def get_route_handler(self) -> Callable[[Request], Any]:
        """See `APIRoute`."""
        if self.role is None:
            return _refuse
        handle: Handler = super().get_route_handler()
        size = self.most_bytes

        async def limited(request: Request) -> Response:
            if request.method in ("GET", "HEAD"):
                return await handle(request)
            most = size() if callable(size) else size
            announced = request.headers.get("content-length", "0")
            if announced.isdecimal() and int(announced) > most:
                await _drop(request)
                raise HTTPException(413)
            return await handle(_BoundedRequest(request.scope, _counting(request, most)))

        return limited


def _secured(size: int | Callable[[], int]) -> type[SecuredRoute]:
    return type("SecuredRoute", (SecuredRoute,), {"most_bytes": size if isinstance(size, int) else staticmethod(size)})


async def _refuse(_: Request) -> Response:
    raise Forbidden(*say("roles.address_unlisted"))


class _BoundedRequest(Request):
    async def json(self) -> Any:
        body = await self.body()
        return await (super().json() if len(body) <= _SMALL else asyncio.to_thread(_read, body))


def _read(body: bytes) -> Any:
    bound = crowded(body)
    if bound is not None:
        raise HTTPException(413, f"The body of the request holds more than {bound.limit:,} {bound.what}.")
    with many_objects():
        # A function of Python's for each object is where other threads get in.
        return json.loads(body, object_pairs_hook=lambda pairs: dict(pairs))


async def _drop(request: Request) -> None:
    """Read on to the end of the body, if the connection ends with the answer. Not where the client waits to be told to
    send it. The server ends the connection of a client that sends too slowly."""
    connection = request.headers.get("connection", "").lower()
    ends = "close" in connection or (request.scope["http_version"] == "1.0" and "keep-alive" not in connection)
    dropped = 0
    while ends and "expect" not in request.headers and dropped < _MOST_DROPPED:
        message: Message = await request.receive()
        dropped += len(message.get("body", b""))
        if not message.get("more_body"):
            return


def _counting(request: Request, size: int) -> Callable[[], Awaitable[Message]]:
    received = 0

    async def receive() -> Message:
        nonlocal received
        message: Message = await request.receive()
        received += len(message.get("body", b""))
        if received > size:
            if message.get("more_body"):
                await _drop(request)
            raise HTTPException(413)
        return message

    return receive
