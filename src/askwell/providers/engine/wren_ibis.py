"""A database behind an ibis-server: a service of the Wren engine that plans statements over a model and runs them.

It gets the model with every request, so an engine of this kind is for one model (`with_manifest`); those of one server
share its connections.

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

import base64
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from askwell.errors import EngineUnavailable
from askwell.messages import say
from askwell.providers.engine.base import (
    EngineLimits,
    ForeignKey,
    PhysicalColumn,
    PhysicalSchema,
    PhysicalTable,
    QueryFailure,
    QueryTerms,
    ResultColumn,
)
from askwell.providers.engine.worker.outcomes import Trouble, withheld
from askwell.providers.engine.worker.session import one_line
from askwell.providers.engine.wren_http import MALFORMED, WrenEngine, in_short
from askwell.providers.model_server import ServerRefused, TooMuch

_CATALOGUE_TIMEOUT = 30.0
_NO_MODEL = {"catalog": "model", "schema": "model", "models": []}
# The server cannot reach its database, or does not know what it is asked for.
_SETTING_UP = frozenset({"GET_CONNECTION_ERROR", "INVALID_CONNECTION_INFO", "MDL_NOT_FOUND", "NOT_IMPLEMENTED"})
_SECRET_KEY = re.compile(r"pass|pwd|secret|token|credential|key|connection_?url|^pat$", re.IGNORECASE)


class WrenIbisEngine(WrenEngine):
    """One model on one ibis-server. `connection_info` is what the server needs to reach the database; it goes to
    `api_base` and nowhere else."""

    def __init__(
        self, api_base: str, data_source: str, connection_info: Mapping[str, Any], limits: EngineLimits
    ) -> None:
        super().__init__(api_base, data_source, limits)
        self._info = dict(connection_info)
        # The texts in it that no message may repeat.
        self._secrets = tuple(sorted(set(_secrets(self._info)), key=len, reverse=True))
        self._functions: list[frozenset[str]] = []  # once they are known, for all models
        self._manifest = _packed(_NO_MODEL)

    def with_manifest(self, manifest: Mapping[str, Any]) -> WrenIbisEngine:
        """The engine for another model, in the form that the server understands, over the same connections."""
        other = copy(self)
        other._manifest = _packed(manifest)
        return other

    async def functions(self) -> frozenset[str]:
        """Lower-case names of the functions that the server's planner knows for this database; asked once."""
        if not self._functions:
            reply = await self._catalogue("v3", "functions")
            try:
                names = frozenset(str(function["name"]).lower() for function in json.loads(reply))
            except MALFORMED as error:
                raise self._unusable("It gave no usable list of functions") from error
            self._functions.append(names)
        return self._functions[0]

    async def introspect(self) -> PhysicalSchema:
        """Tables, columns, keys and foreign keys, as far as the server tells them: it does not say what is a view."""
        tables = await self._catalogue("v2", "metadata/tables", {"connectionInfo": self._info})
        constraints = await self._catalogue("v2", "metadata/constraints", {"connectionInfo": self._info})
        try:
            return _physical_schema(json.loads(tables), json.loads(constraints))
        except MALFORMED as error:
            raise self._unusable("It gave no usable list of tables") from error

    async def _reply(self, sql: str, timeout: float, terms: QueryTerms, row_limit: int | None) -> Any:
        body = {"sql": sql, "manifestStr": self._manifest, "connectionInfo": self._info}
        headers = {
            "x-wren-fallback_disable": "true",
            "x-wren-db-statement_timeout": str(max(1, math.ceil(timeout))),
        }
        params = {"dryRun": "true"} if row_limit is None else {"limit": str(row_limit)}
        outcome = await self._statement(sql, self._path("v3", "query"), timeout, body, params, headers)
        if isinstance(outcome, ServerRefused):
            return self._failure(outcome, sql, hides_rows=terms.hides_rows)
        return outcome

    def _result(self, reply: Any) -> tuple[list[ResultColumn], Sequence[Any]]:
        content = json.loads(reply)
        types = content["dtypes"]
        columns = [ResultColumn(str(name), str(types.get(name, "unknown"))) for name in content["columns"]]
        return columns, content["data"]

    async def _catalogue(self, version: str, route: str, body: Mapping[str, Any] | None = None) -> str:
        try:
            reply = await self._request(self._path(version, route), _CATALOGUE_TIMEOUT, body)
        except TimeoutError:
            raise self._unusable(f"It did not answer within {_CATALOGUE_TIMEOUT:g} seconds") from None
        except TooMuch:
            raise self._unusable(f"Its catalogue is larger than {self._byte_limit:,} bytes") from None
        if isinstance(reply, str):
            return reply
        raise self._unusable(f"Its catalogue could not be read: {self._failure(reply, '').message.rstrip('.')}")

    def _path(self, version: str, route: str) -> str:
        return f"{version}/connector/{self.data_source.lower()}/{route}"

    def _failure(self, refused: ServerRefused, sql: str, *, hides_rows: bool = False) -> QueryFailure:
        """What became of a statement that did not succeed. Raises `EngineUnavailable` where it is not the statement's
        fault."""
        status, error = refused.status, refused.body if isinstance(refused.body, Mapping) else {}
        code, phase = str(error.get("errorCode") or ""), str(error.get("phase") or "")
        if status == 504 or code == "DATABASE_TIMEOUT":
            return QueryFailure("timeout", "The statement did not finish within the time limit of the ibis-server.")
        about_statement = status == 422 and isinstance(error.get("message"), str)
        if code in _SETTING_UP or not (about_statement or phase.startswith("SQL_")):
            shown = f" ({code})" if re.fullmatch("[A-Z_]+", code) else ""
            raise self._unusable(f"It answered with HTTP {status}{shown}")
        if hides_rows:
            return QueryFailure("error", withheld(Trouble.OTHER))
        return QueryFailure("error", in_short(str(error.get("message")), sql, self._secrets))

    def _unusable(self, what: str) -> EngineUnavailable:
        return EngineUnavailable(*say("engine.ibis_unusable", what=what))


