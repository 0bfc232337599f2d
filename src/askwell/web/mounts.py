"""The same routes under two addresses: `/v1/asks`, and `/asks` for older clients."""

from __future__ import annotations

from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

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
