"""A database behind an ibis-server: a service of the Wren engine that plans statements over a model and runs them.

It gets the model with every request, so an engine of this kind is for one model (`with_manifest`); those of one server
share its connections. SQL for it is the generic kind that the server's planner reads, which is nearest to PostgreSQL's:
it puts the database's own dialect in place itself.

What the server's own source (github.com/Canner/wren-engine, ibis-server/app, read in 2025) says of its protocol:

- `POST /v3/connector/{source}/query`, source in lower case, takes `{sql, manifestStr, connectionInfo}`, manifestStr
  being base64 of the model's JSON; `?dryRun=true` answers 204, `?limit=N` goes into the SQL (routers/v3/connector.py);
- rows come as `{columns, data, dtypes}`, dtypes being Arrow's names. Integers beside nulls come as floats, decimals by
  way of a double, blobs as hex, times as `2024-01-31 10:00:00.000000 UTC` (util.py, `to_json`);
- `x-wren-db-statement_timeout` is the database's own limit in seconds, where the server can set one
  (model/data_source.py); it does not notice when a client hangs up, so this is what ends a query that nobody waits for;
- where v3 fails it may try an older planner that knows no access rules; `x-wren-fallback_disable` forbids that;
- errors are `{errorCode, message, phase, …}`: 422 for what the sender can mend, 504 where time ran out, 502 and 500
  otherwise; `phase` says whether the statement was at fault (model/error.py);
- `GET /v3/connector/{source}/functions` lists functions; `POST /v2/connector/{source}/metadata/tables` and
  `…/constraints`, with `{connectionInfo}`, what the database declares (model/metadata/dto.py).
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from typing import Any, Self

from askwell.providers.engine.base import ANY_TERMS, PhysicalSchema, QueryFailure, QueryRows, QueryTerms
from askwell.providers.engine.http_service import SMALL_REPLY, TooLarge
from askwell.providers.engine.wren_ibis_replies import failure_of, physical_schema, query_rows
from askwell.providers.engine.wren_ibis_server import IbisServer, unusable

_CATALOGUE_TIMEOUT = 30.0
_NO_MODEL = {"catalog": "model", "schema": "model", "models": []}


class WrenIbisEngine:
    """One model on one ibis-server. Connects to nothing before the first question."""

    def __init__(self, server: IbisServer, data_source: str, manifest: Mapping[str, Any] | None = None) -> None:
        """`data_source` is the manifest's name for the database; `manifest` what statements may read, in the form that
        the server understands."""
        self._data_source = data_source
        self._server = server
        text = json.dumps(manifest or _NO_MODEL, ensure_ascii=False)
        self._manifest = base64.b64encode(text.encode()).decode("ascii")

    @property
    def dialect(self) -> str:
        """sqlglot's name for what comes nearest to the SQL that the server reads."""
        return "postgres"

    @property
    def data_source(self) -> str:
        """The manifest's name."""
        return self._data_source

    def with_manifest(self, manifest: Mapping[str, Any]) -> Self:
        """The engine for another model on the same server, over the same connections."""
        return type(self)(self._server, self._data_source, manifest)

    async def functions(self) -> frozenset[str]:
        """Lower-case names of the functions that the server's planner knows for this database; asked once."""
        if self._server.functions is None:
            reply = await self._catalogue("GET", "v3", "functions")
            try:
                names = frozenset(str(function["name"]).lower() for function in json.loads(reply))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise unusable("It gave no usable list of functions") from error
            self._server.functions = names
        return self._server.functions

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        """Prove that server and database accept `sql` without running it. `timeout` in seconds, waiting included.

        `terms.tables` is not needed: the server finds no others than those of its model. Nor is `terms.timezone`: the
        session is the server's.
        """
        outcome = await self._query(sql, {"dryRun": "true"}, timeout, terms)
        return outcome if isinstance(outcome, QueryFailure) else None

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        """Run `sql` and return at most `row_limit` rows. A result of more bytes than the limit is a failure.

        `timeout` in seconds, waiting included; `terms` as for `dry_run`. Cancelling the call closes the
        request; the query itself then ends with its time limit at the latest.
        """
        # One more than wanted shows whether there are more.
        outcome = await self._query(sql, {"limit": str(row_limit + 1)}, timeout, terms)
        if isinstance(outcome, QueryFailure):
            return outcome
        if len(outcome) <= SMALL_REPLY:
            return query_rows(outcome, row_limit)
        return await asyncio.to_thread(query_rows, outcome, row_limit)

    async def introspect(self) -> PhysicalSchema:
        """Tables, columns, keys and foreign keys, as far as the server tells them: it does not say what is a view."""
        tables = await self._catalogue("POST", "v2", "metadata/tables")
        constraints = await self._catalogue("POST", "v2", "metadata/constraints")
        try:
            return physical_schema(json.loads(tables), json.loads(constraints))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise unusable("It gave no usable list of tables") from error

    async def close(self) -> None:
        """Close the connections to the server, which all engines on it share. Safe to call twice."""
        await self._server.close()

    async def _query(
        self, sql: str, params: Mapping[str, str], timeout: float, terms: QueryTerms
    ) -> bytes | QueryFailure:
        outcome = await self._server.query(sql, self._manifest, timeout, params)
        if isinstance(outcome, QueryFailure):
            return outcome
        status, reply = outcome
        if status < 300:
            return reply
        return failure_of(status, reply, sql, self._server.secrets, hides_rows=terms.hides_rows)

    async def _catalogue(self, method: str, version: str, route: str) -> bytes:
        try:
            async with asyncio.timeout(_CATALOGUE_TIMEOUT):
                status, reply = await self._server.request(method, version, route)
        except TimeoutError:
            raise unusable(f"It did not answer within {_CATALOGUE_TIMEOUT:g} seconds") from None
        except TooLarge as error:
            raise unusable(str(error).rstrip(".")) from None
        if status < 300:
            return reply
        failure = failure_of(status, reply, "", self._server.secrets)
        raise unusable(f"Its catalogue could not be read: {failure.message.rstrip('.')}")
