"""The conversation of the demo, as `conversation.yaml` has it: what is said, and what is to come of it."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from askwell.resources import words_file


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptedCall(_Part):
    """A call of a tool. Templates in `arguments`, and in later texts, name what it gave by `name`."""

    name: str
    tool: str
    arguments: dict[str, Any] = {}


class ScriptedReply(_Part):
    """What the stand-in says when it is asked once: calls, or a text that ends the turn."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()


class ExpectedFigures(_Part):
    """The message has to have every value of the rows of `reference`, written in `form` where it is a number."""

    reference: str
    form: Literal["count", "money"] = "count"


class Expected(_Part):
    """What a turn has to come to. `rows` are statements by the name of a call, over the physical tables, whose rows are
    the right ones (`$today` is the day); `refused` the codes of calls that have to fail; `cites` ids of documents."""

    asks_back: bool = False
    figures: tuple[ExpectedFigures, ...] = ()
    rows: dict[str, str] = {}
    refused: dict[str, str] = {}
    cites: tuple[str, ...] = ()
    remembers: dict[str, str] = {}
    chart: bool = False
    holds_back: str = ""
    suggestions: int = 0

    @property
    def statements(self) -> frozenset[str]:
        """All statements that give the right values."""
        return frozenset([*self.rows.values(), *(one.reference for one in self.figures)])


class ScriptedTurn(_Part):
    """One message and its answer. `alone` is the message as it stands alone, where it leans on earlier ones; `choice`
    the label of the option that the person takes when they are asked back."""

    form: str
    message: str
    alone: str = ""
    choice: str = ""
    replies: tuple[ScriptedReply, ...]
    suggestions: tuple[str, ...] = ()
    expected: Expected = Expected()

    @property
    def question(self) -> str:
        """The message as the agent's model reads it."""
        return self.alone or self.message


class SampleDocument(_Part):
    id: str
    title: str
    text: str


class SampleConversation(_Part):
    """`replies` are what the stand-in says at stages that are no turns, by the stage's name."""

    agent: dict[str, Any]
    documents: tuple[SampleDocument, ...]
    replies: dict[str, Any]
    turns: tuple[ScriptedTurn, ...]


@cache
def sample_conversation() -> SampleConversation:
    """The conversation, read once."""
    return SampleConversation.model_validate(words_file("askwell.sample", "conversation.yaml"))
