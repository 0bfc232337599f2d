"""What routes depend on: who calls, the role that a route takes, and the caller's own project, body or job.

Every route states its role by `require`; `web.routing` refuses one that does not. Ids of projects and jobs come to a
route through the functions here, which ask `Caller` whose they are.
"""

# Without `from __future__ import annotations`: FastAPI reads the types of bodies that are only known here.

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Depends, Path, Query, Request
from fastapi.dependencies.models import Dependant
from pydantic import Field
from starlette.types import Scope

from askwell.access.caller import CALLER, Caller
from askwell.errors import Unauthorized
from askwell.jobs.reading import JobReader
from askwell.jobs.request import DEFAULT_PROJECT, ProjectBody, ProjectId
from askwell.messages import say
from askwell.principal import ROLES, Role

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
