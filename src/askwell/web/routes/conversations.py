"""Conversations over plain HTTP: messages, runs, threads and agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from askwell.agent.definition import AgentDefinition, VariableName, VariableValue
from askwell.agent.request import LONGEST_MESSAGE
from askwell.agent.service import NewMessage, unknown_thread
from askwell.asks.citations import Citation
from askwell.asks.result import ClarificationBody, UsageBody
from askwell.field_types import Flag, Identifier, PathId, Question, Sql, Text
from askwell.job_kinds.tools import JobError
from askwell.jobs.request import Body, Lenient, ProjectBody, ProjectId
from askwell.knowledge.threads import Message
from askwell.web.chat_events import own_message, thread_id_of
from askwell.web.deps import CURATE, AnyCaller, InPage, Project, ProjectSaid, body_of
from askwell.web.polling import IdempotencyKey, StopBody, Wait
from askwell.web.responses import CHANGES, CONFLICTS, CREATES, ERRORS, EVENTS, NOT_FOUND, STARTS_WORK, mount_of, started
from askwell.web.routing import router as new_router
from askwell.web.sse import LastEventId, last_event_id, record_stream

if TYPE_CHECKING:
    from askwell.container import Container

MAX_BODY = 1024 * 1024


MessageText = Annotated[Question, Field(max_length=LONGEST_MESSAGE)]
Variables = Annotated[dict[VariableName, VariableValue], Field(max_length=50)]
SessionProperties = Annotated[dict[Identifier, Sql], Field(max_length=50)]


class ChatBody(Body):
    """A message. An unknown `thread_id`, or none, begins a thread."""

    message: MessageText
    thread_id: PathId | None = None
    agent_id: Identifier | None = None
    variables: Variables = {}
    session_properties: SessionProperties = {}


class ChatStarted(BaseModel):
    thread_id: str
    run_id: str


class Interrupt(BaseModel):
    """What the person is asked. `responseSchema` is the JSON Schema of an answer."""

    model_config = ConfigDict(extra="forbid")

    class Metadata(BaseModel):
        clarification: ClarificationBody

    id: str
    reason: Literal["clarification"]
    message: str
    toolCallId: str
    responseSchema: dict[str, Any]
    expiresAt: str | None = None
    metadata: Metadata


class Run(BaseModel):
    """One run of a thread. Fields that are not known yet are absent."""

    model_config = ConfigDict(extra="forbid")

    run_id: str
    thread_id: str
    status: Literal["queued", "running", "awaiting_input", "finished", "failed", "stopped"]
    message: str | None = None
    citations: list[Citation] | None = None
    warnings: list[str] | None = None
    suggested_questions: list[str] | None = None
    interrupts: list[Interrupt] | None = None
    pending_tool_call_ids: list[str] | None = None
    usage: UsageBody | None = None
    error: JobError | None = None
    trace_id: str


class RunInputBody(Lenient):
    """An answer to what was asked back: words, the id of an option, or values by name as `payload`. Without one, or
    with `cancelled`, the run goes on without an answer."""

    interrupt_id: Annotated[Identifier, Field(max_length=128)]
    payload: Any = None
    cancelled: Flag = False
    project_id: ProjectId | None = None


class ThreadBody(Body):
    title: Annotated[Text, Field(max_length=200)] = ""
    agent_id: Identifier | None = None
    variables: Variables = {}


class ThreadChangeBody(ProjectBody):
    """What is left out stays. Variables that are not named stay too."""

    title: Annotated[Text, Field(max_length=200)] | None = None
    variables: Variables | None = None


class Thread(BaseModel):
    id: str
    agent_id: str
    title: str
    variables: dict[str, str]
    created_at: datetime
    updated_at: datetime


class ThreadsPage(BaseModel):
    threads: list[Thread]
    total: int


class ThreadMessages(BaseModel):
    """`parts` are objects with a `type`: text, tool_call, tool_result, sql, data, chart, citation."""

    messages: Sequence[Message]


class AgentBody(AgentDefinition, ProjectBody):
    """An agent of a project."""


class Agent(AgentDefinition):
    id: str


class AgentsList(BaseModel):
    agents: list[Agent]


class Deleted(BaseModel):
    deleted: str


def routes(services: Container) -> list[APIRouter]:
    """The routes under /chats, /runs, /threads and /agents."""
    return [_chats(services), _runs(services), _threads(services), _agents(services)]


def _chats(services: Container) -> APIRouter:
    router = new_router("/chats", tag="conversations", role="ask", most_bytes=MAX_BODY)

    @router.post("", status_code=202, response_model=ChatStarted, responses=STARTS_WORK | NOT_FOUND | CONFLICTS)
    async def send_message(
        request: Request,
        caller: AnyCaller,
        body: Annotated[ChatBody, Depends(body_of(ChatBody))],
        idempotency_key: IdempotencyKey = None,
    ) -> JSONResponse:
        """Send a message to a thread's agent. `Location` says where to poll the run."""
        message = NewMessage(
            body.project_id,
            body.message,
            thread_id=body.thread_id,
            agent_id=body.agent_id,
            idempotency_key=idempotency_key,
            variables=body.variables,
            configurations=body.configurations,
            session_properties=body.session_properties,
        )
        begun = await services.conversations.send(await own_message(caller, services.conversations, message))
        ids = {"thread_id": begun.thread_id, "run_id": begun.run_id}
        return started(request, ids, f"/runs/{begun.run_id}")

    return router


