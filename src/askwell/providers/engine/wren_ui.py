"""A database behind a Wren UI: a web application that keeps a semantic model, and runs statements over it.

The model is the one that was last deployed there, so nothing of ours is sent but the statement. What that application's
source (github.com/Canner/WrenAI, wren-ui/src/apollo/server, read in 2025) says of its protocol:

- `POST /api/graphql` takes the mutation `previewSql(data: {sql, projectId, limit, dryRun})`; all but `sql` may be left
  out, and without `projectId` it is the current project's model (schema.ts);
- rows come as `{columns: [{name, type}], data, …}`, with the types and values of an ibis-server, or DuckDB's where the
  project is one of DuckDB; a dry run as `true` or an object without rows (services/queryService.ts);
- errors come with HTTP 200 as `errors: [{message, extensions: {code}}]`. What ibis or the engine said of a statement
  is told, with a code of whoever said it; that a service behind it was not reached has the same code, and Node's words
  (adaptors/ibisAdaptor.ts, utils/error.ts).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Self

from askwell.errors import EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import EngineLimits, PhysicalSchema, QueryFailure, QueryTerms, ResultColumn
from askwell.providers.engine.worker.outcomes import Trouble, withheld
from askwell.providers.engine.wren_http import WrenEngine, in_short
from askwell.providers.model_server import ServerRefused

_PREVIEW = "mutation PreviewSql($data: PreviewSQLDataInput) { previewSql(data: $data) }"
# Codes of errors that are not about the statement; all of GraphQL's own are of this kind too.
_SETTING_UP = frozenset(
    {
        *("INTERNAL_SERVER_ERROR", "CONNECTION_ERROR", "CONNECTION_REFUSED", "INIT_SQL_ERROR", "SESSION_PROPS_ERROR"),
        *("NO_DEPLOYMENT_FOUND", "UNAUTHENTICATED", "FORBIDDEN", "BAD_USER_INPUT", "BAD_REQUEST"),
        *("GET_CONNECTION_ERROR", "INVALID_CONNECTION_INFO", "MDL_NOT_FOUND", "NOT_IMPLEMENTED"),
    }
)
_UNREACHED = re.compile(r"\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)\b|socket hang up")
_OUT_OF_TIME = re.compile(r"\btime[d -]?out\b|\bECONNABORTED\b", re.IGNORECASE)


class WrenUiEngine(WrenEngine):
    """One project of a Wren UI; `project_id` is the UI's own, None for its current one."""

    def __init__(self, api_base: str, data_source: str, project_id: int | None, limits: EngineLimits) -> None:
        super().__init__(api_base, data_source, limits)
        self._project = {} if project_id is None else {"projectId": project_id}

    def with_manifest(self, manifest: Mapping[str, Any]) -> Self:
        """The engine itself: the model is the one that the UI has."""
        return self

    async def functions(self) -> frozenset[str]:
        """Empty: there is no catalogue of them."""
        return frozenset()

    async def introspect(self) -> PhysicalSchema:
        """Nothing: tables are the UI's to know."""
        return PhysicalSchema(is_listed=False)

    async def _reply(self, sql: str, timeout: float, terms: QueryTerms, row_limit: int | None) -> Any:
        options = {"dryRun": row_limit is None, "limit": row_limit or 1}
        body = {"query": _PREVIEW, "variables": {"data": {"sql": sql, **self._project, **options}}}
        reply = await self._statement(sql, "api/graphql", timeout, body)
        if isinstance(reply, QueryFailure):
            return reply
        if isinstance(reply, ServerRefused):
            raise self._unusable(f"It answered with HTTP {reply.status}")
        content = await asyncio.to_thread(self._read, reply)
        if errors := content.get("errors"):
            return self._failure(errors, sql, terms)
        data = content.get("data")
        found = data.get("previewSql") if isinstance(data, Mapping) else None
        if found is None or found is False:
            raise self._unusable("It gave no usable reply to a query")
        return found

    def _read(self, reply: str) -> Mapping[str, Any]:
        try:
            content = json.loads(reply)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, Mapping):
            raise self._unusable("It gave no usable reply to a query")
        return content

    def _result(self, reply: Any) -> tuple[list[ResultColumn], Sequence[Any]]:
        columns = [ResultColumn(str(one["name"]), str(one.get("type") or "unknown")) for one in reply["columns"]]
        return columns, reply["data"]

    def _failure(self, errors: Any, sql: str, terms: QueryTerms) -> QueryFailure:
        """What became of a statement that did not succeed. Raises `EngineUnavailable` where it is not the statement's
        fault."""
        first = errors[0] if isinstance(errors, list) else None
        message = first.get("message") if isinstance(first, Mapping) else None
        extensions = first.get("extensions") if isinstance(first, Mapping) else None
        code = str(extensions.get("code") or "") if isinstance(extensions, Mapping) else ""
        shown = f" ({code})" if re.fullmatch("[A-Z_]+", code) else ""
        if not isinstance(message, str) or code in _SETTING_UP or code.startswith(("GRAPHQL_", "PERSISTED_QUERY_")):
            raise self._unusable(f"It could not handle the request{shown}")
        if _UNREACHED.search(message):
            raise self._unusable(f"A service behind it cannot be reached{shown}")
        if _OUT_OF_TIME.search(message):
            return QueryFailure("timeout", "The statement did not finish within the time limit of the Wren UI.")
        return QueryFailure("error", withheld(Trouble.OTHER) if terms.hides_rows else in_short(message, sql))

    def _unusable(self, what: str) -> EngineUnavailable:
        return EngineUnavailable(*say("engine.wren_ui_unusable", what=what))
