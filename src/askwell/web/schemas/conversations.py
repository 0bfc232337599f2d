"""Bodies of the routes of conversations: messages, runs, threads and agents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from askwell.agent.definition import AgentDefinition, VariableName, VariableValue
from askwell.agent.request import LONGEST_MESSAGE
from askwell.asks.citations import Citation
from askwell.asks.result import ClarificationBody, UsageBody
from askwell.jobs.request import (
    DEFAULT_PROJECT,
    Body,
    Configurations,
    Flag,
    Identifier,
    Language,
    Lenient,
    PathId,
    ProjectBody,
    ProjectId,
    Question,
    Sql,
    Text,
    TimeZone,
    TimeZoneName,
)

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


class RunError(BaseModel):
    code: str
    message: str
    hint: str | None = None


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
    error: RunError | None = None
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


class ThreadMessage(BaseModel):
    """`parts` are objects with a `type`: text, tool_call, tool_result, sql, data, chart, citation."""

    id: str
    role: Literal["user", "assistant", "tool"]
    parts: list[dict[str, Any]]
    run_id: str
    created_at: datetime


class ThreadMessages(BaseModel):
    messages: list[ThreadMessage]


class AgentBody(AgentDefinition, ProjectBody):
    """An agent of a project."""


class Agent(AgentDefinition):
    id: str


class AgentsList(BaseModel):
    agents: list[Agent]


class Deleted(BaseModel):
    deleted: str


# -- AG-UI ----------------------------------------------------------------------------------------------------------


class AguiMessage(Lenient):
    """A message as AG-UI has it. Only the last one of the user is read, and results of the client's own tools."""

    id: Annotated[str, Field(max_length=256)] | None = None
    role: Annotated[str, Field(max_length=32)]
    content: str | list[Any] | None = None
    toolCallId: Annotated[str, Field(max_length=256)] | None = None


class AguiTool(Lenient):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: Annotated[str, Field(max_length=2_000)] = ""
    parameters: dict[str, Any] = {}


class AguiContext(Lenient):
    description: Annotated[Text, Field(max_length=500)]
    value: Text


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
    tools: Annotated[list[AguiTool], Field(max_length=32)] = []
    context: Annotated[list[AguiContext], Field(max_length=32)] = []
    forwardedProps: ForwardedProps = ForwardedProps()
    resume: Annotated[list[AguiResume], Field(max_length=32)] = []
