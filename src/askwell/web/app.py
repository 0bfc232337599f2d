"""The HTTP application over a service container."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

from fastapi import Depends, FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from askwell import __version__
from askwell.config import ServerConfig, SignInConfig
from askwell.config.hosts import origin_pattern
from askwell.job_kinds import KINDS
from askwell.web.callers import EXPOSED_HEADERS, KnownCallers
from askwell.web.compatibility import Compatibility, OneProject
from askwell.web.errors import install_error_handlers
from askwell.web.guard import GuardedServices
from askwell.web.mcp import PATH as MCP_PATH
from askwell.web.mcp import McpDoor
from askwell.web.mounts import PREFIX, AtTheRoot
from askwell.web.openai_errors import OpenAIErrors
from askwell.web.page_files import PageFiles
from askwell.web.quick_polls import Poll, QuickPolls
from askwell.web.request_log import RequestLog
from askwell.web.responses import ANYWHERE
from askwell.web.rights import allowed
from askwell.web.routes import (
    agui,
    archives,
    asks,
    chart_images,
    chat_completions,
    conversations,
    documents,
    health,
    instructions,
    jobs,
    keys,
    keywords,
    lessons,
    me,
    metrics,
    semantics,
    sql_pairs,
    statements,
    ui_messages,
    uploads,
    usage,
)
from askwell.web.services import JobDoor, Services, running
from askwell.web.sign_in import SignIn


def create_app(
    services: Services,
    server: ServerConfig | None = None,
    compatibility: Compatibility = "none",
    sign_in: SignInConfig | None = None,
) -> FastAPI:
    """Routes under /v1 and, for older clients and out of the OpenAPI page, at the root, and /mcp, for the callers that
    `server` allows, and as `compatibility` wants them; where `sign_in` is on, for those who say who they are, and of
    what is theirs (`services` is a container then). Starting the application starts the container; stopping it
    drains it."""
    server = server or ServerConfig()
    mcp = McpDoor(services)
    guarded = GuardedServices(services) if sign_in is not None and sign_in.is_on else None  # type: ignore[arg-type]
    if guarded is not None:
        services = cast(Services, guarded)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # FastAPI builds routes when the first request comes, which would hold up whatever else runs then.
        async with running(app, services, asyncio.to_thread(_build_routes, app)):
            # It takes a second, and whoever asks for it first would hold up the others.
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
    install_error_handlers(app)
    page = PageFiles(sign_in or SignInConfig(), services)
    routers = [
        *(room.routes(services, compatibility) for room in (asks, semantics, sql_pairs, instructions)),
        *(
            room.routes(services)
            for room in (archives, chart_images, documents, keywords, lessons, health, metrics, uploads, usage)
        ),
        statements.routes(services),
        me.routes(),
        *(jobs.routes(services, kind, compatibility) for kind in KINDS),
        agui.routes(services),
        chat_completions.routes(services),
        ui_messages.routes(services),
        *conversations.routes(services),
    ]
    if guarded is not None and sign_in is not None and sign_in.takes_keys:
        routers.append(keys.routes(guarded))
    if guarded is not None and sign_in is not None and sign_in.oidc is not None:
        from askwell.web.routes import browser_sign_in  # its libraries are an extra

        routers.append(browser_sign_in.routes(guarded, page))
    rights = [Depends(allowed)] if guarded is not None else []
    for router in routers:
        app.include_router(router, prefix=PREFIX, dependencies=rights)
    app.router.routes += page.routes()
    app.router.routes.append(Route(MCP_PATH, mcp, include_in_schema=False))
    # The last one added is the first that sees a request.
    app.add_middleware(QuickPolls, polls=_polls(services), prefix=PREFIX)
    if guarded is not None:
        app.add_middleware(SignIn, services=guarded)
    app.add_middleware(AtTheRoot, words={route.path.split("/")[1] for router in routers for route in router.routes})
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


def _build_routes(app: FastAPI) -> None:
    nowhere = {"type": "http", "method": "GET", "path": "/", "headers": []}
    for route in app.router.routes:
        route.matches(nowhere)


def _polls(services: Services) -> dict[tuple[str, str], Poll]:
    def door(name: str) -> Callable[[], JobDoor]:
        return lambda: services.jobs[name]

    kinds = {
        (kind.path, kind.result_path): Poll(f"/{kind.path}/{{job_id}}{kind.result_path}", door(kind.name))
        for kind in KINDS
    }
    return {("asks", "/result"): Poll("/asks/{query_id}/result", lambda: services.asks), **kinds}
