"""Threads, runs and agents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from askwell.agent.agents import OfferedAgent
from askwell.agent.definition import AgentDefinition
from askwell.agent.service import Begun, NewMessage
from askwell.knowledge.threads import Message, RunEvent, Thread
from askwell.web.ports.jobs import RunDoor


class Agents(Protocol):
    """Agents by project."""

    async def all(self, project_id: str) -> Mapping[str, AgentDefinition]: ...

    async def offered(self, project_id: str | None) -> Mapping[str, OfferedAgent]:
        """The agents of a project, or those that are there without one, by what clients call their models."""
        ...

    async def is_project(self, project_id: str) -> bool:
        """Whether a project has a semantic model."""
        ...

    async def get(self, project_id: str, agent_id: str) -> AgentDefinition:
        """Raises `NotFound`."""
        ...

    async def put(self, project_id: str, agent_id: str, definition: AgentDefinition) -> None: ...

    async def delete(self, project_id: str, agent_id: str) -> None:
        """Raises `NotFound`."""
        ...


class Conversations(Protocol):
    """Threads and their runs; `agent.service.Conversations` says what each gives and raises."""

    @property
    def runs(self) -> RunDoor: ...

    @property
    def agents(self) -> Agents: ...

    def require_model(self) -> None:
        """Raises where there is no language model."""
        ...

    async def send(self, message: NewMessage) -> Begun: ...

    async def named(self, project_id: str, client_id: str, thread_id: str) -> Begun | None: ...

    async def answer(self, project_id: str | None, run_id: str, answers: Mapping[str, Any]) -> Begun: ...

    async def resume(self, project_id: str, thread_id: str, answers: Mapping[str, Any], client_id: str) -> Begun: ...

    async def run_id(self, project_id: str | None, named: str) -> str: ...

    async def ended_with(self, run_id: str, place: int) -> bool: ...

    async def waiting_in(self, project_id: str, thread_id: str) -> str | None: ...

    async def going_on(self, project_id: str, thread_id: str) -> str | None: ...

    async def events(self, run_id: str, after: int = 0, segment: int | None = None) -> AsyncIterator[RunEvent]: ...

    async def stop(self, project_id: str | None, run_id: str) -> None: ...

    async def create(
        self, project_id: str, *, agent_id: str | None, title: str, variables: Mapping[str, str]
    ) -> Thread: ...

    async def thread(self, project_id: str, thread_id: str) -> Thread:
        """Raises `NotFound`."""
        ...

    async def page(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Thread], int]: ...

    async def change(
        self, project_id: str, thread_id: str, *, title: str | None, variables: Mapping[str, str] | None
    ) -> Thread: ...

    async def messages(self, project_id: str, thread_id: str) -> Sequence[Message]: ...

    async def delete(self, project_id: str, thread_id: str) -> None: ...
