"""Who sent a request, and what of the service is theirs: the one place that decides it for routes, quick polls and
MCP. Ids that tools are given by a model are held to `JobReader.require_owner`.

A project that is not the caller's, and a job of someone else, is `NotFound` in the same words as what does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from askwell.access.limits import Limits
from askwell.errors import Busy, Forbidden, NotFound
from askwell.jobs.reading import JobReader
from askwell.messages import say
from askwell.principal import ANYBODY, NOBODY, Person, Principal, Role

# In the scope of a request over HTTP: its `Caller`.
CALLER = "askwell.caller"


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal of a request; `projects` are those that it turned out to be about. What the caller starts is
    counted by `limits`. Without sign-in everything is anybody's."""

    principal: Principal = ANYBODY
    limits: Limits | None = None
    projects: set[str] = field(default_factory=set)

    @property
    def person(self) -> Person:
        """On whose behalf work is done."""
        return self.principal.person

    @property
    def is_anybody(self) -> bool:
        """Whether the service has no sign-in."""
        return self.principal is ANYBODY

    def may(self, role: Role) -> bool:
        """Whether the caller may do what this role may."""
        return self.principal.may(role)

    def owns(self, owner: str) -> bool:
        """Whether what belongs to the person of this id is the caller's. What has no owner is the administrators'."""
        return self.is_anybody or (owner == self.principal.id if owner else self.may("admin"))

    def require_role(self, role: Role) -> None:
        """Raises `Forbidden` where the caller does not have the role."""
        if not self.may(role):
            raise Forbidden(*say("roles.missing", role=role, own=self.principal.role))

    def require_project(self, project_id: str, header: str | None = None) -> None:
        """Raises `NotFound` for a project that is not the caller's, whether it exists or not. `header` is where
        clients name one, if that is the only place."""
        if not self.principal.may_use(project_id):
            project = project_id[:64]
            if header is None:
                raise NotFound(*say("roles.project_unknown", project=project))
            raise NotFound(*say("roles.project_unknown_in_header", project=project, header=header))
        self.projects.add(project_id)

    async def require_job(self, jobs: JobReader[Any, Any], job_id: str, project_id: str | None = None) -> None:
        """Raises `NotFound` for a job that is not the caller's, or is not of `project_id`. A job belongs to the
        person who started it."""
        if self.is_anybody:
            if project_id is not None:
                await jobs.require_project(job_id, project_id)
            return
        of_project, owner = await jobs.whose(job_id)
        if not self.principal.may_use(of_project) or not self.owns(owner):
            raise jobs.unknown(job_id)
        self.projects.add(of_project)
        if project_id not in (None, of_project):
            raise jobs.unknown(job_id)

    async def counted(self) -> Person:
        """The person, after counting what they start. Raises `Busy` where that is too much."""
        seconds = await self.limits.ask(self.principal.id) if self.limits is not None else None
        if seconds is not None:
            raise Busy(*say("limits.asks", seconds=seconds), retry_after=seconds)
        return self.person


# Someone who has not signed in where people do: health checks and the page are all that they reach.
STRANGER = Caller(Principal(NOBODY, "stranger", "ask", frozenset()))
