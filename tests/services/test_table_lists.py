"""`tables` of a data source: whatever the model of an invented project says, only what is listed there is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services.shop_servers import shop_on
from tests.support.secret_shop import COUNT, QUESTION, TOKEN, SecretShop, attacks, secret_shop
from tests.support.service import Client, running_service, write_config


@pytest.fixture(params=["sqlite", "duckdb", "postgres"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SecretShop]:
    with secret_shop(request.param, tmp_path) as made:
        yield made


def configured(folder: Path, source: dict[str, Any], *tables: str, **sections: Any) -> Path:
    """A shared data source that lists `tables`; without any, all may be read."""
    shared = source | {"shared": True} | ({"tables": list(tables)} if tables else {})
    return write_config(folder, data_sources={"default": shared}, **sections)


async def tried(service: Client, mdl: Any, label: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """How an invented project's preparation and its question ended."""
    prepared = await service.prepare(mdl, mdl_hash=label, project_id=f"p-{label}")
    return prepared, await service.answer(QUESTION, execute=True, project_id=f"p-{label}")


@pytest.mark.deep
async def test_no_model_reads_a_table_that_is_not_listed(tmp_path: Path, shop: SecretShop) -> None:
    leaked, served = [], []
    async with running_service(configured(tmp_path, shop.source, *shop.listed)) as service:
        for number, (way, mdl) in enumerate(attacks(shop).items()):
            prepared, answer = await tried(service, mdl, f"m{number}")
            leaked += [way] if TOKEN in f"{prepared} {answer.get('data')}" else []
            served += [way] if prepared["status"] == "finished" else []
        own = await service.prepare(shop.manifest(), mdl_hash="own", project_id="own")
        counted = await service.answer(COUNT, execute=True, project_id="own")
    assert (leaked, served) == ([], [])
    assert own == {"status": "finished"}
    assert counted["data"]["rows"] == [[2]]


async def test_without_a_list_a_model_reads_what_the_databases_user_may(tmp_path: Path, shop: SecretShop) -> None:
    async with running_service(configured(tmp_path, shop.source)) as service:
        _, answer = await tried(service, attacks(shop)["a statement"], "m")
    assert answer["data"]["rows"] == [[TOKEN]]


async def test_the_refusal_names_the_model_and_the_table(tmp_path: Path, shop: SecretShop) -> None:
    async with running_service(configured(tmp_path, shop.source, *shop.listed)) as service:
        prepared, answer = await tried(service, attacks(shop)["beside what is listed"], "m")
    error = prepared["error"]
    assert error["code"] == "MDL_PARSE_ERROR"
    assert f'models[1] "tokens" . refSql: it reads "{shop.name("secrets")}", which is not among' in error["message"]
    assert "list it in `tables`" in error["message"]
    assert "has no semantic model" in answer["error"]["message"]


async def test_a_view_that_is_listed_may_read_what_its_owner_has_it_read(tmp_path: Path, shop: SecretShop) -> None:
    summary = {
        "name": "summary",
        "tableReference": shop.place("summary"),
        "columns": [{"name": "tokens", "type": "BIGINT"}],
    }
    view = {
        "name": "it",
        "statement": "SELECT tokens FROM summary",
        "properties": {"question": QUESTION, "viewId": "v"},
    }
    async with running_service(configured(tmp_path, shop.source, *shop.listed)) as service:
        prepared, answer = await tried(service, shop.manifest(summary, views=[view]), "m")
    assert prepared == {"status": "finished"}
    assert answer["data"]["rows"] == [[1]]


async def test_all_tables_of_a_schema_can_be_listed_and_schema_map_comes_first(tmp_path: Path) -> None:
    with secret_shop("postgres", tmp_path) as shop:
        mdl = shop.manifest()
        source = shop.source | {"schema_map": {"public": "hidden", "gold": "public"}}
        async with running_service(configured(tmp_path, source, "public.*")) as service:
            hidden = await service.prepare(mdl, mdl_hash="m1")
            mdl["models"][0]["tableReference"]["schema"] = "gold"
            public = await service.prepare(mdl, mdl_hash="m2")
    assert '"hidden.orders"' in hidden["error"]["message"]
    assert public["status"] == "finished"


async def test_names_of_tables_that_are_not_listed_are_not_told(tmp_path: Path, shop: SecretShop) -> None:
    mdl = shop.manifest()
    mdl["models"][0]["tableReference"] = shop.place("secret")
    async with running_service(configured(tmp_path, shop.source)) as service:
        open_to_all = await service.prepare(mdl)
    async with running_service(configured(tmp_path, shop.source, *shop.listed, shop.name("secret"))) as service:
        listed = await service.prepare(mdl, project_id="another")
    assert "secrets" in str(open_to_all["warnings"])
    assert "secrets" not in str(listed)


@pytest.mark.deep
async def test_other_databases_of_a_mysql_server_are_not_read(tmp_path: Path) -> None:
    with shop_on("mariadb") as here, shop_on("mariadb") as there:
        source = {"engine": "sqlalchemy", "url": here.url}
        rows = [("here", f"{here.schema}.orders"), ("there", f"{there.schema}.orders"), ("salaries", "salaries")]
        column = {"columns": [{"name": "id", "type": "INTEGER"}]}
        ends = {}
        async with running_service(configured(tmp_path, source, f"{here.schema}.*", "orders", "customers")) as service:
            for name, table in rows:
                mdl = here.manifest()
                mdl["models"].append({"name": "rows_of_it", "refSql": f"SELECT id FROM {table}", **column})
                ends[name] = await service.prepare(mdl, mdl_hash=name)
    assert ends["here"]["status"] == "finished"
    assert f'"{there.schema}.orders"' in ends["there"]["error"]["message"]
    assert '"salaries"' in ends["salaries"]["error"]["message"]
