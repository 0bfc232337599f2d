"""The engine of a Wren UI: its protocol, its limits, and which of its errors are a statement's fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import Engine, EngineLimits, QueryFailure, QueryRows, QueryTerms
from askwell.providers.engine.factory import create_wren_ui_engine
from askwell.services.database import PlanningEngine
from tests.fakes.wren_ui_server import FakeWrenUi
from tests.providers.engine.test_wren_ibis import MANIFEST, STATEMENTS


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[FakeWrenUi]:
    with duckdb.connect(str(tmp_path / "shop.db")) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    async with FakeWrenUi(tmp_path / "shop.db", MANIFEST) as running:
        yield running


@pytest.fixture
async def make(server: FakeWrenUi) -> AsyncIterator[Callable[..., Engine]]:
    """`make(limits, project_id)` gives an engine on the server; every one is closed at the end."""
    made: list[Engine] = []

    def build(limits: EngineLimits | None = None, project_id: int | None = None) -> Engine:
        base = create_wren_ui_engine(server.api_base, "POSTGRES", project_id, limits)
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


def answer(**preview: Any) -> tuple[int, bytes]:
    return 200, json.dumps({"data": {"previewSql": preview}}).encode()


def errors(message: Any, code: str | None = None) -> tuple[int, bytes]:
    error = {"message": message} | ({} if code is None else {"extensions": {"code": code}})
    return 200, json.dumps({"errors": [error], "data": None}).encode()


class TestQueries:
    async def test_a_statement_goes_out_alone(self, engine: Engine, server: FakeWrenUi) -> None:
        assert (await rows(engine, "SELECT id, name FROM customers ORDER BY id")).rows[0] == (1, "Ada")
        assert await engine.dry_run("SELECT id FROM customers", timeout=20) is None

        assert server.previews == [
            {"sql": "SELECT id, name FROM customers ORDER BY id", "dryRun": False, "limit": 11},
            {"sql": "SELECT id FROM customers", "dryRun": True, "limit": 1},
        ]
        assert set(server.requests[0]) == {"query", "variables"}

    async def test_it_may_be_for_one_project(self, make: Callable[..., Engine], server: FakeWrenUi) -> None:
        await rows(make(project_id=7), "SELECT id FROM customers")
        assert server.previews[0]["projectId"] == 7

    async def test_values_are_typed_and_json_ready(self, engine: Engine) -> None:
        first, second = (await rows(engine, "SELECT * FROM kinds")).rows
        assert first[:4] == (1, "0.1", "2024-02-29", "2024-02-29T10:00:00")
        assert first[4:6] == ("2024-02-29T10:00:00.500000+00:00", "YWI=")
        assert second == (None,) * 10
        json.dumps([first, second], allow_nan=False)

    async def test_types_that_are_not_told_are_read_as_they_come(self, engine: Engine, server: FakeWrenUi) -> None:
        server.refuse = answer(columns=[{"name": "a"}, {"name": "b", "type": None}], data=[[1, "x"], [None, "y"]])
        outcome = await rows(engine, "SELECT a")
        assert outcome.rows == ((1, "x"), (None, "y"))
        assert [column.type for column in outcome.columns] == ["unknown", "unknown"]

    async def test_more_rows_than_the_limit_are_cut_and_said_so(self, engine: Engine) -> None:
        outcome = await rows(engine, "SELECT i FROM long_texts", row_limit=3)
        assert (len(outcome.rows), outcome.truncated) == (3, True)
        assert not (await rows(engine, "SELECT id FROM customers", row_limit=3)).truncated

    async def test_a_dry_run_may_be_answered_with_true(self, engine: Engine, server: FakeWrenUi) -> None:
        server.refuse = (200, b'{"data": {"previewSql": true}}')
        assert await engine.dry_run("SELECT 1", timeout=20) is None

    async def test_it_lists_neither_tables_nor_functions(self, engine: Engine, server: FakeWrenUi) -> None:
        assert not (await engine.introspect()).is_listed
        assert await engine.functions() == frozenset()
        assert server.requests == []


class TestLimits:
    async def test_a_server_that_does_not_answer_is_not_waited_for(self, engine: Engine, server: FakeWrenUi) -> None:
        server.hold = True
        started = asyncio.get_running_loop().time()
        outcome = await engine.execute("SELECT 1", row_limit=1, timeout=0.3)
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind == "timeout"
        assert asyncio.get_running_loop().time() - started < 1.3

    async def test_a_stop_closes_the_request(self, engine: Engine, server: FakeWrenUi) -> None:
        server.hold = True
        asking = asyncio.create_task(engine.execute("SELECT 1", row_limit=1, timeout=20))
        async with asyncio.timeout(5):
            while not server.requests:
                await asyncio.sleep(0.01)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            while not server.abandoned:
                await asyncio.sleep(0.01)

    async def test_only_so_many_requests_at_once(self, make: Callable[..., Engine], server: FakeWrenUi) -> None:
        engine = make(EngineLimits(pool_size=2))
        server.hold = True
        asking = [asyncio.create_task(rows(engine, "SELECT 1 AS one")) for _ in range(5)]
        await asyncio.sleep(0.3)
        assert len(server.requests) == 2
        server.release.set()
        assert [outcome.rows for outcome in await asyncio.gather(*asking)] == [((1,),)] * 5

    async def test_a_reply_is_read_no_further_than_its_limit(self, make: Callable[..., Engine]) -> None:
        engine = make(EngineLimits(byte_limit=100_000))
        outcome = await engine.execute("SELECT t FROM long_texts", row_limit=2_000, timeout=20)
        assert outcome == QueryFailure(
            "resources", "The result is larger than 100,000 bytes. Ask for fewer rows or columns."
        )
        assert len((await rows(engine, "SELECT t FROM long_texts", row_limit=50)).rows) == 50


class TestFailures:
    @pytest.mark.parametrize(
        ("sql", "words"),
        [
            ("SELECT nmae FROM customers", "nmae"),
            ("SELECT * FROM custmers", "custmers"),
            ("SELECT , FROM customers", "Expected: an expression"),
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
            assert not any(word in outcome.message for word in ("\n", "country", "Valid fields"))

    async def test_values_of_rows_do_not_leak_through_errors(self, engine: Engine) -> None:
        sql = "SELECT CAST(name AS INTEGER) AS n FROM customers"
        for terms in (QueryTerms(), QueryTerms(hides_rows=True)):
            outcome = await engine.execute(sql, row_limit=1, timeout=20, terms=terms)
            assert isinstance(outcome, QueryFailure)
            assert "Ada" not in outcome.message

    @pytest.mark.parametrize("code", [None, "IBIS_SERVER_ERROR", "WREN_ENGINE_ERROR", "DRY_RUN_ERROR", "SOMETHING_NEW"])
    async def test_what_is_said_of_a_statement_is_its_failure(
        self, engine: Engine, server: FakeWrenUi, code: str | None
    ) -> None:
        server.refuse = errors('column "x" does not exist', code)
        outcome = await engine.dry_run("SELECT x FROM customers", timeout=20)
        assert outcome == QueryFailure("error", 'column "x" does not exist')

    async def test_its_own_time_limit_is_a_timeout(self, engine: Engine, server: FakeWrenUi) -> None:
        server.refuse = errors("Query was cancelled: timeout of 180 seconds", "IBIS_SERVER_ERROR")
        outcome = await engine.execute("SELECT 1", row_limit=1, timeout=20)
        assert isinstance(outcome, QueryFailure)
        assert outcome.kind == "timeout"

    @pytest.mark.parametrize(
        ("reply", "told"),
        [
            ((401, b'{"errors": [{"message": "secret"}]}'), "HTTP 401"),
            ((404, b"<html>secret</html>"), "HTTP 404"),
            ((500, b"<html>secret</html>"), "HTTP 500"),
            ((502, b""), "HTTP 502"),
            ((200, b"<html>secret</html>"), "no usable reply"),
            ((200, b"[]"), "no usable reply"),
            ((200, b'{"data": null}'), "no usable reply"),
            ((200, b'{"data": {"previewSql": null}}'), "no usable reply"),
            ((200, b'{"data": {"previewSql": "secret"}}'), "no usable reply"),
            ((200, b"[" * 60_000), "no usable reply"),
            (answer(columns=["a"], data=[[1]]), "no usable reply"),
            (answer(columns=[{"name": "a"}], data=[[1, 2]]), "no usable reply"),
            (answer(columns=[{"name": "a"}]), "no usable reply"),
            (errors("Cannot read properties of null (secret)", "INTERNAL_SERVER_ERROR"), "INTERNAL_SERVER_ERROR"),
            (errors("secret", "NO_DEPLOYMENT_FOUND"), "NO_DEPLOYMENT_FOUND"),
            (errors("secret", "GRAPHQL_VALIDATION_FAILED"), "GRAPHQL_VALIDATION_FAILED"),
            (errors("connect ECONNREFUSED 10.0.0.9:8000 secret", "IBIS_SERVER_ERROR"), "behind it cannot be reached"),
            (errors({"secret": 1}), "could not handle the request"),
            ((200, b'{"errors": "secret"}'), "could not handle the request"),
        ],
    )
    async def test_what_is_not_the_statements_fault_is_no_failure_of_it(
        self, engine: Engine, server: FakeWrenUi, reply: tuple[int, bytes], told: str
    ) -> None:
        server.refuse = reply
        with pytest.raises(EngineUnavailable) as caught:
            await engine.execute("SELECT 1", row_limit=1, timeout=20)
        assert told in caught.value.message
        assert "secret" not in f"{caught.value.message} {caught.value.hint}"
        server.refuse = None
        assert (await rows(engine, "SELECT 1 AS one")).rows == ((1,),)

    async def test_a_reply_that_is_cut_off_is_no_result(self, engine: Engine, server: FakeWrenUi) -> None:
        server.cut = True
        with pytest.raises(EngineUnavailable, match="cannot be reached"):
            await engine.execute("SELECT t FROM long_texts", row_limit=50, timeout=20)

    async def test_a_server_that_is_not_there(self) -> None:
        engine = create_wren_ui_engine("http://127.0.0.1:9", "")
        with pytest.raises(EngineUnavailable, match="It cannot be reached"):
            await engine.execute("SELECT 1", row_limit=1, timeout=20)
        await engine.close()
        await engine.close()
        with pytest.raises(EngineUnavailable, match="has been closed"):
            await engine.execute("SELECT 1", row_limit=1, timeout=20)
