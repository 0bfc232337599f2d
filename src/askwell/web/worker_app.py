"""The HTTP application of a process that takes no requests: whether it lives, whether it can work, and its metrics."""

from __future__ import annotations

from functools import partial
from typing import cast

from fastapi import Depends, FastAPI

from askwell import __version__
from askwell.config import ServerConfig, SignInConfig
from askwell.web.callers import KnownCallers
from askwell.web.errors import install_error_handlers
from askwell.web.guard import GuardedServices
from askwell.web.mounts import PREFIX, AtTheRoot
from askwell.web.request_log import RequestLog
from askwell.web.rights import allowed
from askwell.web.routes import health, metrics
from askwell.web.services import Services, running
from askwell.web.sign_in import SignIn


def create_worker_app(services: Services, server: ServerConfig, sign_in: SignInConfig) -> FastAPI:
    """`/health` and, for those who may read them, `/metrics`, for the callers that `server` allows. Starting it starts
    the container; stopping it drains it."""
    guarded = GuardedServices(services) if sign_in.is_on else None  # type: ignore[arg-type]
    if guarded is not None:
        services = cast(Services, guarded)

    app = FastAPI(
        title="Askwell worker", version=__version__, lifespan=partial(running, services=services), openapi_url=None
    )
    install_error_handlers(app)
    rights = [Depends(allowed)] if guarded is not None else []
    for room in (health, metrics):
        app.include_router(room.routes(services), prefix=PREFIX, dependencies=rights)
    if guarded is not None:
        app.add_middleware(SignIn, services=guarded)
    app.add_middleware(AtTheRoot, words={"health", "metrics"})
    app.add_middleware(KnownCallers, server=server)
    app.add_middleware(RequestLog, tracing=lambda: services.tracing)
    return app
