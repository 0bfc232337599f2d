"""The interface of a language model: a prompt or a conversation goes in, a reply and what it cost come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from askwell.errors import ModelUnavailable

if TYPE_CHECKING:  # Haystack takes long to import, and a service without a model never needs it
    from haystack.dataclasses import ChatMessage

# Called on the event loop with each piece of text as it is written.
OnDelta = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls cost: calls made, tokens in and out, and US dollars where prices are configured.
    `cached_tokens` are those of `prompt_tokens` that the server had in its cache, where it says so."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.llm_calls + other.llm_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost_usd + other.cost_usd,
            self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """The shape a reply must have. `name` is letters, digits and underscores; `schema` is a JSON Schema object."""

    name: str
    schema: Mapping[str, Any]


class JsonFormat(Enum):
    """The ways of asking a server for JSON, strictest first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"

    @property
    def plainer(self) -> JsonFormat | None:
        """The next way to try when a server refuses this one."""
        ways = list(JsonFormat)
        after = ways.index(self) + 1
        return ways[after] if after < len(ways) else None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model and its server were seen to do.

    `json_format` is the strictest way of asking that gave JSON; None when none did. `usage` and `usage_when_streaming`
    say whether tokens are counted. `context_length` is in tokens, None where the server does not tell. `seconds` is
    how long a tiny answer took, loading the model included.
    """

    json_format: JsonFormat | None
    streams: bool
    usage: bool
    usage_when_streaming: bool
    context_length: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call. `name` is letters, digits, underscores and hyphens; `parameters` is a JSON Schema
    object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


# The only argument of a tool call whose arguments are not a JSON object: the text that the model wrote, cut off after
# 500 characters.
UNREADABLE_ARGUMENTS = "unreadable_arguments"


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A call of a tool, as a model wrote it."""

    name: str
    arguments: dict[str, Any]
    id: str


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What a model is asked: for the reply to a prompt (`system` and `user`), which has the shape of `schema`; or for
    the next turn after the `messages` of a conversation, which may call `tools`. `on_delta` gets the text while it is
    written. `timeout` is in seconds, at most the configured one."""

    system: str = ""
    user: str = ""
    schema: JsonSchema | None = None
    messages: Sequence[ChatMessage] | None = None
    tools: Sequence[ToolSpec] = ()
    on_delta: OnDelta | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The text of a reply (JSON text when a schema was asked for and honoured), its tool calls, each with an id that is
    unique in the reply, and its usage. `truncated` when the model was stopped at its length limit: half a statement can
    be a valid wrong one, and the last call may be cut. `model` is the one that answered, where the server names it."""

    text: str
    usage: Usage
    truncated: bool = False
    model: str = ""
    calls: tuple[CalledTool, ...] = ()


class PromptTooLong(ModelUnavailable):
    """The prompt does not fit the model's context window."""


class NoTextReply(ModelUnavailable):
    """The model answered with something other than text: it refused, or called a tool without being given any. `usage`
    is what that cost."""

    def __init__(self, message: str, hint: str, usage: Usage) -> None:
        super().__init__(message, hint)
        self.usage = usage


class UnfinishedReply(NoTextReply):
    """The model was stopped at its length limit, or wrote thoughts only: asked again it would end there again."""


MORE_ROOM = (
    "Raise `max_tokens` under `kwargs` in the llm section of config.yaml, or the context of the model's server and "
    "`context_window`; or turn the model's thinking off there, with `reasoning_effort` or `chat_template_kwargs`."
)


class LanguageModel(Protocol):
    """A named, configured model. `ModelUnavailable` means down or late."""

    @property
    def name(self) -> str: ...

    @property
    def context_window(self) -> int:
        """In tokens: as configured, or what the server was found to have if that is less."""
        ...

    @property
    def away(self) -> bool:
        """Whether its server is known to be away, so that it is not asked before it answers again by itself."""
        ...

    async def reply(self, call: ModelCall) -> ModelReply:
        """One call. With a schema, steps down from json_schema to json_object to plain text as the server allows; with
        `on_delta`, streams. At most 32 tools are called, with 64 KiB of arguments each; those that are longer or not a
        JSON object are replaced with `UNREADABLE_ARGUMENTS`. Cancelling closes the connection. Follows the
        `call_options` of its caller. Raises `PromptTooLong`, `NoTextReply` or another `ModelUnavailable`; `ValueError`
        for messages that OpenAI's protocol cannot express, such as a tool call without an id."""
        ...

    async def reach(self) -> None:
        """Find out whether the server can be reached, at no cost and within a few seconds. Any answer will do: what it
        thinks of our key shows when it is asked something. Raises `ModelUnavailable`."""
        ...

    async def probe(self) -> Capabilities:
        """Find out by a few tiny requests what the model's server really does; later replies go by it. Raises
        `ModelUnavailable`, whose hint offers names like a wrong model's."""
        ...

    async def close(self) -> None:
        """Close connections. Safe to call twice."""
        ...
