"""Conversations, as their owners may use them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askwell.access.current import current_call
from askwell.agent.agents import Agents, OfferedAgent
from askwell.agent.definition import AgentDefinition
from askwell.agent.service import Begun, Conversations, NewMessage, unknown_thread
from askwell.jobs.request import DEFAULT_PROJECT
from askwell.knowledge.threads import Message, RunEvent, Thread
from askwell.web.guard.jobs import Counted, GuardedJobs, counted_person, is_own

# Whose agents a client is told of that names none.
_MOST_PROJECTS = 100


class GuardedAgents:
    """Agents belong to their project."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def all(self, project_id: str) -> Mapping[str, AgentDefinition]:
        current_call().require_project(project_id)
        return await self._agents.all(project_id)

    async def offered(self, project_id: str | None) -> Mapping[str, OfferedAgent]:
        """Without a project those of all projects that the caller has, if they are told one by one."""
        call = current_call()
        own = call.principal.projects
        if project_id is not None or own is None:
            return await self._agents.offered(self._named(project_id))
        found: dict[str, OfferedAgent] = {}
        for one in sorted(own)[:_MOST_PROJECTS]:
            if await self.is_project(one):
                agents = await self._agents.offered(one)
                found |= {name if one == DEFAULT_PROJECT else f"{one}/{name}": agents[name] for name in agents}
        return found

    @staticmethod
    def _named(project_id: str | None) -> str:
        current_call().require_project(project_id or DEFAULT_PROJECT)
        return project_id or DEFAULT_PROJECT

    async def is_project(self, project_id: str) -> bool:
        """Whether a project of the caller's has a semantic model."""
        return current_call().principal.may_use(project_id) and await self._agents.is_project(project_id)

    async def get(self, project_id: str, agent_id: str) -> AgentDefinition:
        current_call().require_project(project_id)
        return await self._agents.get(project_id, agent_id)

    async def put(self, project_id: str, agent_id: str, definition: AgentDefinition) -> None:
        current_call().require_project(project_id)
        await self._agents.put(project_id, agent_id, definition)

    async def delete(self, project_id: str, agent_id: str) -> None:
        current_call().require_project(project_id)
        await self._agents.delete(project_id, agent_id)


