"""An ibis-server's protocol over real HTTP, with wren-core for a planner and a DuckDB file for a database.

    async with FakeIbisServer(path) as server:
        engine = create_ibis_engine(server.api_base, "POSTGRES", {"host": "db", "password": "secret"})

What it does, and which odd things, is what `askwell/providers/engine/wren_ibis.py` lists of the real one: rows with
Arrow's type names, integers beside nulls as floats, decimals by way of a double, times as text, errors as
`{errorCode, message, phase}`. `server.requests` is what came in. `refuse` answers everything with one status and body;
`hold` keeps answers back until `release` is set.
"""

from __future__ import annotations

import asyncio
import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import duckdb
import sqlglot
import wren_core
from aiohttp import web

from tests.support.tables import case_table

_ARROW = case_table(__file__, "arrow")


@dataclass
class IbisRequest:
    """A request as it arrived. `outcome` is None while it is being answered, `abandoned` when the client went away."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    outcome: str | None = None

    @property
    def manifest(self) -> dict[str, Any]:
        """The model that came with it."""
        return json.loads(base64.b64decode(self.body["manifestStr"]))


class Failure(Exception):
    def __init__(self, status: int, code: str, message: str, phase: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"errorCode": code, "message": message, "phase": phase, "metadata": None, "timestamp": "now"}


class FakeIbisServer:
    """The server over one DuckDB file, which it opens read-only for each statement. `password` is the only one that
    its database takes."""

    def __init__(self, database: Path, password: str = "secret") -> None:
        self.requests: list[IbisRequest] = []
        self.refuse: tuple[int, bytes] | None = None
        self.hold = False
        self.release = asyncio.Event()
        self.longest_limit = 180
        self._database = database
        self._password = password
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/v3/connector/{source}/query", self._query)
        app.router.add_get("/v3/connector/{source}/functions", self._functions)
        app.router.add_post("/v2/connector/{source}/metadata/tables", self._tables)
        app.router.add_post("/v2/connector/{source}/metadata/constraints", self._constraints)
        app.router.add_get("/elsewhere", self._functions)
        app.middlewares.append(self._around)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        return self

    async def __aexit__(self, *args: object) -> None:
        self.release.set()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def queries(self) -> list[IbisRequest]:
        """The requests that carried a statement."""
        return [request for request in self.requests if request.path.endswith("/query")]

    @web.middleware
    async def _around(self, request: web.Request, handler: Any) -> web.StreamResponse:
        body = await request.json() if request.can_read_body else {}
        noted = IbisRequest(request.path, dict(request.query), dict(request.headers), body)
        self.requests.append(noted)
        try:
            if self.hold:
                await self.release.wait()
            if self.refuse is not None:
                noted.outcome = "refused"
                return web.Response(status=self.refuse[0], body=self.refuse[1])
            if request.match_info.get("source", "") not in ("postgres", "local_file", "mysql", "bigquery"):
                raise web.HTTPNotFound
            if body:
                self._sign_in(body)
            response: web.StreamResponse = await handler(request, noted)
        except Failure as failure:
            noted.outcome = "failed"
            return web.json_response(failure.body, status=failure.status)
        except asyncio.CancelledError:
            noted.outcome = "abandoned"
            raise
        noted.outcome = "answered"
        return response

    def _sign_in(self, body: Mapping[str, Any]) -> None:
        info = body.get("connectionInfo", {})
        if info.get("password") != self._password:
            message = f"password authentication failed with {info.get('password')} at {info.get('host')}"
            raise Failure(422, "GET_CONNECTION_ERROR", message)

    async def _query(self, request: web.Request, noted: IbisRequest) -> web.Response:
        headers = {name.lower(): value for name, value in noted.headers.items()}
        seconds = min(int(headers.get("x-wren-db-statement_timeout", "180")), self.longest_limit)
        limit, dry = noted.query.get("limit"), noted.query.get("dryRun") == "true"
        sql = await asyncio.to_thread(planned, noted.body, int(limit) if limit else None)
        connection = self._connect()
        timer = asyncio.get_running_loop().call_later(seconds, connection.interrupt)
        try:
            statement = f"EXPLAIN {sql}" if dry else sql
            content = await asyncio.to_thread(run_on, connection, statement)
        except duckdb.InterruptException:
            raise Failure(504, "DATABASE_TIMEOUT", f"Query timeout after {seconds} seconds.") from None
        except asyncio.CancelledError:
            connection.interrupt()
            raise
        except duckdb.Error as error:
            phase = "SQL_DRY_RUN" if dry else "SQL_EXECUTION"
            raise Failure(422, "GENERIC_USER_ERROR", str(error), phase) from None
        finally:
            timer.cancel()
        if dry:
            return web.Response(status=204)
        return web.Response(body=json.dumps(content).encode(), content_type="application/json")

    async def _functions(self, request: web.Request, noted: IbisRequest) -> web.Response:
        known = wren_core.SessionContext(None, None, None, "postgres").get_available_functions()
        return web.json_response([function.to_dict() for function in known])

    async def _tables(self, request: web.Request, noted: IbisRequest) -> web.Response:
        connection = self._connect()
        rows = connection.execute(
            "SELECT database_name, schema_name, table_name, column_name, data_type, is_nullable "
            "FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index"
        ).fetchall()
        keys = connection.execute(
            "SELECT table_name, constraint_column_names FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'"
        ).fetchall()
        single = {table: columns[0] for table, columns in keys if len(columns) == 1}
        tables: dict[str, dict[str, Any]] = {}
        for catalog, schema, table, column, kind, nullable in rows:
            entry = tables.setdefault(
                f"{schema}.{table}",
                {
                    "name": f"{schema}.{table}",
                    "description": f"All\nrows of {table}",
                    "primaryKey": single.get(table, ""),
                    "properties": {"schema": schema, "catalog": catalog, "table": table, "path": None},
                    "columns": [],
                },
            )
            column_entry = {"name": column, "type": kind, "notNull": not nullable, "description": None}
            entry["columns"].append({**column_entry, "properties": None, "nestedColumns": None})
        return web.json_response(list(tables.values()))

    async def _constraints(self, request: web.Request, noted: IbisRequest) -> web.Response:
        rows = (
            self._connect()
            .execute(
                "SELECT schema_name, table_name, constraint_column_names, referenced_table, referenced_column_names "
                "FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'"
            )
            .fetchall()
        )
        return web.json_response(
            [
                {
                    "constraintName": f"{table}_{'_'.join(columns)}_fkey",
                    "constraintType": "FOREIGN KEY",
                    "constraintTable": f"{schema}.{table}",
                    "constraintColumn": here,
                    "constraintedTable": f"{schema}.{target}",
                    "constraintedColumn": there,
                }
                for schema, table, columns, target, targets in rows
                for here, there in zip(columns, targets, strict=True)
            ]
        )

    def _connect(self) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(str(self._database), read_only=True)
        connection.execute("SET TimeZone = 'UTC'")
        return connection


def planned(body: Mapping[str, Any], limit: int | None) -> str:
    """The statement in DuckDB's SQL, by wren-core over the model that came with it."""
    try:
        sql = body["sql"] if limit is None else wren_core.SessionContext().pushdown_limit(body["sql"], limit)
        context = wren_core.SessionContext(body["manifestStr"], None, frozenset(), "postgres")
        planned = context.transform_sql(sql)
    except Exception as error:  # noqa: BLE001 - as the server does it
        raise Failure(422, "INVALID_SQL", str(error), "SQL_PLANNING") from None
    try:
        return str(sqlglot.transpile(planned, read="postgres", write="duckdb")[0])
    except sqlglot.errors.SqlglotError as error:
        raise Failure(500, "SQLGLOT_ERROR", str(error), "SQL_TRANSPILE") from None


