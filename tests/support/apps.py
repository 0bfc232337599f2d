"""The web application over a test's own services. Making one takes a fifth of a second, so each is used again by later
tests, whose services then stand behind its doors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from fastapi import FastAPI

from askwell.config import ServerConfig, SignInConfig
from askwell.web.app import create_app
from askwell.web.polling import Compatibility


class _Whoever:
    """The services of the test that has the application now."""

    def __init__(self) -> None:
        self.services: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.services, name)


_IDLE: defaultdict[str, list[tuple[FastAPI, _Whoever]]] = defaultdict(list)
# What OpenAPI says of an application, which takes longer than making it, by what its routes depend on.
_DESCRIPTIONS: dict[tuple[Compatibility, bool, bool], dict[str, Any]] = {}
_DESCRIBING = Lock()


@contextmanager
def application(
    services: Any,
    server: ServerConfig | None = None,
    compatibility: Compatibility = "none",
    sign_in: SignInConfig | None = None,
) -> Iterator[FastAPI]:
    """An application over these services that nobody else has meanwhile, for the callers that `server` allows. One with
    sign-in is used once: what it knows of its services stays with it."""
    server = server or ServerConfig()
    if sign_in is not None and sign_in.is_on:
        yield _made(services, server, compatibility, sign_in)
        return
    idle = _IDLE[compatibility + server.model_dump_json()]
    if not idle:
        whoever: Any = _Whoever()
        idle.append((_made(whoever, server, compatibility, SignInConfig()), whoever))
    app, whoever = idle.pop()
    whoever.services = services
    try:
        yield app
    finally:
        whoever.services = None
        idle.append((app, whoever))


def _made(services: Any, server: ServerConfig, compatibility: Compatibility, sign_in: SignInConfig) -> FastAPI:
    """An application that does not work out again what another one of the same routes is described as."""
    app = create_app(services, server, compatibility, sign_in)
    routes = (compatibility, sign_in.takes_keys, sign_in.oidc is not None)
    describe = app.openapi

    def described() -> dict[str, Any]:
        with _DESCRIBING:
            app.openapi_schema = _DESCRIPTIONS[routes] = _DESCRIPTIONS.get(routes) or describe()
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
    return app
