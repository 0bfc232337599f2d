"""Several models of a project can be asked at once, each by the label that it was sent under."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from askwell import parts
from askwell.config import load_config
from askwell.providers.document_store.base import Section
from tests.support import tiny_shop
from tests.support.service import running_service, write_config


def renamed(number: int) -> dict[str, Any]:
    """The tiny shop whose orders are called otherwise."""
    mdl = tiny_shop.manifest()
    mdl["views"] = []
    for model in mdl["models"]:
        if model["name"] == "orders":
            model["properties"] = {"displayName": f"sales {'abcdefgh'[number]}"}
        if model["name"] == "customers":
            model["columns"] = [
                column for column in model["columns"] if not column.get("isCalculated") and "relationship" not in column
            ]
            model["columns"][1] = {"name": f"label{number}", "type": "VARCHAR", "expression": "name"}
    return mdl


async def test_an_ask_is_for_the_model_that_it_names(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        for number in range(5):
            assert (await service.prepare(renamed(number), f"m{number}"))["status"] == "finished"
        for number in (0, 4, 2, 3, 1):
            answer = await service.answer("List the customers.", id=f"m{number}", execute=True)
            names = [column["name"] for column in answer["data"]["columns"]]
            assert f"label{number}" in names, answer
        status, answer = await service.call("POST", "/v1/asks", json={"query": "List the customers.", "id": "m9"})
        assert status == 202


async def test_as_many_stay_in_the_index_as_the_configuration_says(tmp_path: Path) -> None:
    store = parts.document_store(load_config(write_config(tmp_path, settings={"model_versions": 4}), {}))
    sections = [Section("p", "model", str(number)) for number in range(6)]
    for section in sections:
        await store.replace(section, [], np.zeros((0, 0), np.float32))
    assert [await store.holds(section) for section in sections] == [False, False, True, True, True, True]