def _runs(services: Container) -> APIRouter:
    router = new_router("/runs", tag="conversations", role="ask", most_bytes=MAX_BODY)

    async def own_run(run_id: str, caller: AnyCaller, project_id: ProjectSaid = None) -> str:
        """The caller's run of the address, named by its own id or by a client's `runId`."""
        if project_id is not None:
            caller.require_project(project_id)
        found = await services.conversations.run_id(project_id, run_id, caller.person)
        await caller.require_job(services.conversations.runs, found, project_id)
        return found

    @router.get("/{run_id}", response_model=Run, responses=NOT_FOUND)
    async def get_run(wait: Wait = 0, run: str = Depends(own_run)) -> Response:
        """How far a run is, and its answer. Runs of AG-UI are found by their `runId` too."""
        return Response(await services.conversations.runs.result_json(run, wait), media_type="application/json")

    @router.get("/{run_id}/events", response_class=StreamingResponse, responses=NOT_FOUND | EVENTS)
    async def run_events(last_seen: LastEventId = None, run: str = Depends(own_run)) -> Response:
        """Everything that happens in a run, as AG-UI events with ids. `Last-Event-ID` goes on behind that event; 204
        behind the last one."""
        after = last_event_id(last_seen) or 0
        if after and await services.conversations.ended_with(run, after):
            return Response(status_code=204)
        return record_stream(await services.conversations.events(run, after), services.ending)

    @router.patch("/{run_id}", response_model=ChatStarted, responses=NOT_FOUND | CHANGES)
    async def stop_run(caller: AnyCaller, body: StopBody, run: str = Depends(own_run)) -> dict[str, str]:
        """Stop a run, with what it asks the data. One that has ended stays as it is."""
        run = await own_run(run, caller, body.project_id)
        await services.conversations.stop(body.project_id, run)
        request = await services.conversations.runs.request(run)
        return {"thread_id": request.thread_id, "run_id": run}

    @router.post(
        "/{run_id}/input",
        status_code=202,
        response_model=ChatStarted,
        responses=STARTS_WORK | NOT_FOUND | CONFLICTS,
    )
    async def answer_run(
        request: Request, caller: AnyCaller, body: RunInputBody, run: str = Depends(own_run)
    ) -> JSONResponse:
        """Answer what a run asked back (`awaiting_input`). It goes on when all of it is answered."""
        run = await own_run(run, caller, body.project_id)
        answer = None if body.cancelled else body.payload
        answers = {body.interrupt_id: answer}
        begun = await services.conversations.answer(body.project_id, run, answers, person=await caller.counted())
        return started(request, {"thread_id": begun.thread_id, "run_id": run}, f"/runs/{run}")

    return router


