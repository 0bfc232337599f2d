"""What clients can read without a tool: the model, its tables, and what people saved."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from askwell.mcp_server.services import Connections, McpServices
from askwell.principal import Person
from askwell.resources import words_file
from askwell.services.projects import ProjectModel
from askwell.tools.catalogue import described

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
            hint = "resources/list tells which there are in the project of this connection."
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
