"""Chat completions and models in OpenAI's shapes (https://platform.openai.com/docs/api-reference/chat)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from askwell.jobs.request import Configurations, Flag, Identifier, Lenient, PathId
from askwell.web.schemas.last_words import holds_words_of_user, last_words, text_of

# Of what a client sends along, this much is taken for the conversation so far.
MOST_EARLIER = 20
EARLIER_CHARACTERS = 2_000


class ChatMessage(Lenient):
    role: Annotated[str, Field(max_length=32)]
    content: str | list[Any] | None = None


class StreamOptions(Lenient):
    include_usage: Flag = False


class ChatMetadata(Lenient):
    thread_id: PathId | None = None


class ResponseFormat(Lenient):
    """Only text: what an agent says is not of a form that the client chooses."""

    type: Literal["text"] = "text"


class ChatCompletionBody(Lenient):
    """A conversation whose last message of the user is answered. Fields that are not listed are ignored, `tools` among
    them: they are an offer, and an agent calls its own. What is demanded and cannot be given is refused."""

    model: Identifier = "default"
    messages: Annotated[list[ChatMessage], Field(max_length=10_000, json_schema_extra=holds_words_of_user("content"))]
    stream: Flag = False
    stream_options: StreamOptions = StreamOptions()
    metadata: ChatMetadata = ChatMetadata()
    tool_choice: Literal["auto", "none"] = "auto"
    response_format: ResponseFormat = ResponseFormat()
    configurations: Configurations = Configurations()

    @model_validator(mode="after")
    def _is_a_message(self) -> Self:
        last_words((one.role, one.content) for one in self.messages)
        return self

    def said(self) -> str:
        """The message that is to be answered."""
        return last_words((one.role, one.content) for one in self.messages)[1]

    def earlier(self) -> list[tuple[Literal["user", "assistant"], str]]:
        """What the user and the assistant are said to have said before it."""
        place, _ = last_words((one.role, one.content) for one in self.messages)
        found: list[tuple[Literal["user", "assistant"], str]] = []
        for one in self.messages[:place]:
            text = text_of(one.content)
            if one.role == "user":
                found.append(("user", text))
            elif one.role == "assistant":
                found.append(("assistant", text))
        return found


class ChatCompletion(BaseModel):
    """OpenAI's completion; `askwell` is for programs: the thread and run, the words alone, and what they stand on."""

    class Choice(BaseModel):
        class Message(BaseModel):
            role: Literal["assistant"]
            content: str
            refusal: str | None

        index: int
        message: Message
        finish_reason: Literal["stop"]
        logprobs: None

    class Usage(BaseModel):
        prompt_tokens: int
        completion_tokens: int
        total_tokens: int
        prompt_tokens_details: dict[str, int]

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    askwell: dict[str, Any]


class ModelsList(BaseModel):
    """Agents as OpenAI lists models; `name` is what people call them."""

    class Model(BaseModel):
        id: str
        object: Literal["model"]
        created: int
        owned_by: str
        name: str

    object: Literal["list"]
    data: list[Model]
