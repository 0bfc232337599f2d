"""The HTTP applications over a service container: all routes, or those of a process that takes no requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from askwell import __version__
from askwell.config import ServerConfig, SignInConfig
from askwell.config.hosts import origin_pattern
from askwell.errors import AskwellError
from askwell.job_kinds import KINDS
from askwell.web.deps import EXPOSED_HEADERS, KnownCallers
from askwell.web.errors import OpenAIErrors, install_error_handlers
from askwell.web.mcp import PATH as MCP_PATH
from askwell.web.mcp import McpDoor
from askwell.web.page_files import PageFiles
from askwell.web.polling import Compatibility, Jobs, OneProject, Poll, QuickPolls
from askwell.web.request_log import RequestLog
from askwell.web.responses import ANYWHERE, PREFIX, AtTheRoot
from askwell.web.routes import (
    agui,
    asks,
    chat_completions,
    conversations,
    documents,
    jobs,
    keys,
    knowledge,
    lessons,
    operations,
    projects,
    semantics,
    statements,
)
from askwell.web.routing import SecuredRoute
from askwell.web.sign_in import SignIn

if TYPE_CHECKING:
    from askwell.container import Container


def create_app(
    services: Container,
    server: ServerConfig | None = None,
    compatibility: Compatibility = "none",
    sign_in: SignInConfig | None = None,
) -> FastAPI:
    """Routes under /v1 and, for older clients and out of the OpenAPI page, at the root, and /mcp, for the callers that
    `server` allows, and as `compatibility` wants them; where `sign_in` is on, for those who say who they are, and of
    what is theirs. Starting the application starts the container; stopping it
    drains it."""
    server = server or ServerConfig()
    mcp = McpDoor(services)
    sign_in = sign_in or SignInConfig()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # FastAPI builds routes when the first request comes, which would hold up whatever else runs then.
        async with running(app, services, asyncio.to_thread(_build_routes, app)):
            # It takes a second, and the first caller would hold up the others.
            description = asyncio.create_task(asyncio.to_thread(app.openapi), name="openapi")
            yield
        await mcp.close()
        await description

    app = FastAPI(
        title="Askwell",
        version=__version__,
        summary="Answers questions put to a database in plain language.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses=ANYWHERE,
    )
    app.state.is_open = not sign_in.is_on
    install_error_handlers(app)
    page = PageFiles(sign_in, services)
    routers = make_routers(services, compatibility, sign_in, page)
    include(app, routers)
    app.router.routes += page.routes()
    app.router.routes.append(Route(MCP_PATH, mcp, include_in_schema=False))
    # The last one added is the first that sees a request.
    app.add_middleware(QuickPolls, polls=_polls(services), prefix=PREFIX)
    add_sign_in(app, services, sign_in, routers)
    if server.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origin_regex=origin_pattern(server.allowed_origins),
            allow_methods=["*"],
            allow_headers=["*"],
            allow_private_network=True,
            expose_headers=EXPOSED_HEADERS,
        )
    if compatibility == "wren_ui":
        app.add_middleware(OneProject)
    app.add_middleware(KnownCallers, server=server)
    app.add_middleware(RequestLog, tracing=lambda: services.tracing)
    app.add_middleware(OpenAIErrors)
    return app


def make_routers(
    services: Container, compatibility: Compatibility, sign_in: SignInConfig, page: PageFiles
) -> list[APIRouter]:
    """All routes: those for keys and for signing in with a browser where `sign_in` has these."""
    routers = [
        asks.routes(services, compatibility),
        semantics.routes(services, compatibility),
        *knowledge.routes(services, compatibility),
        *(room.routes(services) for room in (documents, lessons, statements)),
        *(routes(services) for routes in (projects.archives, projects.uploads, jobs.image_routes)),
        *(routes(services) for routes in (operations.health, operations.metrics, operations.usage)),
        operations.me(),
        *(jobs.routes(services, kind, compatibility) for kind in KINDS),
        agui.routes(services),
        chat_completions.routes(services),
        *conversations.routes(services),
    ]
    if sign_in.takes_keys:
        routers.append(keys.routes(services))
    if sign_in.oidc is not None:
        from askwell.web.routes import browser_sign_in  # its libraries are an extra

        routers.append(browser_sign_in.routes(services, page))
    return routers


def _build_routes(app: FastAPI) -> None:
    nowhere = {"type": "http", "method": "GET", "path": "/", "headers": []}
    for route in app.router.routes:
        route.matches(nowhere)


def _polls(services: Container) -> dict[tuple[str, str], Poll]:
    def jobs(name: str) -> Jobs:
        return services.jobs[name]

    kinds = {
        (kind.path, kind.result_path): Poll(f"/{kind.path}/{{job_id}}{kind.result_path}", partial(jobs, kind.name))
        for kind in KINDS
    }
    return {("asks", "/result"): Poll("/asks/{query_id}/result", lambda: services.asks), **kinds}


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
        # For the operator: uvicorn itself only tells that starting failed.
        app.state.start_error = error
        raise
    try:
        yield
    finally:
        await services.stop()


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