class GuardedConversations:
    """Threads and runs belong to whoever began them. An id that a client chose for a thread is the person's own: two
    people who choose the same one have a thread each, and neither learns of the other's."""

    def __init__(self, conversations: Conversations, counted: Counted) -> None:
        self._conversations = conversations
        self._counted = counted
        self._runs = GuardedJobs(conversations.runs, counted)
        self._agents = GuardedAgents(conversations.agents)

    @property
    def runs(self) -> GuardedJobs:
        return self._runs

    @property
    def agents(self) -> GuardedAgents:
        return self._agents

    def require_model(self) -> None:
        self._conversations.require_model()

    # -- runs -------------------------------------------------------------------------------------------------------

    async def send(self, message: NewMessage) -> Begun:
        person = await counted_person(message.project_id, self._counted)
        thread_id = message.thread_id and await self._own(message.project_id, message.thread_id)
        return await self._conversations.send(replace(message, thread_id=thread_id, person=person))

    async def named(self, project_id: str, client_id: str, thread_id: str) -> Begun | None:
        call = current_call()
        call.require_project(project_id)
        own = await self._own(project_id, thread_id)
        return await self._conversations.named(project_id, client_id, own, call.principal.person)

    async def answer(self, project_id: str | None, run_id: str, answers: Mapping[str, Any]) -> Begun:
        await self._runs.require(run_id)
        principal = current_call().principal
        await self._counted(principal.id)
        return await self._conversations.answer(project_id, run_id, answers, person=principal.person)

    async def resume(self, project_id: str, thread_id: str, answers: Mapping[str, Any], client_id: str) -> Begun:
        person = await counted_person(project_id, self._counted)
        own = await self._own(project_id, thread_id)
        return await self._conversations.resume(project_id, own, answers, client_id, person=person)

    async def run_id(self, project_id: str | None, named: str) -> str:
        call = current_call()
        if project_id is not None:
            call.require_project(project_id)
        return await self._conversations.run_id(project_id, named, call.principal.person)

    async def ended_with(self, run_id: str, place: int) -> bool:
        await self._runs.require(run_id)
        return await self._conversations.ended_with(run_id, place)

    async def events(self, run_id: str, after: int = 0, segment: int | None = None) -> AsyncIterator[RunEvent]:
        await self._runs.require(run_id)
        return await self._conversations.events(run_id, after, segment)

    async def stop(self, project_id: str | None, run_id: str) -> None:
        await self._runs.require(run_id)
        await self._conversations.stop(project_id, run_id)

    async def waiting_in(self, project_id: str, thread_id: str) -> str | None:
        current_call().require_project(project_id)
        return await self._conversations.waiting_in(project_id, await self._own(project_id, thread_id))

    async def going_on(self, project_id: str, thread_id: str) -> str | None:
        current_call().require_project(project_id)
        return await self._conversations.going_on(project_id, await self._own(project_id, thread_id))

    # -- threads ----------------------------------------------------------------------------------------------------

    async def create(
        self, project_id: str, *, agent_id: str | None, title: str, variables: Mapping[str, str]
    ) -> Thread:
        call = current_call()
        call.require_project(project_id)
        return await self._conversations.create(
            project_id, agent_id=agent_id, title=title, variables=variables, person=call.principal.person
        )

    async def thread(self, project_id: str, thread_id: str) -> Thread:
        return await self._conversations.thread(project_id, await self._known(project_id, thread_id))

    async def page(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Thread], int]:
        """The caller's own; an administrator gets everybody's, without what others called them."""
        call = current_call()
        call.require_project(project_id)
        if not call.principal.may("admin"):
            return await self._conversations.page(project_id, offset, limit, call.principal.id)
        page, total = await self._conversations.page(project_id, offset, limit)
        told = [one if is_own(one.owner, call) else replace(one, title="", variables={}) for one in page]
        return told, total

    async def change(
        self, project_id: str, thread_id: str, *, title: str | None, variables: Mapping[str, str] | None
    ) -> Thread:
        own = await self._known(project_id, thread_id)
        return await self._conversations.change(project_id, own, title=title, variables=variables)

    async def messages(self, project_id: str, thread_id: str) -> Sequence[Message]:
        return await self._conversations.messages(project_id, await self._known(project_id, thread_id))

    async def delete(self, project_id: str, thread_id: str) -> None:
        await self._conversations.delete(project_id, await self._known(project_id, thread_id))

    async def _known(self, project_id: str, thread_id: str) -> str:
        """The id of a thread that somebody asks for. Raises `NotFound`, in the words that they used."""
        current_call().require_project(project_id)
        if await self._is_own(project_id, thread_id):
            return thread_id
        own = _own_id(project_id, thread_id)
        if await self._conversations.owner(project_id, own) is None:
            # Says that there is none: nobody has the given id, or it is somebody else's.
            raise unknown_thread(thread_id)
        return own

    async def _own(self, project_id: str, thread_id: str) -> str:
        """The id by which the record knows the caller's thread."""
        return thread_id if await self._is_own(project_id, thread_id) else _own_id(project_id, thread_id)

    async def _is_own(self, project_id: str, thread_id: str) -> bool:
        owner = await self._conversations.owner(project_id, thread_id)
        return owner is not None and is_own(owner, current_call())


def _own_id(project_id: str, thread_id: str) -> str:
    """The id of the caller's thread for which they chose another one."""
    chosen = f"{current_call().principal.id}\n{project_id}\n{thread_id}"
    return uuid.uuid5(uuid.NAMESPACE_OID, chosen).hex
