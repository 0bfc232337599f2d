"""What clients can read without a tool, the model, its tables and what people saved; and prompts that people choose in
their client."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from askwell.mcp_server.services import Connections, McpServices
from askwell.messages import say
from askwell.principal import Person
from askwell.resources import words_file
from askwell.services.projects import ProjectModel
from askwell.sql.nearest import nearest_text
from askwell.tools.lookups import described

_SCHEME = "askwell"
_JSON, _SQL = "application/json", "application/sql"
_PAGE = 200
# What older versions say where there is no such resource; from 2026-07-28 on it is one more wrong parameter.
_NOT_FOUND = -32002
_MOST_SAVED = 1_000

Context = ServerRequestContext[Any, Any]


def model_uri(project_id: str) -> str:
    """The address of a project's model."""
    return f"{_SCHEME}://{project_id}/model"


def table_uri(project_id: str, name: str) -> str:
    """The address of a table."""
    return f"{_SCHEME}://{project_id}/tables/{quote(name, safe='')}"


class Resources:
    """`resources/list`, `resources/templates/list` and `resources/read`. A project sees its own only: an address of
    another one looks like one that does not exist."""

    def __init__(self, services: McpServices, connections: Connections) -> None:
        self._services = services
        self._connections = connections
        self._words: Mapping[str, Mapping[str, str]] = words_file(__package__, "texts.yaml")["resources"]

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """What there is in the project of the connection, some at a time. Without a model there are no tables."""
        project_id = self._connections.project_of(context)
        project = await self._services.projects.get(project_id, None)
        names = [table.name for table in project.model] if project is not None else []
        start = _place(params)
        page = [
            Resource(uri=table_uri(project_id, name), name=name, title=name, mime_type=_SQL)
            for name in names[start : start + _PAGE]
        ]
        following = str(start + _PAGE) if start + _PAGE < len(names) else None
        fixed = [] if start else [self._fixed(project_id, name) for name in self._words if name != "tables"]
        return ListResourcesResult(resources=fixed + page, next_cursor=following)

    async def templates(self, context: Context, _: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        """How addresses are made."""
        project_id = self._connections.project_of(context)
        words = self._words["tables"]
        table = ResourceTemplate(
            uri_template=f"{_SCHEME}://{project_id}/tables/{{name}}", name="table", mime_type=_SQL, **words
        )
        return ListResourceTemplatesResult(resource_templates=[table])

    async def read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """The text at an address. Raises `MCPError` where there is none."""
        project_id = self._connections.project_of(context)
        found = await self._text(project_id, params.uri, self._connections.caller_of(context).person)
        if found is None:
            code = INVALID_PARAMS if context.protocol_version in MODERN_PROTOCOL_VERSIONS else _NOT_FOUND
            hint = "resources/list lists those of this connection's project."
            raise MCPError(code, f"There is no such resource. {hint}", {"uri": params.uri[:256]})
        text, mime_type = found
        return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, mime_type=mime_type, text=text)])

    def _fixed(self, project_id: str, name: str) -> Resource:
        return Resource(uri=f"{_SCHEME}://{project_id}/{name}", name=name, mime_type=_JSON, **self._words[name])

    async def _text(self, project_id: str, uri: str, person: Person) -> tuple[str, str] | None:
        try:
            parts = urlsplit(uri)
        except ValueError:
            return None
        if parts.scheme != _SCHEME or parts.netloc != project_id or parts.query or parts.fragment:
            return None
        match parts.path.split("/")[1:]:
            case ["instructions"]:
                return _told(*await self._services.knowledge.page("instruction", project_id, 0, _MOST_SAVED)), _JSON
            case ["sql-pairs"]:
                return _told(*await self._services.knowledge.pairs_for(person, project_id, 0, _MOST_SAVED)), _JSON
            case ["model"] if (project := await self._services.projects.get(project_id, None)) is not None:
                return _model(project), _JSON
            case ["tables", name] if (project := await self._services.projects.get(project_id, None)) is not None:
                table = project.model.table(unquote(name))
                return ((await asyncio.to_thread(described, project, table)).ddl, _SQL) if table is not None else None
        return None


def _model(project: ProjectModel) -> str:
    tables = [
        {
            "name": table.name,
            "kind": table.kind.value,
            "description": table.description or table.display_name,
            "uri": table_uri(project.project_id, table.name),
        }
        for table in project.model
    ]
    return json.dumps({"project": project.project_id, "tables": tables}, ensure_ascii=False)


def _told(found: Sequence[Mapping[str, Any]], total: int) -> str:
    """The first of what was saved, and how many there are in all."""
    return json.dumps({"total": total, "items": list(found)}, ensure_ascii=False, default=str)


def _place(params: PaginatedRequestParams | None) -> int:
    cursor = params.cursor if params is not None else None
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 8):
        raise MCPError(INVALID_PARAMS, "There is no such page.", None)
    return int(cursor)


_LONGEST = 10_000


class Prompts:
    """`prompts/list` and `prompts/get`. What a person typed stands between tags that it cannot close."""

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
        PromptArgument(name=name, description=about, required=True) for name, about in words["arguments"].items()
    ]
    return Prompt(name=name, title=words["title"], description=words["description"], arguments=arguments or None)


def _unclosed(tag: str, text: str) -> str:
    """The text without what would end the part that it stands in."""
    return re.sub(rf"<\s*/\s*{tag}", f"< {tag}", text, flags=re.IGNORECASE)
