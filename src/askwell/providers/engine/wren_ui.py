"""A database behind a Wren UI: a web application that keeps a semantic model, and runs statements over it.

The model is the one that was last deployed there, so nothing of ours is sent but the statement. SQL for it is the
generic kind that its planner reads, which is nearest to PostgreSQL's. What that application's source
(github.com/Canner/WrenAI, wren-ui/src/apollo/server, read in 2025) says of its protocol:

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
from collections.abc import Mapping
from typing import Any, Self

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import ANY_TERMS, PhysicalSchema, QueryFailure, QueryRows, QueryTerms, ResultColumn
from askwell.providers.engine.http_service import SMALL_REPLY, HttpService
from askwell.providers.engine.limits import EngineLimits
from askwell.providers.engine.worker.outcomes import Trouble, withheld
from askwell.providers.engine.wren_ibis_replies import in_short, typed_rows

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


class WrenUiEngine:
    """One project of a Wren UI. Connects to nothing before the first question."""

    def __init__(self, api_base: str, data_source: str, project_id: int | None, limits: EngineLimits) -> None:
        """`data_source` is the manifest's name for the database, empty where manifests alone say it; `project_id` is
        the UI's own, None for its current project."""
        self._data_source = data_source
        self._project = {} if project_id is None else {"projectId": project_id}
        self._http = HttpService(api_base, limits, _unusable)

    @property
    def dialect(self) -> str:
        """sqlglot's name for what comes nearest to the SQL that the planner behind it reads."""
        return "postgres"

    @property
    def data_source(self) -> str:
        """The manifest's name; empty where any will do."""
        return self._data_source

    def with_manifest(self, manifest: Mapping[str, Any]) -> Self:
        """The engine itself: the model is the one that the UI has."""
        return self

    async def functions(self) -> frozenset[str]:
        """Empty: there is no catalogue of them."""
        return frozenset()

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        """Have the statement planned and prepared without running it. `timeout` in seconds, waiting included.

        `terms.tables` is not needed: its planner finds nothing but its models. Nor is `terms.timezone`: the session is
        the server's.
        """
        outcome = await self._preview(sql, {"dryRun": True, "limit": 1}, timeout, terms)
        return outcome if isinstance(outcome, QueryFailure) else None

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        """Run `sql` and return at most `row_limit` rows. A result of more bytes than the limit is a failure.

        `timeout` in seconds, waiting included; `terms` as for `dry_run`. Cancelling the call closes the request; the
        query itself then ends with the time limit of the server.
        """
        # One more than wanted shows whether there are more.
        outcome = await self._preview(sql, {"dryRun": False, "limit": row_limit + 1}, timeout, terms)
        if isinstance(outcome, QueryFailure):
            return outcome
        try:
            return await asyncio.to_thread(_rows, outcome, row_limit)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise _unusable("It gave no usable reply to a query") from error

    async def introspect(self) -> PhysicalSchema:
        """Nothing: tables are the UI's to know."""
        return PhysicalSchema(is_listed=False)

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await self._http.close()

    async def _preview(
        self, sql: str, options: Mapping[str, Any], timeout: float, terms: QueryTerms
    ) -> Any | QueryFailure:
        """What `previewSql` gives; never None."""
        body = {"query": _PREVIEW, "variables": {"data": {"sql": sql, **self._project, **options}}}
        outcome = await self._http.statement(sql, "api/graphql", timeout, json=body)
        if isinstance(outcome, QueryFailure):
            return outcome
        status, reply = outcome
        if status != 200:
            raise _unusable(f"It answered with HTTP {status}")
        content = _read(reply) if len(reply) <= SMALL_REPLY else await asyncio.to_thread(_read, reply)
        if errors := content.get("errors"):
            return _failure(errors, sql, terms)
        data = content.get("data")
        found = data.get("previewSql") if isinstance(data, Mapping) else None
        if found is None or found is False:
            raise _unusable("It gave no usable reply to a query")
        return found


def _read(reply: bytes) -> Mapping[str, Any]:
    try:
        content = json.loads(reply)
    except (ValueError, RecursionError) as error:
        raise _unusable("It gave no usable reply to a query") from error
    if not isinstance(content, Mapping):
        raise _unusable("It gave no usable reply to a query")
    return content


def _failure(errors: Any, sql: str, terms: QueryTerms) -> QueryFailure:
    """What became of a statement that did not succeed. Raises `EngineUnavailable` where it is not the statement's
    fault."""
    first = errors[0] if isinstance(errors, list) else None
    message = first.get("message") if isinstance(first, Mapping) else None
    extensions = first.get("extensions") if isinstance(first, Mapping) else None
    code = str(extensions.get("code") or "") if isinstance(extensions, Mapping) else ""
    shown = f" ({code})" if re.fullmatch("[A-Z_]+", code) else ""
    if not isinstance(message, str) or code in _SETTING_UP or code.startswith(("GRAPHQL_", "PERSISTED_QUERY_")):
        raise _unusable(f"It could not handle the request{shown}")
    if _UNREACHED.search(message):
        raise _unusable(f"A service behind it cannot be reached{shown}")
    if _OUT_OF_TIME.search(message):
        return QueryFailure("timeout", "The statement did not finish within the time limit of the Wren UI.")
    return QueryFailure("error", withheld(Trouble.OTHER) if terms.hides_rows else in_short(message, sql))


def _rows(found: Any, row_limit: int) -> QueryRows:
    columns = [ResultColumn(str(column["name"]), str(column.get("type") or "unknown")) for column in found["columns"]]
    return typed_rows(columns, found["data"], row_limit)


def _unusable(what: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"The Wren UI cannot be used. {what}.",
        "Check api_base and project_id of this data source, that a model is deployed there, and that server's log.",
    )
