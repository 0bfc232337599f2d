"""Prompts that people choose in their client."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from askwell.mcp_server.resources import model_uri
from askwell.mcp_server.services import Connections
from askwell.messages import say
from askwell.resources import words_file
from askwell.sql.nearest import nearest_text

_LONGEST = 10_000
Context = ServerRequestContext[Any, Any]


class Prompts:
    """`prompts/list` and `prompts/get`. What somebody typed stands between tags that it cannot close."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._words: Mapping[str, Any] = words_file(__package__, "texts.yaml")["prompts"]

    async def list(self, _: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
        """The same for everybody."""
        return ListPromptsResult(prompts=[_prompt(name, words) for name, words in self._words.items()])

    async def get(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """A prompt with its arguments filled in. Raises `MCPError` for an unknown one, and for arguments that are
        missing, unknown or too long."""
        words = self._words.get(params.name)
        if words is None:
            near = nearest_text(params.name[:64], self._words)
            raise MCPError(INVALID_PARAMS, f"There is no prompt {params.name[:64]}{near}.", None)
        given = params.arguments or {}
        wanted: Mapping[str, str] = words["arguments"]
        if set(given) != set(wanted) or not all(0 < len(value.strip()) <= _LONGEST for value in given.values()):
            needed = ", ".join(wanted) or "none"
            why = say("mcp.prompt_arguments", prompt=params.name, needed=needed, longest=_LONGEST).message
            raise MCPError(INVALID_PARAMS, why, None)
        filled = {name: _unclosed(name, value.strip()) for name, value in given.items()}
        text = words["text"].format(model=model_uri(self._connections.project_of(context)), **filled)
        message = PromptMessage(role="user", content=TextContent(text=text))
        return GetPromptResult(description=words["description"], messages=[message])


def _prompt(name: str, words: Mapping[str, Any]) -> Prompt:
    arguments = [
        PromptArgument(name=argument, description=told, required=True) for argument, told in words["arguments"].items()
    ]
    return Prompt(name=name, title=words["title"], description=words["description"], arguments=arguments or None)


def _unclosed(tag: str, text: str) -> str:
    """The text without what would end the part that it stands in."""
    return re.sub(rf"<\s*/\s*{tag}", f"< {tag}", text, flags=re.IGNORECASE)
