"""The whole service over real database servers, by its HTTP API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from askwell.config import load_config
from askwell.container import Container
from tests.services.shop_servers import ShopServer, shop_on
from tests.support.servers import new_postgresql
from tests.support.service import Client, running_service, write_config


@pytest.fixture(params=["postgres", "mariadb"])
def shop(request: pytest.FixtureRequest) -> Iterator[ShopServer]:
    with shop_on(request.param) as server:
        yield server


def source(shop: ShopServer, **more: Any) -> dict[str, Any]:
    return {"engine": "sqlalchemy", "url": shop.url} | more


@asynccontextmanager
async def serving(folder: Path, data_sources: dict[str, Any], **settings: Any) -> AsyncIterator[Client]:
    async with running_service(write_config(folder, data_sources=data_sources, settings=settings)) as service:
        yield service


async def saved(service: Client, question: str, sql: str) -> dict[str, Any]:
    """How saving the question with its SQL ended."""
    body = {"sql_pairs": [{"id": "p1", "question": question, "sql": sql}]}
    status, answer = await service.call("POST", "/v1/sql-pairs", json=body)
    assert status == 202, answer
    async with asyncio.timeout(20):
        while True:
            _, event = await service.call("GET", f"/v1/sql-pairs/{answer['event_id']}")
            if event["status"] != "indexing":
                return event
            await asyncio.sleep(0.01)


ROW_RULE = {
    "name": "own_country",
    "condition": "country = @country",
    "requiredProperties": [{"name": "country", "required": True}],
}


async def test_a_model_in_a_schema_is_prepared_asked_about_and_run(tmp_path: Path, shop: ShopServer) -> None:
    async with serving(tmp_path, {"default": source(shop)}, allow_session_properties=True) as service:
        prepared = await service.prepare(shop.manifest())
        counted = await service.answer("How many customers are there?", execute=True)
        by_value = await service.answer("How many customers in Germany?", execute=True)
        spending = "SELECT name, total_spent FROM customers ORDER BY id"
        assert (await saved(service, "Who spent what?", spending))["status"] == "finished"
        spent = await service.answer("Who spent what?", execute=True)
        by_view = await service.answer("Which orders are paid?", execute=True)
        beyond = [
            await saved(service, "What is secret?", "SELECT secret FROM customers"),
            await saved(service, "What is there?", f"SELECT id FROM {shop.schema}.salaries"),
            await saved(service, "Who is there?", "SELECT table_name FROM information_schema.tables"),
        ]
        ruled = shop.manifest()
        ruled["models"][0]["rowLevelAccessControls"] = [ROW_RULE]
        assert (await service.prepare(ruled, "m2"))["status"] == "finished"
        german, french, attacked, nobodys = [
            await service.answer("How many customers are there?", execute=True, session_properties=properties)
            for properties in ({"country": "'Germany'"}, {"COUNTRY": "'France'"}, {"country": "'x' OR 1 = 1"}, {})
        ]

    assert prepared == {"status": "finished"}
    assert counted["data"]["rows"] == [[3]]
    # Values were sampled: nothing else knows that Germany is a country.
    assert by_value["data"]["rows"] == [[2]]
    assert spent["data"]["rows"] == [["Ada Lovelace", 150.0], ["Grace Hopper", 75.5], ["Alan Turing", 10.0]]
    assert sorted(by_view["data"]["rows"]) == [[1, 120.0], [3, 75.5]]
    assert [event["status"] for event in beyond] == ["failed"] * 3
    assert (german["data"]["rows"], french["data"]["rows"]) == ([[2]], [[1]])
    for refused, words in ((attacked, "has to be a SQL literal"), (nobodys, 'session property "country"')):
        assert (refused["status"], refused["error"]["code"], "data" in refused) == ("failed", "OTHERS", False)
        assert words in refused["error"]["message"]
        assert """session_properties: {"country": "'EMEA'"}""" in refused["error"]["hint"]


async def test_schemas_of_models_are_found_where_the_configuration_says(tmp_path: Path, shop: ShopServer) -> None:
    mapped = source(shop, schema_map={"gold": shop.schema})
    async with serving(tmp_path, {"default": mapped, "plain": source(shop)}) as service:
        assert await service.prepare(shop.manifest("Gold")) == {"status": "finished"}
        answer = await service.answer("How many customers are there?", execute=True)
        elsewhere = await service.prepare(shop.manifest("gold"), project_id="plain")

    assert answer["data"]["rows"] == [[3]]
    # MariaDB lists the tables of one database, so that one is missing from another shows when it is read.
    words = f"not in the schema gold, but in {shop.schema}" if shop.data_source == "POSTGRES" else "'gold.customers'"
    assert words in "\n".join(elsewhere["warnings"])


async def test_what_the_database_lacks_is_named_with_what_comes_nearest(tmp_path: Path, shop: ShopServer) -> None:
    manifest = shop.manifest("gold")
    manifest["models"][0]["columns"][2]["expression"] = "contry"
    manifest["models"][1]["tableReference"]["table"] = "order"
    async with serving(tmp_path, {"default": source(shop, schema_map={"gold": shop.schema})}) as service:
        prepared = await service.prepare(manifest)
        asked = await service.answer("List the country of all customers", execute=True)

    assert prepared["status"] == "finished"
    assert asked["error"]["code"] == "OTHERS"
    assert "contry" in asked["error"]["message"]
    assert "model no longer fits the database" in asked["error"]["hint"]
    told = "\n".join(prepared["warnings"])
    assert 'has no column "contry"' in told
    assert "country" in told
    assert f'has no table "{shop.schema}.order"' in told
    assert "orders" in told


async def test_projects_on_the_same_server_share_one_engine(tmp_path: Path, shop: ShopServer) -> None:
    sources = {
        "a": source(shop),
        "b": source(shop, schema_map={"gold": shop.schema}),
        "c": source(shop, pool_size=1),
    }
    container = Container(load_config(write_config(tmp_path, data_sources=sources), {}))
    engines = {name: container.database_for(name).engine for name in sources}
    assert engines["a"] is engines["b"]
    assert engines["a"] is not engines["c"]


async def test_readiness_says_whether_the_server_takes_connections(tmp_path: Path, shop: ShopServer) -> None:
    gone = shop.url.replace(":5432", ":9").replace(":3306", ":9")
    nameless = shop.url.replace("127.0.0.1", "no.such.host.invalid")
    sources = {"default": source(shop), "gone": source(shop, url=gone), "nameless": source(shop, url=nameless)}
    async with serving(tmp_path, sources) as service:
        status, ready = await service.call("GET", "/v1/health/ready")
    assert status == 503
    assert "reachable" in str(ready)
    assert "cannot be reached: Connection refused." in str(ready)
    assert "cannot be reached: its name is not known." in str(ready)
    assert not any(word in str(ready) for word in ("127.0.0.1", "no.such", "@", shop.schema))


async def test_columns_whose_values_have_no_equality_leave_the_others_of_their_table(tmp_path: Path) -> None:
    database = new_postgresql()
    try:
        database.ask("CREATE TABLE events (kind text, place point, detail json)")
        # More rows than are read at once: columns whose values repeat are asked for their distinct ones.
        kind = "CASE n % 2 WHEN 0 THEN 'Launch' ELSE 'Landing' END"
        database.ask(f"INSERT INTO events SELECT {kind}, '(1, 2)', '{{}}' FROM generate_series(1, 1500) AS n")
        names = ("kind", "place", "detail")
        model = {
            "name": "events",
            "tableReference": {"schema": "public", "table": "events"},
            "columns": [{"name": name, "type": "VARCHAR"} for name in names],
        }
        manifest = {"catalog": "c", "schema": "public", "dataSource": "POSTGRES", "models": [model]}
        async with serving(tmp_path, {"default": {"engine": "sqlalchemy", "url": database.url}}) as service:
            prepared = await service.prepare(manifest)
            await saved(service, "Which are launches?", "SELECT kind FROM events WHERE kind = 'launch'")
            answered = await service.answer("Which are launches?")
    finally:
        database.drop()

    (warning,) = prepared["warnings"]
    assert warning.startswith("Values of events.place, events.detail could not be read: ")
    assert "it holds 'Launch'" in answered["warnings"][0]
