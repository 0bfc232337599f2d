"""The request of a run, as the record keeps it: a message of a thread, and what was found for it so far."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from askwell.field_types import Flag, Identifier, Sql, Text
from askwell.jobs.request import Body, Lenient
from askwell.pipelines.generation.question import PromptPassage

MOST_CLIENT_TOOLS = 32
LONGEST_MESSAGE = 10_000


class ClientTool(Lenient):
    """A tool that the client runs itself; `parameters` is a JSON Schema object."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: Annotated[str, Field(max_length=2_000)] = ""
    parameters: dict[str, Any] = {}


class ClientContext(Lenient):
    """Something that the person has before them, as the client says."""

    description: Annotated[Text, Field(max_length=500)]
    value: Text


class ToolAnswer(BaseModel):
    """What the client's tool gave for a call."""

    model_config = ConfigDict(extra="ignore")

    tool_call_id: Annotated[str, Field(max_length=256)]
    content: Annotated[str, Field(max_length=100_000)]


class Pending(BaseModel):
    """A call of ask_data that waits for an answer of the person: `interrupt_id` is the clarification's own id, `asked`
    what was asked back. Once it is `answered`, `answer` is what was said; None is a refusal to."""

    interrupt_id: str
    call_id: str
    arguments: dict[str, Any]
    ask_id: str
    asked: dict[str, Any]
    answered: Flag = False
    answer: Any = None


class LookedUp(BaseModel):
    """What a tool gave before the model was asked."""

    tool: str
    content: str


class Prelude(BaseModel):
    """What was found before the model was asked: the message as it stands alone, passages that marks may name, and what
    was looked up."""

    question: str
    passages: list[PromptPassage] = []
    looked_up: list[LookedUp] = []


class RunRequest(Body):
    """One message of a thread, or what a client's tools gave, with all that an attempt has found by now. `client_ids`
    are the ids that the client gave to the run's segments, in order; without one it is the run's own.
    `answers_alone`: the data answers, without an agent."""

    message: Annotated[Text, Field(max_length=LONGEST_MESSAGE)] = ""
    thread_id: Identifier
    agent_id: Identifier = "default"
    client_ids: list[str | None] = [None]
    client_tools: Annotated[list[ClientTool], Field(max_length=MOST_CLIENT_TOOLS)] = []
    client_context: Annotated[list[ClientContext], Field(max_length=32)] = []
    tool_answers: Annotated[list[ToolAnswer], Field(max_length=MOST_CLIENT_TOOLS)] = []
    session_properties: dict[Identifier, Sql] = {}
    prelude: Prelude | None = None
    pending: list[Pending] = []
    answers_alone: Flag = False
    steps: int = 0
    calls: int = 0

    def client_id(self, run_id: str) -> str:
        """The id of the present segment as clients see it."""
        return self.client_ids[-1] or run_id