def _packed(manifest: Mapping[str, Any]) -> str:
    return base64.b64encode(json.dumps(manifest, ensure_ascii=False).encode()).decode("ascii")


def _physical_schema(tables: Any, constraints: Any) -> PhysicalSchema:
    """Tables and constraints as the metadata routes give them. Raises what goes with another shape."""
    names = {str(table["name"]): _own_name(table) for table in tables}
    keys: dict[str, list[ForeignKey]] = defaultdict(list)
    grouped: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for one in constraints:
        if one["constraintType"] == "FOREIGN KEY":
            place = (one["constraintTable"], one["constraintName"], one["constraintedTable"])
            grouped[place].append((one["constraintColumn"], one["constraintedColumn"]))
    for (table, _, target), pairs in grouped.items():
        here, there = zip(*pairs, strict=True)
        keys[table].append(ForeignKey(here, names.get(target, target.rpartition(".")[2]), there))
    return PhysicalSchema(tuple(_table(table, tuple(keys[table["name"]])) for table in tables))


def _table(table: Mapping[str, Any], foreign_keys: tuple[ForeignKey, ...]) -> PhysicalTable:
    columns = (
        PhysicalColumn(c["name"], c["type"], bool(c.get("notNull")), one_line(c.get("description")))
        for c in table["columns"]
    )
    return PhysicalTable(
        name=_own_name(table),
        schema=(table.get("properties") or {}).get("schema"),
        columns=tuple(columns),
        primary_key=(table["primaryKey"],) if table.get("primaryKey") else (),
        foreign_keys=foreign_keys,
        comment=one_line(table.get("description")),
    )


def _own_name(table: Mapping[str, Any]) -> str:
    return str((table.get("properties") or {}).get("table") or table["name"])


def _secrets(value: object, key: str = "") -> Iterator[str]:
    """The texts under keys that speak of secrets."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _secrets(inner, key if _SECRET_KEY.search(key) else str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets(inner, key)
    elif isinstance(value, str) and value and _SECRET_KEY.search(key):
        yield value
