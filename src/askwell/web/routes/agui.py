"""Agents for clients that speak AG-UI (https://docs.ag-ui.com)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from askwell.access.caller import Caller
from askwell.agent.request import LONGEST_MESSAGE, ClientContext, ClientTool, ToolAnswer
from askwell.agent.service import Begun, Conversations, NewMessage
from askwell.errors import InvalidRequest
from askwell.field_types import Identifier, Language, PathId
from askwell.jobs.request import DEFAULT_PROJECT, Configurations, Lenient, ProjectId, TimeZone, TimeZoneName
from askwell.messages import say
from askwell.web.chat_events import text_of, thread_id_of
from askwell.web.deps import AnyCaller
from askwell.web.responses import BUSY, CHANGES, CONFLICTS, NOT_FOUND, STREAM
from askwell.web.routes.conversations import SessionProperties
from askwell.web.routing import router as new_router
from askwell.web.sse import record_stream

if TYPE_CHECKING:
    from askwell.container import Container

# Clients send the whole conversation each time.
MAX_BODY = 16 * 1024 * 1024


class AguiMessage(Lenient):
    """A message as AG-UI has it. Only the last one of the user is read, and results of the client's own tools."""

    id: Annotated[str, Field(max_length=256)] | None = None
    role: Annotated[str, Field(max_length=32)]
    content: str | list[Any] | None = None
    toolCallId: Annotated[str, Field(max_length=256)] | None = None


class AguiResume(Lenient):
    interruptId: Annotated[Identifier, Field(max_length=128)]
    status: Literal["resolved", "cancelled"]
    payload: Any = None


class ForwardedProps(Lenient):
    """What Askwell takes beside the protocol."""

    project_id: ProjectId = DEFAULT_PROJECT
    agent_id: Identifier | None = None
    language: Language = "English"
    timezone: TimeZoneName = "UTC"
    session_properties: SessionProperties = {}

    def configurations(self) -> Configurations:
        """For the run."""
        return Configurations(language=self.language, timezone=TimeZone(name=self.timezone))


class RunAgentInput(Lenient):
    """A run as AG-UI asks for it."""

    threadId: PathId
    runId: Annotated[Identifier, Field(max_length=128)]
    messages: Annotated[list[AguiMessage], Field(max_length=10_000)]
    state: Any = None
    tools: Annotated[list[ClientTool], Field(max_length=32)] = []
    context: Annotated[list[ClientContext], Field(max_length=32)] = []
    forwardedProps: ForwardedProps = ForwardedProps()
    resume: Annotated[list[AguiResume], Field(max_length=32)] = []


def routes(services: Container) -> APIRouter:
    """The route /agent."""
    router = new_router("/agent", tag="conversations", role="ask", most_bytes=MAX_BODY)

    @router.post("", response_class=StreamingResponse, responses=STREAM | CHANGES | NOT_FOUND | CONFLICTS | BUSY)
    async def run_agent(caller: AnyCaller, body: RunAgentInput) -> Response:
        """Run an agent as AG-UI 1.0 has it: of `messages` the last one of the user is read, the rest is the thread's
        own. The same `runId` again gives the same run. `resume` answers what a run asked back."""
        begun = await _begun(caller, services.conversations, body)
        found = await services.conversations.events(begun.run_id, segment=begun.segment)
        return record_stream(found, services.ending)

    return router


async def _begun(caller: Caller, conversations: Conversations, body: RunAgentInput) -> Begun:
    props = body.forwardedProps
    project_id = props.project_id
    conversations.require_model()
    caller.require_project(project_id)
    thread_id = await thread_id_of(caller, conversations, project_id, body.threadId)
    known = await conversations.named(project_id, body.runId, thread_id, caller.person)
    if known is not None:
        return known
    if body.resume:
        answers = {one.interruptId: one.payload if one.status == "resolved" else None for one in body.resume}
        person = await caller.counted()
        return await conversations.resume(project_id, thread_id, answers, body.runId, person=person)
    text = _last_of_user(body.messages)
    answers_of_tools = _answers(body.messages)
    if not text and not answers_of_tools:
        raise InvalidRequest(*say("chat.no_user_message"))
    return await conversations.send(
        NewMessage(
            project_id,
            text,
            thread_id=thread_id,
            person=await caller.counted(),
            agent_id=props.agent_id,
            client_id=body.runId,
            variables=_variables(body.state),
            configurations=props.configurations(),
            session_properties=props.session_properties,
            tools=body.tools,
            context=body.context,
            tool_answers=answers_of_tools,
        )
    )


def _last_of_user(messages: Sequence[AguiMessage]) -> str:
    """The user's message; "" where what comes last are results of the client's tools."""
    if not messages or messages[-1].role == "tool":
        return ""
    last = next((one for one in reversed(messages) if one.role == "user"), None)
    text = text_of(last.content).strip() if last is not None else ""
    if len(text) > LONGEST_MESSAGE:
        raise InvalidRequest(*say("chat.message_too_long", longest_message=LONGEST_MESSAGE))
    return text


def _answers(messages: Sequence[AguiMessage]) -> list[ToolAnswer]:
    """What the client's tools gave: the results that come last."""
    found: list[ToolAnswer] = []
    for one in reversed(messages):
        if one.role != "tool":
            break
        if one.toolCallId:
            found.append(ToolAnswer(tool_call_id=one.toolCallId, content=text_of(one.content)[:100_000]))
    return found[::-1]


def _variables(state: Any) -> dict[str, str]:
    """The variables of the thread, as the client has them: those of `state.variables` that are texts."""
    found = state.get("variables") if isinstance(state, dict) else None
    if not isinstance(found, dict):
        return {}
    return {str(name): value for name, value in found.items() if isinstance(value, str)}
