"""Engines behind a service of Wren's, an ibis-server and a Wren UI: their protocols, their limits, which errors are a
statement's fault, and that nothing they are told in confidence comes out again.

Not asked of them: types by the database's own names (Arrow's are told), two columns of one name, recursive CTEs (their
planners have none), and what only child processes or declared views show.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import (
    DEFAULT_LIMITS,
    Engine,
    EngineLimits,
    ForeignKey,
    PhysicalColumn,
    QueryFailure,
    QueryTerms,
)
from askwell.providers.engine.factory import create_ibis_engine, create_wren_ui_engine
from askwell.services.database import PlanningEngine
from tests.fakes.ibis_server import FakeIbisServer
from tests.fakes.wren_ui_server import FakeWrenUi
from tests.providers.engine import test_contract
from tests.providers.engine.conftest import SMALL, Bench, failure_of, rows_of, write_database
from tests.support.tables import case_rows, case_table

PASSWORD = "very secret indeed"
INFO = {"host": "db.internal", "port": "5432", "user": "reader", "password": PASSWORD, "kwargs": {"sslkey": "K-E-Y"}}
STATEMENTS = case_table(__file__, "statements")
COLUMNS = case_table(__file__, "columns")


def manifest_of(tables: dict[str, dict[str, str]]) -> dict[str, Any]:
    models = [
        {
            "name": table,
            "tableReference": {"schema": "main", "table": table},
            "columns": [{"name": name, "type": kind} for name, kind in columns.items()],
        }
        for table, columns in tables.items()
    ]
    return {"catalog": "c", "schema": "s", "models": models}


MANIFEST = manifest_of(COLUMNS)
CONTRACT = manifest_of(case_table(__file__, "contract"))
# Nothing ends it but a limit: some 10¹³ rows.
ENDLESS = "SELECT count(*) FROM long_texts a, long_texts b, long_texts c, long_texts d WHERE a.t < b.t || c.t || d.t"
KINDS = ("ibis", "ui")


def service_of(kind: str, path: Path, manifest: dict[str, Any]) -> AbstractAsyncContextManager[Any]:
    return FakeIbisServer(path, PASSWORD) if kind == "ibis" else FakeWrenUi(path, manifest)


def engine_of(
    kind: str, api_base: str, manifest: dict[str, Any], limits: EngineLimits = DEFAULT_LIMITS, **more: Any
) -> Engine:
    if kind == "ui":
        base = create_wren_ui_engine(api_base, "POSTGRES", more.get("project_id"), limits)
    else:
        base = create_ibis_engine(api_base, "POSTGRES", more.get("info", INFO), limits)
    assert isinstance(base, PlanningEngine)
    return base.with_manifest(manifest)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wren") / "shop.db"
    with duckdb.connect(str(path)) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    return path


@pytest.fixture
async def server(kind: str, database: Path) -> AsyncIterator[Any]:
    async with service_of(kind, database, MANIFEST) as running:
        yield running


@pytest.fixture
async def make(kind: str, server: Any) -> AsyncIterator[Callable[..., Engine]]:
    """`make(limits, …)` gives an engine over the sample tables; every one is closed at the end."""
    made: list[Engine] = []

    def build(limits: EngineLimits = DEFAULT_LIMITS, **more: Any) -> Engine:
        made.append(engine_of(kind, server.api_base, MANIFEST, limits, **more))
        return made[-1]

    yield build
    for engine in made:
        await engine.close()


@pytest.fixture
def engine(make: Callable[..., Engine]) -> Engine:
    return make()


@pytest.fixture
async def bench(kind: str, tmp_path: Path) -> AsyncIterator[Bench]:
    """Over the database of the contract that all engines keep."""
    path = write_database("duckdb", tmp_path / "contract.db")
    async with service_of(kind, path, CONTRACT) as server:
        engine = engine_of(kind, server.api_base, CONTRACT, SMALL, info={"password": PASSWORD})
        yield Bench("duckdb", engine, file=path)
        await engine.close()


def answer(**preview: Any) -> tuple[int, bytes]:
    return 200, json.dumps({"data": {"previewSql": preview}}).encode()


def errors(message: Any, code: str | None = None) -> tuple[int, bytes]:
    error = {"message": message} | ({} if code is None else {"extensions": {"code": code}})
    return 200, json.dumps({"errors": [error], "data": None}).encode()


@pytest.mark.parametrize(
    "promise",
    [
        test_contract.test_a_closed_engine_says_so_and_closes_again,
        test_contract.test_more_rows_than_the_limit_are_cut_and_said_so,
        test_contract.test_no_rows_still_have_columns,
        test_contract.test_nothing_but_one_select_runs,
        test_contract.test_values_of_rows_do_not_leak_through_errors,
    ],
)
async def test_what_every_engine_promises(bench: Bench, promise: Callable[[Bench], Any]) -> None:
    await promise(bench)


class TestBoth:
    async def test_values_are_typed_and_json_ready(self, engine: Engine) -> None:
        outcome = await rows_of(engine, "SELECT * FROM kinds")
        first, second = outcome.rows
        assert first[:4] == (1, "0.1", "2024-02-29", "2024-02-29T10:00:00")
        assert first[4:6] == ("2024-02-29T10:00:00.500000+00:00", "YWI=")
        assert first[7:] == (True, 1.5, 12)
        assert second == (None,) * 10
        json.dumps(outcome.rows, allow_nan=False)
        # An integer that JSON readers would round is text.
        assert (await rows_of(engine, "SELECT big FROM kinds WHERE id = 1")).rows == (("9007199254740993",),)

    async def test_a_server_that_does_not_answer_is_not_waited_for(self, engine: Engine, server: Any) -> None:
        server.hold = True
        started = asyncio.get_running_loop().time()
        outcome = await engine.execute("SELECT 1", row_limit=1, timeout=0.3)
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind == "timeout"
        assert asyncio.get_running_loop().time() - started < 1.3
        server.hold = False
        server.release.set()
        assert (await rows_of(engine, "SELECT 1 AS one")).rows == ((1,),)

    async def test_a_stop_closes_the_request(self, engine: Engine, server: Any) -> None:
        server.hold = True
        asking = asyncio.create_task(engine.execute("SELECT 1", row_limit=1, timeout=20))
        async with asyncio.timeout(5):
            while not server.requests:
                await asyncio.sleep(0.01)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            while not (server.abandoned if isinstance(server, FakeWrenUi) else server.requests[0].outcome):
                await asyncio.sleep(0.01)

    async def test_only_so_many_requests_at_once(self, make: Callable[..., Engine], server: Any) -> None:
        engine = make(EngineLimits(pool_size=2))
        server.hold = True
        asking = [asyncio.create_task(rows_of(engine, "SELECT 1 AS one")) for _ in range(5)]
        await asyncio.sleep(0.2)
        assert len(server.requests) == 2
        server.release.set()
        assert [outcome.rows for outcome in await asyncio.gather(*asking)] == [((1,),)] * 5

    async def test_a_reply_is_read_no_further_than_its_limit(self, make: Callable[..., Engine]) -> None:
        engine = make(EngineLimits(byte_limit=100_000))
        outcome = await engine.execute("SELECT t FROM long_texts", row_limit=2_000, timeout=20)
        assert outcome == QueryFailure(
            "resources", "The result is larger than 100,000 bytes. Ask for fewer rows or columns."
        )
        assert len((await rows_of(engine, "SELECT t FROM long_texts", row_limit=50)).rows) == 50

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
        for outcome in (await engine.execute(sql, row_limit=1, timeout=20), await engine.dry_run(sql, timeout=20)):
            assert isinstance(outcome, QueryFailure)
            assert outcome.kind == "error"
            assert words in outcome.message
            # One line, and no names that were not asked for.
            assert not any(word in outcome.message for word in ("\n", "country", "Valid fields", "caused by"))

    @pytest.mark.parametrize("hides_rows", [False, True])
    async def test_values_of_rows_do_not_leak_through_errors(self, engine: Engine, hides_rows: bool) -> None:
        sql, terms = "SELECT CAST(name AS INTEGER) AS n FROM customers", QueryTerms(hides_rows=hides_rows)
        outcome = await failure_of(engine, sql, row_limit=1, terms=terms)
        assert outcome.kind == "error"
        assert "Ada" not in outcome.message

    async def test_a_server_that_is_not_there(self, kind: str) -> None:
        engine = engine_of(kind, "http://127.0.0.1:9", MANIFEST)
        looks = [engine.execute("SELECT 1", row_limit=1, timeout=20)]
        for look in [*looks, *([engine.functions(), engine.introspect()] if kind == "ibis" else [])]:
            with pytest.raises(EngineUnavailable, match="It cannot be reached"):
                await look
        await engine.close()


@pytest.mark.parametrize("kind", ["ibis"], indirect=True)
class TestIbisServer:
    async def test_a_statement_goes_out_with_the_model_and_what_the_database_is_reached_with(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        assert (await rows_of(engine, "SELECT id, name FROM customers ORDER BY id")).rows[0] == (1, "Ada")
        [request] = server.queries
        assert request.path == "/v3/connector/postgres/query"
        assert request.query == {"limit": "11"}
        assert request.body["connectionInfo"] == INFO
        assert request.manifest == MANIFEST
        assert request.headers["x-wren-fallback_disable"] == "true"
        assert request.headers["x-wren-db-statement_timeout"] == "20"

    async def test_types_are_arrows(self, engine: Engine) -> None:
        types = [column.type for column in (await rows_of(engine, "SELECT * FROM kinds")).columns]
        assert types[:4] == ["int32", "decimal128(38, 9)", "date32[day]", "timestamp[us]"]

    async def test_models_of_two_projects_share_the_connections_and_not_the_model(self, engine: Engine) -> None:
        assert isinstance(engine, PlanningEngine)
        other = engine.with_manifest({**MANIFEST, "models": MANIFEST["models"][:1]})
        await rows_of(engine, "SELECT id FROM orders")
        outcome = await failure_of(other, "SELECT id FROM orders", row_limit=1)
        assert "orders" in outcome.message

    async def test_a_dry_run_runs_nothing(self, engine: Engine, server: FakeIbisServer) -> None:
        assert await engine.dry_run(ENDLESS, timeout=20) is None
        assert server.queries[-1].query == {"dryRun": "true"}
        assert isinstance(await engine.dry_run("SELECT nmae FROM customers", timeout=20), QueryFailure)

    async def test_the_server_is_told_the_time_limit_and_its_own_is_a_timeout_too(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        server.longest_limit = 1
        outcome = await engine.execute(ENDLESS, row_limit=1, timeout=20)
        assert outcome == QueryFailure(
            "timeout", "The statement did not finish within the time limit of the ibis-server."
        )

    async def test_a_server_that_gives_more_rows_than_asked_for_is_cut_short(
        self, engine: Engine, server: FakeIbisServer
    ) -> None:
        body = {"columns": ["a"], "dtypes": {"a": "int64"}, "data": [[1], [2], [3], [4]]}
        server.refuse = (200, json.dumps(body).encode())
        outcome = await rows_of(engine, "SELECT a", row_limit=2)
        assert (outcome.rows, outcome.truncated) == (((1,), (2,)), True)

    @pytest.mark.parametrize(("status", "body"), case_rows(__file__, "broken", "status", "body", lists=True))
    async def test_a_server_that_is_broken_is_unavailable_and_keeps_what_it_was_told(
        self, engine: Engine, server: FakeIbisServer, status: int, body: Any
    ) -> None:
        server.refuse = (status, json.dumps(body).encode() if body is not None else b"<html>down</html>")

        with pytest.raises(EngineUnavailable) as caught:
            await engine.execute("SELECT 1", row_limit=1, timeout=20)

        said = f"{caught.value.message} {caught.value.hint}"
        assert said.startswith("The ibis-server can't be used. ")
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

    async def test_it_follows_no_redirect(self, engine: Engine, server: FakeIbisServer) -> None:
        server.refuse = (307, b"")
        with pytest.raises(EngineUnavailable, match="HTTP 307"):
            await engine.functions()

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
        assert (orders.schema, orders.comment) == ("main", "All rows of orders")
        assert orders.columns[1] == PhysicalColumn("customer_id", "INTEGER", not_null=True)
        assert orders.primary_key == ("id",)
        assert ForeignKey(("customer_id",), "customers", ("id",)) in orders.foreign_keys
        assert ForeignKey(("country", "code"), "regions", ("country", "code")) in orders.foreign_keys

    async def test_a_catalogue_that_is_none_is_unavailable(self, engine: Engine, server: FakeIbisServer) -> None:
        server.refuse = (200, b'[{"nmae": 1}]')
        for look in (engine.functions, engine.introspect):
            with pytest.raises(EngineUnavailable, match="no usable list"):
                await look()


@pytest.mark.parametrize("kind", ["ui"], indirect=True)
class TestWrenUi:
    async def test_a_statement_goes_out_alone(self, engine: Engine, server: FakeWrenUi) -> None:
        assert (await rows_of(engine, "SELECT id, name FROM customers ORDER BY id")).rows[0] == (1, "Ada")
        assert await engine.dry_run("SELECT id FROM customers", timeout=20) is None

        assert server.previews == [
            {"sql": "SELECT id, name FROM customers ORDER BY id", "dryRun": False, "limit": 11},
            {"sql": "SELECT id FROM customers", "dryRun": True, "limit": 1},
        ]
        assert set(server.requests[0]) == {"query", "variables"}

    async def test_it_may_be_for_one_project(self, make: Callable[..., Engine], server: FakeWrenUi) -> None:
        await rows_of(make(project_id=7), "SELECT id FROM customers")
        assert server.previews[0]["projectId"] == 7

    async def test_types_that_are_not_told_are_read_as_they_come(self, engine: Engine, server: FakeWrenUi) -> None:
        server.refuse = answer(columns=[{"name": "a"}, {"name": "b", "type": None}], data=[[1, "x"], [None, "y"]])
        outcome = await rows_of(engine, "SELECT a")
        assert outcome.rows == ((1, "x"), (None, "y"))
        assert [column.type for column in outcome.columns] == ["unknown", "unknown"]

    async def test_a_dry_run_may_be_answered_with_true(self, engine: Engine, server: FakeWrenUi) -> None:
        server.refuse = (200, b'{"data": {"previewSql": true}}')
        assert await engine.dry_run("SELECT 1", timeout=20) is None

    async def test_it_lists_neither_tables_nor_functions(self, engine: Engine, server: FakeWrenUi) -> None:
        assert not (await engine.introspect()).is_listed
        assert await engine.functions() == frozenset()
        assert server.requests == []

    @pytest.mark.parametrize("code", [None, "IBIS_SERVER_ERROR", "WREN_ENGINE_ERROR", "DRY_RUN_ERROR", "SOMETHING_NEW"])
    async def test_what_is_said_of_a_statement_is_its_failure(
        self, engine: Engine, server: FakeWrenUi, code: str | None
    ) -> None:
        server.refuse = errors('column "x" does not exist', code)
        outcome = await engine.dry_run("SELECT x FROM customers", timeout=20)
        assert outcome == QueryFailure("error", 'column "x" does not exist')

    async def test_its_own_time_limit_is_a_timeout(self, engine: Engine, server: FakeWrenUi) -> None:
        server.refuse = errors("Query was cancelled: timeout of 180 seconds", "IBIS_SERVER_ERROR")
        outcome = await failure_of(engine, "SELECT 1", row_limit=1)
        assert outcome.kind == "timeout"

    @pytest.mark.parametrize(
        ("status", "body", "told"),
        [*case_rows(__file__, "ui_replies", "status", "body", "told"), (200, "[" * 60_000, "no usable reply")],
    )
    async def test_what_is_not_the_statements_fault_is_no_failure_of_it(
        self, engine: Engine, server: FakeWrenUi, status: int, body: str, told: str
    ) -> None:
        server.refuse = (status, body.encode())
        with pytest.raises(EngineUnavailable) as caught:
            await engine.execute("SELECT 1", row_limit=1, timeout=20)
        assert told in caught.value.message
        assert "secret" not in f"{caught.value.message} {caught.value.hint}"
        server.refuse = None
        assert (await rows_of(engine, "SELECT 1 AS one")).rows == ((1,),)

    async def test_a_reply_that_is_cut_off_is_no_result(self, engine: Engine, server: FakeWrenUi) -> None:
        server.cut = True
        with pytest.raises(EngineUnavailable, match="cannot be reached"):
            await engine.execute("SELECT t FROM long_texts", row_limit=50, timeout=20)
