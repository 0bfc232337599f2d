"""The tools by their door: a name and arguments as a model writes them go in, results or told failures come out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
import pytest_asyncio

from askwell.config import load_config
from askwell.container import Container
from askwell.tools.base import Caller, Output, ToolFailure
from tests.support import tiny_shop
from tests.support.service import write_config
from tests.support.small_shops import make_small_shop
from tests.support.tables import case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOW = datetime(2026, 11, 25, tzinfo=UTC)


@dataclass
class Shop:
    """Calls the tools of a service in this process, as one caller."""

    container: Container
    progress: list[str] = field(default_factory=list)

    async def call(self, tool: str, project_id: str = "default", **given: Any) -> Output:
        return await self.container.tools.call(tool, Caller(project_id, NOW), given, self.progress.append)

    async def told(self, tool: str, project_id: str = "default", **given: Any) -> dict[str, Any]:
        return (await self.call(tool, project_id, **given)).result.to_json()

    async def fails(self, tool: str, project_id: str = "default", **given: Any) -> ToolFailure:
        with pytest.raises(ToolFailure) as failure:
            await self.call(tool, project_id, **given)
        return failure.value


@asynccontextmanager
async def serving(config: Path, model: Any) -> AsyncIterator[Shop]:
    container = Container(load_config(config, {}))
    await container.start()
    try:
        await container.preparation.start("default", json.dumps(model), "m1")
        async with asyncio.timeout(20):
            while (await container.preparation.status("default", "m1"))["status"] == "indexing":
                await asyncio.sleep(0.02)
        yield Shop(container)
    finally:
        await container.stop()


@asynccontextmanager
async def trader(folder: Path, **settings: Any) -> AsyncIterator[Shop]:
    path, model = make_small_shop("trader", folder)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    async with serving(write_config(folder, data_sources=sources, settings=settings), model) as shop:
        yield shop


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Container]:
    async with trader(tmp_path_factory.mktemp("tools")) as one:
        yield one.container


@pytest.fixture
def shop(shared: Container) -> Shop:
    """A caller of a service that these tests leave as it was."""
    return Shop(shared)


async def test_tables_are_found_and_described(shop: Shop) -> None:
    found = await shop.told("find_tables", query="sales orders by customer", limit=3)
    assert len(found["tables"]) == 3
    best = found["tables"][0]["name"]
    described = await shop.told("describe_table", table=best.upper())
    assert described["name"] == best
    assert {column["name"] for column in described["columns"]} >= set(found["tables"][0]["columns"])
    assert "CREATE TABLE" in described["ddl"]


async def test_an_unknown_table_is_told_with_the_nearest(shop: Shop) -> None:
    failure = await shop.fails("describe_table", table="custmers")
    assert failure.code == "NOT_FOUND"
    assert "customer" in failure.hint


async def test_values_are_found_in_their_columns(shop: Shop) -> None:
    found = await shop.told("find_values", text="orders that were sold to Italy")
    assert any(one["value"] == "Italy" for one in found["values"])


async def test_a_statement_gives_rows_and_no_more_than_the_limit(shop: Shop) -> None:
    tables = (await shop.told("find_tables", query="sales orders", limit=1))["tables"]
    output = await shop.call("run_sql", sql=f"SELECT * FROM {tables[0]['name']}", limit=2)
    told = output.result.to_json()
    assert len(told["table"]["rows"]) == 2
    assert told["table"]["truncated"]
    assert output.rows is not None
    assert output.rows["row_count"] == 2


@pytest.mark.parametrize(
    "sql",
    ["DROP TABLE sales_orders", "SELECT 1; DELETE FROM sales_orders", "SELECT * FROM sqlite_master", "nothing at all"],
)
async def test_what_does_not_only_read_is_refused(shop: Shop, sql: str) -> None:
    failure = await shop.fails("run_sql", sql=sql)
    assert failure.code in ("SQL_REFUSED", "SQL_FAILED")
    assert failure.hint


async def test_a_question_is_answered_with_its_rows(shop: Shop) -> None:
    told = await shop.told("ask_data", question="how many customers are there?")
    assert told["status"] == "finished"
    assert told["table"]["row_count"] == 1
    assert told["sql_source"] == "rules"
    assert "finished" in shop.progress
    chart = await shop.call("make_chart", query="customers by country", data_ref=told["ask_id"])
    assert "data" not in chart.result.to_json()["chart_schema"]


async def test_an_ambiguous_question_asks_back_and_goes_on_with_the_answer(tmp_path: Path) -> None:
    async with trader(tmp_path, apply_lessons=False) as shop:
        question = "how many orders are open?"
        asked = await shop.told("ask_data", question=question)
        assert asked["status"] == "needs_clarification"
        option = asked["clarification"]["options"][0]
        again = await shop.told("ask_data", question=question, ask_id=asked["ask_id"], answers=[option["id"]])
        assert again["status"] == "finished"
        at_once = await shop.told("ask_data", question=question, answers=[option["label"]])
        assert at_once["table"]["rows"] == again["table"]["rows"]


async def test_what_a_model_answers_for_somebody_teaches_nothing(tmp_path: Path) -> None:
    async with trader(tmp_path) as shop:
        question = "how many orders are open?"
        asked = await shop.told("ask_data", question=question)
        answers = [asked["clarification"]["options"][0]["id"]]
        told = await shop.told("ask_data", question=question, ask_id=asked["ask_id"], answers=answers)
        assert told["status"] == "finished"
        assert await shop.container.lessons.page("default", limit=5, offset=0) == ([], 0)


async def test_a_project_does_not_see_the_asks_of_another(shop: Shop) -> None:
    asked = await shop.told("ask_data", question="how many customers are there?")
    failure = await shop.fails("ask_data", "other", question="x", ask_id=asked["ask_id"], answers=["1"])
    assert failure.code == "NOT_FOUND"
    assert (await shop.fails("make_chart", "other", query="x", data_ref=asked["ask_id"])).code == "NOT_FOUND"
    assert (await shop.fails("find_tables", "other", query="customers")).code == "RESOURCE_NOT_FOUND"


async def test_arguments_that_do_not_fit_are_told(shop: Shop) -> None:
    failure = await shop.fails("run_sql", sql="SELECT 1", limit=100_000, project_id_="x")
    assert failure.code == "BAD_ARGUMENTS"
    assert "limit" in failure.message
    assert "sql" in failure.hint
    assert (await shop.fails("runsql", sql="SELECT 1")).code == "UNKNOWN_TOOL"
    assert (await shop.fails("make_chart", query="x")).code == "BAD_ARGUMENTS"


async def test_sensitive_values_are_for_people_only(tmp_path: Path) -> None:
    model = tiny_shop.manifest()
    for column in model["models"][0]["columns"]:
        if column["name"] == "name":
            column["properties"] = {"sensitive": True}
    async with serving(write_config(tmp_path), model) as shop:
        output = await shop.call("run_sql", sql="SELECT name FROM customers ORDER BY id")
        told = output.result.to_json()["table"]
        assert told["rows"] == []
        assert told["withheld"]
        # Whatever comes of it, the model gets the same: by how many rows there are a value can be asked out.
        for sql in (
            "SELECT 1 FROM customers WHERE name LIKE 'A%'",
            "SELECT 1 FROM customers WHERE name LIKE 'zz%'",
            "SELECT json(CASE WHEN name LIKE 'A%' THEN '{' ELSE '{}' END) FROM customers",
            "SELECT * FROM customers",
        ):
            assert (await shop.told("run_sql", sql=sql))["table"] == told, sql
            drawn = await shop.told("make_chart", query="customers", sql=sql)
            assert drawn == await shop.told("make_chart", query="customers", sql="SELECT name FROM customers")
        assert output.rows is not None
        assert output.rows["rows"][0] == ["Ada Lovelace"]
        assert not (await shop.told("find_values", text="Ada Lovelace"))["values"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("ask_data", {"question": "how many customers are there?"}),
        ("make_chart", {"query": "customers", "sql": "SELECT COUNT(*) AS n FROM customers"}),
    ],
)
async def test_a_call_that_is_given_up_stops_its_job(tool: str, given: dict[str, Any], tmp_path: Path) -> None:
    async with trader(tmp_path) as shop:
        call = asyncio.create_task(shop.call(tool, **given))
        while not shop.progress:
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        jobs = shop.container.asks if tool == "ask_data" else shop.container.jobs["chart"]
        [job], _ = await jobs.latest("default", limit=5, offset=0)
        assert job["result"]["status"] == "stopped"


async def test_what_is_worked_out_from_a_secret_is_one(tmp_path: Path) -> None:
    model = tiny_shop.manifest()
    customers, orders = model["models"][0], model["models"][1]
    next(one for one in customers["columns"] if one["name"] == "name")["properties"] = {"sensitive": True}
    calculated = {"type": "VARCHAR", "isCalculated": True}
    customers["columns"].append({"name": "initial", "expression": "substr(name, 1, 1)", **calculated})
    orders["columns"].append({"name": "who", "expression": "customer.name", **calculated})
    model["views"].append({"name": "adas", "statement": "SELECT id FROM customers WHERE name LIKE 'Ada%'"})
    async with serving(write_config(tmp_path), model) as shop:
        for sql in ("SELECT initial FROM customers", "SELECT who FROM orders", "SELECT id FROM adas"):
            assert (await shop.told("run_sql", sql=sql))["table"]["withheld"], sql
        assert "withheld" not in (await shop.told("run_sql", sql="SELECT id, country FROM customers"))["table"]


ROWS_IN_A_VALUE = case_table(__file__, "rows_in_a_value")


async def test_a_whole_row_has_its_secrets(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("CREATE TABLE customers (id INTEGER, name VARCHAR); INSERT INTO customers VALUES (1, 'Ada')")
    connection.close()
    model = case_table(__file__, "model")
    sources = {"default": {"engine": "duckdb", "path": str(path), "shared": True}}
    async with serving(write_config(tmp_path, data_sources=sources), model) as shop:
        for sql in ROWS_IN_A_VALUE:
            told = (await shop.told("run_sql", sql=sql))["table"]
            assert (bool(told["withheld"]), told["rows"]) == (True, []), sql


async def test_values_of_an_enum_are_not_told_of_secret_columns(tmp_path: Path) -> None:
    model = tiny_shop.manifest()
    model["enumDefinitions"] = [{"name": "kind", "values": [{"name": "canary"}]}]
    calculated = {"type": "kind", "isCalculated": True, "expression": "status"}
    model["models"][1]["columns"] += [{"name": name, **calculated} for name in ("api_token", "state")]
    async with serving(write_config(tmp_path), model) as shop:
        columns = {one["name"]: one for one in (await shop.told("describe_table", table="orders"))["columns"]}
        assert columns["state"]["values"] == ["canary"]
        assert "values" not in columns["api_token"]
