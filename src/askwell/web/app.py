"""The HTTP application over a service container."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from askwell import __version__
from askwell.errors import AskwellError
from askwell.web.errors import install_error_handlers
from askwell.web.request_log import RequestLog
from askwell.web.routes import asks, health, instructions, keywords, metrics, semantics, sql_pairs
from askwell.web.services import Services

PREFIX = "/v1"


def create_app(services: Services) -> FastAPI:
    """Routes under /v1 and, for older clients and out of the OpenAPI page, at the root. Starting the application starts
    the container; stopping it drains the container."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            # FastAPI builds routes when the first request comes, which would hold up whatever else runs then.
            await asyncio.gather(services.start(), asyncio.to_thread(app.openapi))
        except AskwellError as error:
            # For whoever runs the server: uvicorn itself only tells that starting failed.
            app.state.start_error = error
            raise
        try:
            yield
        finally:
            await services.stop()

    app = FastAPI(
        title="Askwell",
        version=__version__,
        summary="Answers questions put to a database in plain language.",
        lifespan=lifespan,
        redoc_url=None,
    )
    install_error_handlers(app)
    for room in (asks, semantics, sql_pairs, instructions, keywords, health, metrics):
        router = room.routes(services)
        app.include_router(router, prefix=PREFIX)
        app.include_router(router, include_in_schema=False)
    app.add_middleware(RequestLog)
    return app
