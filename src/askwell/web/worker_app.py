"""The HTTP application of a process that takes no requests: whether it lives, whether it can work, and its metrics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fastapi import FastAPI

from askwell import __version__
from askwell.config import ServerConfig, SignInConfig
from askwell.web.callers import KnownCallers
from askwell.web.errors import install_error_handlers
from askwell.web.request_log import RequestLog
from askwell.web.routes import operations
from askwell.web.serving import add_sign_in, include, running

if TYPE_CHECKING:
    from askwell.container import Container


def create_worker_app(services: Container, server: ServerConfig, sign_in: SignInConfig) -> FastAPI:
    """`/health` and, for those who may read them, `/metrics`, for the callers that `server` allows. Starting it starts
    the container; stopping it drains it."""
    app = FastAPI(
        title="Askwell worker", version=__version__, lifespan=partial(running, services=services), openapi_url=None
    )
    app.state.is_open = not sign_in.is_on
    install_error_handlers(app)
    routers = [operations.health(services), operations.metrics(services)]
    include(app, routers)
    add_sign_in(app, services, sign_in, routers)
    app.add_middleware(KnownCallers, server=server)
    app.add_middleware(RequestLog, tracing=lambda: services.tracing)
    return app
