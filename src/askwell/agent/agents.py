"""The agents of a project: those that people defined, and the one that is always there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from askwell.agent.definition import DEFAULT_AGENT, AgentDefinition
from askwell.errors import InvalidRequest, NotFound
from askwell.jobs.request import DEFAULT_PROJECT
from askwell.knowledge.threads import ThreadShelf
from askwell.services.projects import ProjectModels
from askwell.sql.nearest import nearest_text

_OURS = AgentDefinition()


@dataclass(frozen=True, slots=True)
class OfferedAgent:
    """An agent as clients that know models only may choose it."""

    project_id: str
    agent_id: str
    name: str


class Agents:
    """Definitions by project. `tools` are the names of all tools, `models` those of the configured language models."""

    def __init__(
        self,
        shelf: ThreadShelf,
        projects: ProjectModels,
        *,
        tools: tuple[str, ...],
        models: tuple[str, ...],
        allows_session_properties: bool,
        now: Callable[[], datetime],
    ) -> None:
        self._shelf = shelf
        self._projects = projects
        self.tools, self._models = tools, models
        self.allows_session_properties = allows_session_properties
        self._now = now

    async def all(self, project_id: str) -> Mapping[str, AgentDefinition]:
        """All agents of a project, by id, `default` among them."""
        self._projects.require_database(project_id)
        kept = await self._shelf.agents(project_id)
        return {DEFAULT_AGENT: _OURS} | {name: _read(one) for name, one in kept.items()}

    async def offered(self, project_id: str | None) -> Mapping[str, OfferedAgent]:
        """The agents of a project, or of `default`, by what clients call their models."""
        project_id = project_id or DEFAULT_PROJECT
        found = await self.all(project_id)
        return {one: OfferedAgent(project_id, one, found[one].name) for one in found}

    async def is_project(self, project_id: str) -> bool:
        """Whether a project has a semantic model; where all share a database any name may be one."""
        try:
            return await self._projects.has_model(project_id)
        except InvalidRequest:
            return False

    async def get(self, project_id: str, agent_id: str) -> AgentDefinition:
        """An agent. Raises `NotFound`."""
        known = await self.all(project_id)
        if agent_id not in known:
            raise NotFound(
                f"There is no agent {agent_id[:64]}{nearest_text(agent_id, known)}.",
                "Define it with PUT /v1/agents/{id}, or leave agent_id out.",
            )
        return known[agent_id]

    async def put(self, project_id: str, agent_id: str, definition: AgentDefinition) -> None:
        """Define an agent, in the place of an earlier one. Raises `InvalidRequest` for what is not there."""
        self._projects.require_database(project_id)
        definition.require(self.tools, self._models)
        kept: dict[str, Any] = definition.model_dump(mode="json", exclude_defaults=True)
        await self._shelf.keep_agent(project_id, agent_id, kept, self._now())

    async def delete(self, project_id: str, agent_id: str) -> None:
        """Delete a definition; `default` is then as it came. Raises `NotFound`."""
        self._projects.require_database(project_id)
        if not await self._shelf.delete_agent(project_id, agent_id) and agent_id != DEFAULT_AGENT:
            raise NotFound(f"There is no agent {agent_id[:64]}.", "GET /v1/agents lists them.")


def _read(kept: Mapping[str, Any]) -> AgentDefinition:
    try:
        return AgentDefinition.model_validate(kept)
    except ValidationError:
        # Kept by another version: what it knew is not known here.
        return _OURS
