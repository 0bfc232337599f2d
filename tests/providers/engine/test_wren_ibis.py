"""The engine of an ibis-server: its protocol, its limits, and that nothing it is told in confidence comes out again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import Engine, EngineLimits, ForeignKey, PhysicalColumn, QueryFailure, QueryRows
from askwell.providers.engine.factory import create_ibis_engine
from askwell.services.database import PlanningEngine
from tests.fakes.ibis_server import FakeIbisServer

PASSWORD = "very secret indeed"
INFO = {"host": "db.internal", "port": "5432", "user": "reader", "password": PASSWORD, "kwargs": {"sslkey": "K-E-Y"}}
STATEMENTS = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, country VARCHAR)",
    "CREATE TABLE regions (country VARCHAR, code VARCHAR, label VARCHAR, PRIMARY KEY (country, code))",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), "
    "country VARCHAR, code VARCHAR, total DOUBLE, FOREIGN KEY (country, code) REFERENCES regions(country, code))",
    "INSERT INTO customers VALUES (1, 'Ada', 'PT'), (2, 'Grace', 'US'), (3, 'Zoë', NULL)",
    "INSERT INTO regions VALUES ('PT', 'N', 'North')",
    "INSERT INTO orders VALUES (10, 1, 'PT', 'N', 20.5), (11, 1, NULL, NULL, 5.0), (12, 2, NULL, NULL, 100.0)",
    "CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 10",
    "CREATE TABLE kinds (id INTEGER, price DECIMAL(12, 2), day DATE, moment TIMESTAMP, zoned TIMESTAMPTZ, data BLOB, "
    "big BIGINT, flag BOOLEAN, ratio DOUBLE, odd HUGEINT)",
    "INSERT INTO kinds VALUES (1, 0.10, '2024-02-29', '2024-02-29 10:00:00', '2024-02-29 10:00:00.5+00', 'ab'::BLOB, "
    "9007199254740993, true, 1.5, 12), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'nan', NULL)",
    "CREATE TABLE long_texts AS SELECT i, repeat('x', 1000) AS t FROM range(2000) AS r(i)",
)
COLUMNS = {
    "customers": {"id": "INTEGER", "name": "VARCHAR", "country": "VARCHAR"},
    "orders": {"id": "INTEGER", "customer_id": "INTEGER", "total": "DOUBLE"},
    "kinds": {
        "id": "INTEGER",
        "price": "DECIMAL",
        "day": "DATE",
        "moment": "TIMESTAMP",
        "zoned": "TIMESTAMPTZ",
        "data": "BYTEA",
        "big": "BIGINT",
        "flag": "BOOL",
        "ratio": "DOUBLE",
        "odd": "DECIMAL",
    },
    "long_texts": {"i": "BIGINT", "t": "VARCHAR"},
}
MANIFEST = {
    "catalog": "c",
    "schema": "s",
    "models": [
        {
            "name": table,
            "tableReference": {"schema": "main", "table": table},
            "columns": [{"name": name, "type": kind} for name, kind in columns.items()],
        }
        for table, columns in COLUMNS.items()
    ],
}
# Nothing ends it but a limit: some 10¹³ rows.
ENDLESS = "SELECT count(*) FROM long_texts a, long_texts b, long_texts c, long_texts d WHERE a.t < b.t || c.t || d.t"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[FakeIbisServer]:
    with duckdb.connect(str(tmp_path / "shop.db")) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    async with FakeIbisServer(tmp_path / "shop.db", PASSWORD) as running:
        yield running


@pytest.fixture
async def make(server: FakeIbisServer) -> AsyncIterator[Callable[..., Engine]]:
    """`make(limits, info)` gives an engine over the sample tables; every one is closed at the end."""
    made: list[Engine] = []

    def build(limits: EngineLimits | None = None, info: Any = None, source: str = "POSTGRES") -> Engine:
        base = create_ibis_engine(server.api_base, source, info or INFO, limits)
        made.append(base)
        assert isinstance(base, PlanningEngine)
        return base.with_manifest(MANIFEST)

    yield build
    for engine in made:
        await engine.close()


@pytest.fixture
def engine(make: Callable[..., Engine]) -> Engine:
    return make()


async def rows(engine: Engine, sql: str, row_limit: int = 10) -> QueryRows:
    outcome = await engine.execute(sql, row_limit=row_limit, timeout=20)
    assert isinstance(outcome, QueryRows), outcome
    return outcome


class TestQueries:
    async def test_a_statement_goes_out_with_the_model_and_what_the_database_is_reached_with(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        assert (await rows(engine, "SELECT id, name FROM customers ORDER BY id")).rows[0] == (1, "Ada")

        [request] = server.queries
        assert request.path == "/v3/connector/postgres/query"
        assert request.query == {"limit": "11"}
        assert request.body["connectionInfo"] == INFO
        assert request.manifest == MANIFEST
        assert request.headers["x-wren-fallback_disable"] == "true"
        assert request.headers["x-wren-db-statement_timeout"] == "20"

    async def test_values_are_typed_and_json_ready(self, engine: Engine) -> None:
        outcome = await rows(engine, "SELECT * FROM kinds")

        assert [column.type for column in outcome.columns][:5] == [
            "int32",
            "decimal128(38, 9)",
            "date32[day]",
            "timestamp[us]",
            "timestamp[us, tz=UTC]",
        ]
        first, second = outcome.rows
        assert first[:4] == (1, "0.1", "2024-02-29", "2024-02-29T10:00:00")
        assert first[4] == "2024-02-29T10:00:00.500000+00:00"
        assert first[5] == "YWI="
        assert first[7:] == (True, 1.5, 12)
        assert second == (None,) * 10
        json.dumps(outcome.rows, allow_nan=False)

    async def test_an_integer_that_json_readers_would_round_is_text(self, engine: Engine) -> None:
        assert (await rows(engine, "SELECT big FROM kinds WHERE id = 1")).rows == (("9007199254740993",),)

    async def test_models_of_two_projects_share_the_connections_and_not_the_model(
        self, make: Callable[..., Engine], server: FakeIbisServer
    ) -> None:
        one = make()
        assert isinstance(one, PlanningEngine)
        other = one.with_manifest({**MANIFEST, "models": MANIFEST["models"][:1]})

        await rows(one, "SELECT id FROM orders")
        outcome = await other.execute("SELECT id FROM orders", row_limit=1, timeout=20)

        assert isinstance(outcome, QueryFailure)
        assert "orders" in outcome.message

    async def test_a_dry_run_runs_nothing(self, engine: Engine, server: FakeIbisServer) -> None:
        assert await engine.dry_run(ENDLESS, timeout=20) is None
        assert server.queries[-1].query == {"dryRun": "true"}
        assert isinstance(await engine.dry_run("SELECT nmae FROM customers", timeout=20), QueryFailure)


class TestLimits:
    async def test_the_server_is_told_the_time_limit_and_its_own_is_a_timeout_too(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        server.longest_limit = 1

        outcome = await engine.execute(ENDLESS, row_limit=1, timeout=20)

        assert outcome == QueryFailure(
            "timeout", "The statement did not finish within the time limit of the ibis-server."
        )

    async def test_a_server_that_does_not_answer_is_not_waited_for(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        server.hold = True
        started = asyncio.get_running_loop().time()

        outcome = await engine.execute("SELECT 1", row_limit=1, timeout=0.3)

        assert isinstance(outcome, QueryFailure)
        assert outcome.kind == "timeout"
        assert asyncio.get_running_loop().time() - started < 1.3
        server.hold = False
        server.release.set()
        assert (await rows(engine, "SELECT 1 AS one")).rows == ((1,),)

    async def test_a_stop_closes_the_request(self, engine: Engine, server: FakeIbisServer) -> None:
        server.hold = True
        asking = asyncio.create_task(engine.execute("SELECT 1", row_limit=1, timeout=20))
        async with asyncio.timeout(5):
            while not server.requests:
                await asyncio.sleep(0.01)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            while server.requests[0].outcome is None:
                await asyncio.sleep(0.01)
        assert server.requests[0].outcome == "abandoned"

    async def test_only_so_many_requests_at_once(self, make: Callable[..., Engine], server: FakeIbisServer) -> None:
        engine = make(EngineLimits(pool_size=2))
        server.hold = True
        asking = [asyncio.create_task(rows(engine, "SELECT 1 AS one")) for _ in range(6)]
        await asyncio.sleep(0.3)
        assert len(server.requests) == 2
        server.release.set()
        assert [outcome.rows for outcome in await asyncio.gather(*asking)] == [((1,),)] * 6

    async def test_a_reply_is_read_no_further_than_its_limit(
        self, make: Callable[..., Engine], server: FakeIbisServer
    ) -> None:
        engine = make(EngineLimits(byte_limit=100_000))

        outcome = await engine.execute("SELECT t FROM long_texts", row_limit=2_000, timeout=20)

        assert outcome == QueryFailure(
            "resources", "The result is larger than 100,000 bytes. Ask for fewer rows or columns."
        )
        assert len((await rows(engine, "SELECT t FROM long_texts", row_limit=50)).rows) == 50

    async def test_a_server_that_gives_more_rows_than_asked_for_is_cut_short(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        body = {"columns": ["a"], "dtypes": {"a": "int64"}, "data": [[1], [2], [3], [4]]}
        server.refuse = (200, json.dumps(body).encode())
        outcome = await rows(engine, "SELECT a", row_limit=2)
        assert outcome.rows == ((1,), (2,))
        assert outcome.truncated


class TestFailures:
    @pytest.mark.parametrize(
        ("sql", "words"),
        [
            ("SELECT nmae FROM customers", "nmae"),
            ("SELECT * FROM custmers", "custmers"),
            ("SELECT , FROM customers", "Expected: an expression"),
            ("SELECT * FROM regions", "regions"),
            ("SELECT '\ud800'", "no text"),
        ],
    )
    async def test_a_statement_that_is_turned_away_is_an_error_in_one_line(
        self, engine: Engine, sql: str, words: str
    ) -> None:
        for outcome in (
            await engine.execute(sql, row_limit=1, timeout=20),
            await engine.dry_run(sql, timeout=20),
        ):
            assert isinstance(outcome, QueryFailure)
            assert outcome.kind == "error"
            assert words in outcome.message
            # One line, and no names that were not asked for.
            assert not any(word in outcome.message for word in ("\n", "country", "Valid fields", "caused by"))

    async def test_values_of_rows_do_not_leak_through_errors(self, engine: Engine) -> None:
        outcome = await engine.execute("SELECT CAST(name AS INTEGER) AS n FROM customers", row_limit=1, timeout=20)

        assert isinstance(outcome, QueryFailure)
        assert outcome.kind == "error"
        assert "Ada" not in outcome.message

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (500, {"errorCode": "GENERIC_INTERNAL_ERROR", "message": f"broke with {PASSWORD}"}),
            (502, {"errorCode": "GENERIC_EXTERNAL_ERROR", "message": PASSWORD}),
            (422, {"errorCode": "INVALID_CONNECTION_INFO", "message": PASSWORD}),
            (422, {"detail": [{"loc": ["body", "connectionInfo"], "input": INFO}]}),
            (401, {"message": "who are you"}),
            (307, {}),
            (200, {"columns": ["a"], "data": [[1, 2]], "dtypes": {}}),
            (200, {"columns": 5}),
            (200, []),
            (503, None),
        ],
    )
    async def test_a_server_that_is_broken_is_unavailable_and_keeps_what_it_was_told(
        self, engine: Engine, server: FakeIbisServer, status: int, body: Any
    ) -> None:
        server.refuse = (status, json.dumps(body).encode() if body is not None else b"<html>down</html>")

        with pytest.raises(EngineUnavailable) as caught:
            await engine.execute("SELECT 1", row_limit=1, timeout=20)

        said = f"{caught.value.message} {caught.value.hint}"
        assert said.startswith("The ibis-server cannot be used. ")
        assert not any(secret in said for secret in (PASSWORD, "db.internal", "reader", "127.0.0.1"))

    async def test_a_wrong_password_is_no_fault_of_the_statement(
        self, make: Callable[..., Engine], server: FakeIbisServer
    ) -> None:
        engine = make(info={**INFO, "password": "wrong-one"})
        with pytest.raises(EngineUnavailable, match="GET_CONNECTION_ERROR") as caught:
            await engine.dry_run("SELECT 1", timeout=20)
        assert "wrong-one" not in caught.value.message

    async def test_secrets_in_the_words_about_a_statement_are_left_out(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        message = f"near {PASSWORD} and K-E-Y: no such column"
        server.refuse = (422, json.dumps({"errorCode": "INVALID_SQL", "message": message}).encode())
        outcome = await engine.dry_run("SELECT 1", timeout=20)
        assert outcome == QueryFailure("error", "near … and …: no such column")

    async def test_a_server_that_is_not_there(self, server: FakeIbisServer) -> None:
        engine = create_ibis_engine("http://127.0.0.1:9", "POSTGRES", INFO)
        for look in (engine.execute("SELECT 1", row_limit=1, timeout=20), engine.functions(), engine.introspect()):
            with pytest.raises(EngineUnavailable, match="cannot be reached"):
                await look
        await engine.close()

    async def test_it_follows_no_redirect(self, engine: Engine, server: FakeIbisServer) -> None:
        server.refuse = (307, b"")
        with pytest.raises(EngineUnavailable, match="HTTP 307"):
            await engine.functions()

    async def test_a_closed_engine_says_so_and_closes_again(self, engine: Engine) -> None:
        assert (await rows(engine, "SELECT 1 AS one")).rows == ((1,),)
        await engine.close()
        await engine.close()
        with pytest.raises(EngineUnavailable, match="closed"):
            await engine.execute("SELECT 1", row_limit=1, timeout=20)


class TestCatalogue:
    async def test_functions_are_asked_for_once(self, engine: Engine, server: FakeIbisServer) -> None:
        functions = await engine.functions()
        assert {"count", "sum", "lower", "date_trunc"} <= functions
        assert functions == {name.lower() for name in functions}
        assert await engine.functions() is functions
        assert [request.path for request in server.requests] == ["/v3/connector/postgres/functions"]

    async def test_introspection_tells_what_the_server_knows(self, engine: Engine) -> None:
        tables = {table.name: table for table in (await engine.introspect()).tables}
        assert {"customers", "regions", "orders", "big_orders"} <= set(tables)
        orders = tables["orders"]
        assert orders.schema == "main"
        assert orders.columns[1] == PhysicalColumn("customer_id", "INTEGER", not_null=True)
        assert orders.primary_key == ("id",)
        assert ForeignKey(("customer_id",), "customers", ("id",)) in orders.foreign_keys
        assert ForeignKey(("country", "code"), "regions", ("country", "code")) in orders.foreign_keys

    async def test_a_catalogue_that_is_none_is_unavailable(self, engine: Engine, server: FakeIbisServer) -> None:
        server.refuse = (200, b'[{"nmae": 1}]')
        for look in (engine.functions, engine.introspect):
            with pytest.raises(EngineUnavailable, match="no usable list"):
                await look()
