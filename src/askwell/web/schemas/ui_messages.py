"""The request of a chat of the Vercel AI SDK (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol)."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from askwell.jobs.request import DEFAULT_PROJECT, Configurations, Identifier, Lenient, PathId, ProjectId
from askwell.web.schemas.conversations import SessionProperties, Variables
from askwell.web.schemas.last_words import holds_words_of_user, last_words


class UiMessage(Lenient):
    """A message; of its parts those with a `text` are read."""

    role: Annotated[str, Field(max_length=32)]
    parts: list[Any] = []


class UiMessagesBody(Lenient):
    """What the SDK sends, of which the chat's id and the last message of the user are read, and what Askwell takes
    beside it. `trigger`, `messageId` and other fields are ignored."""

    id: PathId
    messages: Annotated[list[UiMessage], Field(max_length=10_000, json_schema_extra=holds_words_of_user("parts"))]
    project_id: ProjectId = DEFAULT_PROJECT
    agent_id: Identifier | None = None
    variables: Variables = {}
    session_properties: SessionProperties = {}
    configurations: Configurations = Configurations()

    @model_validator(mode="after")
    def _is_a_message(self) -> Self:
        self.said()
        return self

    def said(self) -> str:
        """The message that is to be answered."""
        return last_words((one.role, one.parts) for one in self.messages)[1]
