"""Keyword rules over HTTP, from saving one to the ask that heeds it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.service import Client, running_service, write_config

QUESTION = "What weather did sailors meet off Cape Horn?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    config = write_config(tmp_path_factory.mktemp("keywords"), settings={"table_retrieval_size": 1})
    async with running_service(config) as http:
        await http.prepare()
        yield http


@pytest.mark.asyncio(loop_scope="module")
class TestKeywords:
    async def test_a_rule_says_which_table_is_meant(self, shop: Client) -> None:
        unknown = await shop.answer(QUESTION)
        assert unknown["error"]["code"] == "NO_RELEVANT_DATA"
        rule = {"id": "v", "pattern": "weather", "tables": ["customers"]}
        assert await shop.call("POST", "/v1/keywords", json={"keywords": [rule]}) == (
            200,
            {"keywords": [rule], "warnings": []},
        )
        known = await shop.answer(QUESTION)
        # No language model is there to write the SQL; but it is about something now.
        assert known["error"]["code"] == "NO_RELEVANT_SQL"
        assert known["retrieved_tables"][0] == "customers"
        await shop.call("DELETE", "/v1/keywords", json={"keyword_ids": ["v"]})
        assert (await shop.answer(QUESTION))["error"]["code"] == "NO_RELEVANT_DATA"

    async def test_a_taught_word_says_so_too(self, shop: Client) -> None:
        taught = {"kind": "table_mapping", "body": {"said": "weather", "table": "customers"}}
        _, kept = await shop.call("POST", "/v1/lessons", json={"lessons": [taught]})
        assert (await shop.answer(QUESTION))["error"]["code"] == "NO_RELEVANT_SQL"
        await shop.call("POST", f"/v1/lessons/{kept['lessons'][0]['id']}/revert")
        assert (await shop.answer(QUESTION))["error"]["code"] == "NO_RELEVANT_DATA"

    async def test_a_table_that_is_not_there_is_told_with_the_nearest(self, shop: Client) -> None:
        rule = {"id": "c", "pattern": "clients", "tables": ["Customer", "orders"]}
        _, answer = await shop.call("POST", "/v1/keywords", json={"keywords": [rule]})
        assert answer["warnings"] == ["The model has no table Customer; nearest: customers."]
        await shop.call("DELETE", "/v1/keywords", json={"keyword_ids": ["c"]})

    async def test_rules_are_their_projects_own(self, shop: Client) -> None:
        rule = {"id": "v", "pattern": "weather", "tables": ["customers"]}
        status, answer = await shop.call("POST", "/v1/keywords", json={"keywords": [rule], "project_id": "other"})
        assert (status, len(answer["warnings"])) == (200, 1)
        assert (await shop.call("GET", "/v1/keywords"))[1]["keywords"] == []
        assert (await shop.answer(QUESTION))["error"]["code"] == "NO_RELEVANT_DATA"
