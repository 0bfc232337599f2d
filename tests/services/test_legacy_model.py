"""A model as the legacy web client writes it can be deployed and asked about."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tests.mdl.shop import SHOP_ROWS, legacy_manifest
from tests.support.service import running_service, write_config


async def test_the_model_of_the_legacy_client_is_deployed_and_asked(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute(SHOP_ROWS)
    source = {"engine": "duckdb", "path": str(tmp_path / "shop.duckdb"), "shared": True}
    async with running_service(write_config(tmp_path, data_sources={"default": source})) as service:
        assert (await service.prepare(legacy_manifest()))["status"] == "finished"
        counted = await service.answer("How many orders are there?", execute=True)
        assert counted["data"]["rows"] == [[4]]
        viewed = await service.answer("Which orders are big?", execute=True)
        assert len(viewed["data"]["rows"]) == 2
        calculated = await service.answer("What is the total pieces of all orders?", execute=True)
        assert calculated["data"]["rows"] == [[16]]
