"""The web application over a test's own services. Making one takes a fifth of a second, so each is used again by later
tests, whose services then stand behind its doors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
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
        with _described(create_app(services, server, compatibility, sign_in), compatibility, sign_in) as app:
            yield app
        return
    idle = _IDLE[compatibility + server.model_dump_json()]
    if not idle:
        whoever: Any = _Whoever()
        idle.append((create_app(whoever, server, compatibility), whoever))
    app, whoever = idle.pop()
    whoever.services = services
    try:
        with _described(app, compatibility, SignInConfig()):
            yield app
    finally:
        whoever.services = None
        idle.append((app, whoever))


@contextmanager
def _described(app: FastAPI, compatibility: Compatibility, sign_in: SignInConfig) -> Iterator[FastAPI]:
    """The application, which does not work out again what an earlier one of the same routes was described as."""
    routes = (compatibility, sign_in.takes_keys, sign_in.oidc is not None)
    app.openapi_schema = app.openapi_schema or _DESCRIPTIONS.get(routes)
    yield app
    if app.openapi_schema is not None:
        _DESCRIPTIONS.setdefault(routes, app.openapi_schema)