def _threads(services: Container) -> APIRouter:
    router = new_router("/threads", tag="conversations", role="ask", most_bytes=MAX_BODY)

    async def own_thread(thread_id: str, caller: AnyCaller, project_id: Project) -> str:
        """The id by which the record knows the caller's thread of the address. Raises `NotFound`, in their words."""
        own_id = await thread_id_of(caller, services.conversations, project_id, thread_id)
        if own_id != thread_id and await services.conversations.owner(project_id, own_id) is None:
            raise unknown_thread(thread_id)
        return own_id

    @router.post("", status_code=201, response_model=Thread, responses=CREATES | CHANGES | NOT_FOUND)
    async def create_thread(
        request: Request, caller: AnyCaller, body: Annotated[ThreadBody, Depends(body_of(ThreadBody))]
    ) -> JSONResponse:
        """Begin a thread without a message."""
        thread = await services.conversations.create(
            body.project_id,
            agent_id=body.agent_id,
            title=body.title,
            variables=body.variables,
            person=caller.person,
        )
        created = Thread(**asdict(thread)).model_dump(mode="json")
        where = f"{mount_of(request.scope)}/threads/{thread.id}"
        return JSONResponse(created, status_code=201, headers={"Location": where})

    @router.get("", response_model=ThreadsPage, responses=ERRORS)
    async def list_threads(caller: AnyCaller, project_id: Project, shown: InPage) -> dict[str, Any]:
        """A project's threads, the last used first."""
        # An administrator sees everybody's, without what others called them.
        owner = None if caller.may("admin") else caller.principal.id
        page, total = await services.conversations.page(project_id, shown.offset, shown.limit, owner)
        threads = [one if caller.owns(one.owner) else replace(one, title="", variables={}) for one in page]
        return {"threads": [asdict(one) for one in threads], "total": total}

    @router.get("/{thread_id}", response_model=Thread, responses=NOT_FOUND)
    async def get_thread(project_id: Project, thread_id: str = Depends(own_thread)) -> dict[str, Any]:
        """A thread, without its messages."""
        return asdict(await services.conversations.thread(project_id, thread_id))

    @router.patch("/{thread_id}", response_model=Thread, responses=NOT_FOUND | CHANGES)
    async def change_thread(
        thread_id: str, caller: AnyCaller, body: Annotated[ThreadChangeBody, Depends(body_of(ThreadChangeBody))]
    ) -> dict[str, Any]:
        """Change a thread's title, or set its variables."""
        thread_id = await own_thread(thread_id, caller, body.project_id)
        thread = await services.conversations.change(
            body.project_id, thread_id, title=body.title, variables=body.variables
        )
        return asdict(thread)

    @router.delete("/{thread_id}", response_model=Deleted, responses=NOT_FOUND | CHANGES)
    async def delete_thread(thread_id: str, project_id: Project, own_id: str = Depends(own_thread)) -> dict[str, str]:
        """Delete a thread with its messages, runs and questions; a run that goes on is stopped."""
        await services.conversations.delete(project_id, own_id)
        return {"deleted": thread_id}

    @router.get("/{thread_id}/messages", response_model=ThreadMessages, responses=NOT_FOUND)
    async def list_messages(project_id: Project, thread_id: str = Depends(own_thread)) -> ThreadMessages:
        """All messages of a thread, in order."""
        return ThreadMessages(messages=await services.conversations.messages(project_id, thread_id))

    return router


def _agents(services: Container) -> APIRouter:
    router = new_router("/agents", tag="conversations", role="ask", most_bytes=MAX_BODY)

    @router.get("", response_model=AgentsList, responses=ERRORS)
    async def list_agents(project_id: Project) -> dict[str, Any]:
        """A project's agents; `default` is always there."""
        found = await services.conversations.agents.all(project_id)
        return {"agents": [{"id": agent_id, **one.model_dump()} for agent_id, one in found.items()]}

    @router.get("/{agent_id}", response_model=Agent, responses=NOT_FOUND)
    async def get_agent(agent_id: PathId, project_id: Project) -> dict[str, Any]:
        """One agent."""
        found = await services.conversations.agents.get(project_id, agent_id)
        return {"id": agent_id, **found.model_dump()}

    @router.put("/{agent_id}", response_model=Agent, responses=CHANGES, dependencies=CURATE)
    async def put_agent(agent_id: PathId, body: Annotated[AgentBody, Depends(body_of(AgentBody))]) -> dict[str, Any]:
        """Define an agent, or define it anew."""
        definition = AgentDefinition(**body.model_dump(exclude={"project_id"}))
        await services.conversations.agents.put(body.project_id, agent_id, definition)
        return {"id": agent_id, **definition.model_dump()}

    @router.delete("/{agent_id}", response_model=Deleted, responses=NOT_FOUND | CHANGES, dependencies=CURATE)
    async def delete_agent(agent_id: PathId, project_id: Project) -> dict[str, str]:
        """Delete an agent; `default` is then as it came."""
        await services.conversations.agents.delete(project_id, agent_id)
        return {"deleted": agent_id}

    return router