def run_on(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    cursor = connection.execute(sql)
    described = cursor.description or []
    names = [column[0] for column in described]
    if len(set(names)) != len(names):
        raise Failure(500, "GENERIC_INTERNAL_ERROR", f"Projections require unique expression names: {names}")
    types = [_arrow(str(column[1])) for column in described]
    rows = cursor.fetchall()
    nullable = [any(row[position] is None for row in rows) for position in range(len(names))]
    data = [
        [_value(value, kind, beside) for value, kind, beside in zip(row, types, nullable, strict=True)] for row in rows
    ]
    return {"columns": names, "data": data, "dtypes": dict(zip(names, types, strict=True))}


def _arrow(kind: str) -> str:
    if kind.startswith("DECIMAL"):
        return "decimal128(38, 9)"
    return _ARROW.get(kind, "string")


def _value(value: Any, kind: str, beside_nulls: bool) -> Any:
    match value:
        case None | bool():
            return value
        case Decimal():
            return "0" if value == 0 else str(float(value))
        case int() if kind.startswith("decimal"):
            return "0" if value == 0 else str(float(value))
        case int():
            return float(value) if beside_nulls else value
        case float():
            return value if math.isfinite(value) else None
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S.%f}{' UTC' if 'tz' in kind else ''}"
        case bytes():
            return value.hex()
        case str() | list() | dict():
            return value
        case _:
            return str(value)
