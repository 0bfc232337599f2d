"""What routes depend on: who calls, the role that a route takes, and the caller's own project, body or job.

Every route states its role by `require`; `web.routing` refuses one that does not. Ids of projects and jobs come to a
route through the functions here, which ask `Caller` whose they are.

Who may call: requests under a name of this service, and from no page but its own and the allowed ones.

Where nobody has to sign in, whoever reaches the port may do everything. So any page that someone has open could have
the browser do it, directly or by giving the page's own name the address of this service.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Depends, Path, Query, Request
from fastapi.dependencies.models import Dependant
from pydantic import Field
from starlette.types import ASGIApp, Receive, Scope, Send

from askwell.access.caller import CALLER, Caller
from askwell.config import ServerConfig
from askwell.config.hosts import host_and_port, is_among, is_loopback, is_own_page, origin_pattern
from askwell.errors import Unauthorized
from askwell.jobs.reading import JobReader
from askwell.jobs.request import DEFAULT_PROJECT, ProjectBody, ProjectId
from askwell.messages import say
from askwell.principal import ROLES, Role
from askwell.web.errors import error_response, request_id_of

# What a page of an allowed origin may read of an answer beside its body.
EXPOSED_HEADERS = ("Location", "Retry-After", "X-Request-ID", "Mcp-Session-Id", "Content-Disposition")
# What browsers say of a request: from a page of this very service, or typed, bookmarked and the like.
_AT_HOME = (b"same-origin", b"none")


class KnownCallers:
    """Answers everybody else 400 or 403, before anything of the request is read or done. Plain ASGI."""

    def __init__(self, app: ASGIApp, server: ServerConfig) -> None:
        self._app = app
        self._origins = re.compile(origin_pattern(server.allowed_origins)) if server.allowed_origins else None

        # Clients say the same again and again; what they may say is without end.
        @lru_cache(maxsize=256)
        def host_of(value: bytes) -> tuple[tuple[str, str] | None, bool]:
            host = host_and_port(value.decode("latin-1").strip(" \t"))
            return host, host is not None and (is_loopback(host[0]) or is_among(host[0], server.allowed_hosts))

        self._host_of = host_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        await error_response(request_id_of(Request(scope)), *refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str, str, str] | None:
        """Status, code, message and hint."""
        said: dict[bytes, list[bytes]] = {b"host": [], b"origin": [], b"sec-fetch-site": []}
        for name, value in scope["headers"]:
            if name in said:
                said[name].append(value)
        hosts, origins, sites = said.values()
        host, is_ours = self._host_of(hosts[0]) if len(hosts) == 1 else (None, False)
        if host is None:
            return 400, "INVALID_REQUEST", *say("callers.unclear_host")
        if not is_ours:
            return 403, "FORBIDDEN", *say("callers.other_host")
        if origins:
            may = all(self._may(origin.decode("latin-1"), host) for origin in origins)
        else:
            may = all(site in _AT_HOME for site in sites) or self._may("", host) or _is_followed_link(scope)
        return None if may else (403, "FORBIDDEN", *say("callers.other_page"))

    def _may(self, origin: str, host: tuple[str, str]) -> bool:
        return is_own_page(origin, host) or (self._origins is not None and bool(self._origins.fullmatch(origin)))


def _is_followed_link(scope: Scope) -> bool:
    """Someone followed a link of another page, which never sees what comes of it."""
    headers = dict(scope["headers"])
    return (
        scope["method"] in ("GET", "HEAD")
        and headers.get(b"sec-fetch-mode") == b"navigate"
        and headers.get(b"sec-fetch-dest") == b"document"
    )


# Without `from __future__ import annotations`: FastAPI reads the types of bodies that are only known here.


BodyT = TypeVar("BodyT", bound=ProjectBody)
# `anybody`: load balancers and browsers that are about to sign in have no key.
Access = Role | Literal["anybody"]


# Beside a body, or beside an id that is enough by itself.
ProjectSaid = Annotated[
    ProjectId | None, Query(description="Only where it is this project's; left out, the id or the body is enough.")
]


@dataclass(frozen=True, slots=True)
class Page:
    """Which items of a list: `limit` of them after the first `offset`."""

    limit: Annotated[int, Field(ge=1, le=1_000), Query()] = 100
    offset: Annotated[int, Field(ge=0, le=1_000_000_000), Query()] = 0


InPage = Annotated[Page, Depends()]


def caller_in(scope: Scope) -> Caller:
    """Who sent the request. Raises `Unauthorized` where people sign in and this is not known."""
    found = scope.get(CALLER)
    if isinstance(found, Caller):
        return found
    if not scope["app"].state.is_open:
        raise Unauthorized(*say("sign_in.needed_bare"))
    caller: Caller = scope.setdefault(CALLER, Caller())
    return caller


@dataclass(frozen=True, slots=True)
class require:
    """A dependency: the caller, who has the role. Raises `Forbidden`."""

    role: Access

    async def __call__(self, request: Request) -> Caller:
        caller = caller_in(request.scope)
        if self.role != "anybody":
            caller.require_role(self.role)
        return caller


def role_of(dependant: Dependant) -> Access | None:
    """The role that a route takes, the highest that it or its router requires; None where it states none."""
    found = {one.call.role for one in dependant.dependencies if isinstance(one.call, require)}
    found |= {role for one in dependant.dependencies if (role := role_of(one)) is not None}
    return max(found, key=("anybody", *ROLES).index, default=None)


async def current_caller(request: Request) -> Caller:
    """Who sent the request, whatever their role is."""
    return caller_in(request.scope)


AnyCaller = Annotated[Caller, Depends(current_caller)]
Curator = Annotated[Caller, Depends(require("curate"))]
Admin = Annotated[Caller, Depends(require("admin"))]
# For single routes of a router whose others take less.
CURATE = (Depends(require("curate")),)
ADMIN = (Depends(require("admin")),)


async def project_of(caller: AnyCaller, project_id: Annotated[ProjectId, Query()] = DEFAULT_PROJECT) -> str:
    """The project that the query names. Raises `NotFound` where it is not the caller's."""
    caller.require_project(project_id)
    return project_id


async def project_in_path(caller: AnyCaller, project_id: Annotated[ProjectId, Path()]) -> str:
    """The project that the path names. Raises `NotFound` where it is not the caller's."""
    caller.require_project(project_id)
    return project_id


Project = Annotated[str, Depends(project_of)]
ProjectInPath = Annotated[str, Depends(project_in_path)]


def body_of(model: type[BodyT]) -> Callable[..., Awaitable[BodyT]]:
    """A dependency: the body, for the project that it or the query names. Raises `NotFound` where that is not the
    caller's, and `InvalidRequest` where they name two."""

    async def own_body(body: model, caller: AnyCaller, project_id: ProjectSaid = None) -> BodyT:  # type: ignore[valid-type]
        meant: BodyT = body.of(project_id)  # type: ignore[attr-defined]
        caller.require_project(meant.project_id)
        return meant

    return own_body


def job_of(jobs: Callable[[], JobReader[Any, Any]], name: str = "job_id") -> Callable[..., Awaitable[str]]:
    """A dependency: the id of the job that the path names as `name`. Raises `NotFound` where it is not the caller's, or
    of another project than the query names."""

    async def own_job(
        job_id: Annotated[str, Path(alias=name)], caller: AnyCaller, project_id: ProjectSaid = None
    ) -> str:
        await caller.require_job(jobs(), job_id, project_id)
        return job_id

    return own_job
