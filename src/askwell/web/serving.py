"""What the applications of this service share: routes for the callers that may use them, and the container's life."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI

from askwell.config import SignInConfig
from askwell.errors import AskwellError
from askwell.web.mounts import PREFIX, AtTheRoot
from askwell.web.routing import SecuredRoute
from askwell.web.sign_in import SignIn

if TYPE_CHECKING:
    from askwell.container import Container


def include(app: FastAPI, routers: Collection[APIRouter]) -> None:
    """Add the routes under the prefix. Raises `TypeError` for one that could be used without a role."""
    for router in routers:
        for route in router.routes:
            if not isinstance(route, SecuredRoute):
                raise TypeError(f"{route} has to be made by web.routing.router")
        app.include_router(router, prefix=PREFIX)


def add_sign_in(app: FastAPI, services: Container, sign_in: SignInConfig, routers: Collection[APIRouter]) -> None:
    """Find out who calls, where people sign in, and take the routes at the root for those under the prefix."""
    routes = [route for router in routers for route in router.routes if isinstance(route, SecuredRoute)]
    if sign_in.is_on:
        app.add_middleware(SignIn, services=services, public={one.path for one in routes if one.role == "anybody"})
    app.add_middleware(AtTheRoot, words={one.path.split("/")[1] for one in routes})


@asynccontextmanager
async def running(app: FastAPI, services: Container, *also: Awaitable[None]) -> AsyncIterator[None]:
    """Starts the services, with what is to be done at the same time, and stops them at the end."""
    try:
        await asyncio.gather(services.start(), *also)
    except AskwellError as error:
        # For whoever runs the server: uvicorn itself only tells that starting failed.
        app.state.start_error = error
        raise
    try:
        yield
    finally:
        await services.stop()
